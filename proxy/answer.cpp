#include "proxy/answer.hpp"

#include "base/http_writer.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

constexpr std::string_view kNoCacheAsked = "Outrider; detail=\"an answer of the proxy itself\"";

}  // namespace

Answer make_answer(int status, std::string_view content_type, std::string body, const AnswerFrame& frame) {
  Answer answer;
  answer.close = frame.close;
  answer.head.status = status;
  answer.head.reason = default_reason(status);
  HeaderMap& headers = answer.head.headers;
  if (!frame.date.empty()) headers.add(HeaderId::date, frame.date);
  if (frame.close) headers.add(HeaderId::connection, "close");
  headers.add(HeaderId::content_type, content_type);
  headers.add(HeaderId::content_length, fmt::format_int(body.size()).c_str());
  headers.add(HeaderId::cache_control, "no-store");
  headers.add(HeaderId::cache_status, frame.cache_status.empty() ? kNoCacheAsked : frame.cache_status);
  headers.add("X-Content-Type-Options", "nosniff");
  headers.add("Referrer-Policy", "no-referrer");
  if (frame.method != Method::head) answer.body = std::move(body);
  return answer;
}

}  // namespace outrider
