#include "proxy/responder.hpp"

#include "base/escape.hpp"
#include "proxy/error_page.hpp"
#include "proxy/failure.hpp"
#include "proxy/negotiation.hpp"
#include "proxy/page.hpp"
#include "proxy/proxy_status.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider {
namespace {

constexpr std::size_t kLongestDetail = 400;  // bytes; a detail may quote what a peer sent
constexpr std::size_t kLongestHost = 300;    // a name has at most 253 (RFC 1035), and a port follows
constexpr std::chrono::seconds kRetryAfter{5};

Answer render(const Verdict& verdict, std::string_view detail, const ErrorContext& context) {
  Report report;
  report.failure = &failure(verdict.id);
  report.status = verdict.status;
  report.proxy_error = verdict.proxy_error;
  report.host = utf8_prefix(context.host, kLongestHost);
  // What broke inside is for our log, where the exchange number finds it.
  if (verdict.id != FailureId::internal) report.detail = utf8_prefix(detail, kLongestDetail);
  report.exchange_id = context.exchange_id;
  report.date = context.date;
  report.repeatable = context.method == Method::get || context.method == Method::head;

  const AnswerFrame frame{context.method, context.date, context.close, context.cache_status};
  Answer answer;
  switch (preferred_form(context.accept)) {
    case AnswerForm::html:
      answer = make_answer(verdict.status, kHtmlType, error_page_html(report), frame);
      answer.head.headers.add(HeaderId::content_language, "en");
      answer.head.headers.add(HeaderId::content_security_policy, page_policy(StyleIn::page));
      break;
    case AnswerForm::json:
      answer = make_answer(verdict.status, "application/problem+json", error_page_json(report), frame);
      break;
    case AnswerForm::text:
      answer = make_answer(verdict.status, "text/plain; charset=utf-8", error_page_text(report), frame);
      break;
  }
  if (!verdict.proxy_error.empty())
    answer.head.headers.add(HeaderId::proxy_status, proxy_status(verdict.proxy_error, report.detail));
  return answer;
}

Answer render(FailureId id, std::string_view detail, const ErrorContext& context) {
  const Failure& found = failure(id);
  return render(Verdict{id, found.status, found.proxy_error}, detail, context);
}

std::string retry_seconds(const ErrorContext& context) {
  const Duration wait = context.retry_after.value_or(kRetryAfter);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  return fmt::format("{}", std::max<decltype(seconds)>(seconds, 1));
}

}  // namespace

Answer answer_error(const Error& error, const ErrorContext& context) {
  ErrorContext adjusted = context;
  adjusted.close = context.close || must_close(error);
  const Verdict verdict = judge(error);
  Answer answer = render(verdict, error.detail, adjusted);
  if (verdict.status == 503) answer.head.headers.add(HeaderId::retry_after, retry_seconds(context));
  return answer;
}

Answer answer_denied(std::string_view reason, const ErrorContext& context) {
  return render(FailureId::denied, reason, context);
}

Answer answer_authentication_required(const std::vector<std::string>& challenges, const ErrorContext& context) {
  Answer answer = render(FailureId::authentication_required, {}, context);
  for (const std::string& challenge : challenges) answer.head.headers.add(HeaderId::proxy_authenticate, challenge);
  return answer;
}

Answer answer_too_many(std::string_view reason, const ErrorContext& context) {
  Answer answer = render(FailureId::too_many, reason, context);
  answer.head.headers.add(HeaderId::retry_after, retry_seconds(context));
  return answer;
}

Answer answer_loop(std::string_view reason, const ErrorContext& context) {
  return render(FailureId::loop, reason, context);
}

Answer answer_method_not_allowed(std::string_view allow, const ErrorContext& context) {
  Answer answer = render(FailureId::method_not_allowed, {}, context);
  answer.head.headers.add(HeaderId::allow, allow);
  return answer;
}

Answer answer_not_found(const ErrorContext& context) {
  return render(FailureId::not_found, {}, context);
}

Answer answer_foreign_host(const ErrorContext& context) {
  return render(FailureId::foreign_host, {}, context);
}

Answer answer_local_only(const ErrorContext& context) {
  return render(FailureId::local_only, {}, context);
}

int status_of(const Error& error) {
  return judge(error).status;
}

std::string_view proxy_error_of(const Error& error) {
  return judge(error).proxy_error;
}

std::string_view name_of(const Error& error) {
  const std::string_view type = proxy_error_of(error);
  return type.empty() ? to_string(error.kind) : type;
}

bool must_close(const Error& error) {
  if (error.side != Side::client) return false;
  switch (error.kind) {
    case ErrorKind::bad_message:
    case ErrorKind::unsupported:
    case ErrorKind::bad_version:
    case ErrorKind::target_too_long:
    case ErrorKind::head_too_large:
    case ErrorKind::body_too_large:
    case ErrorKind::timeout:
    case ErrorKind::closed_early:
    case ErrorKind::io:
      return true;
    default:
      return false;
  }
}

}  // namespace outrider
