// The only place that turns failures into answers. What each one means stands in proxy/failure, how it looks in
// proxy/error_page.
//
// A browser gets a page, a program that asks for JSON gets a problem document (RFC 9457), everybody else gets plain
// text; all get Proxy-Status (RFC 9209).
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "proxy/answer.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// The views need to live only as long as the call. Nothing in them is trusted.
struct ErrorContext {
  Method method = Method::get;
  std::string_view accept;  // the Accept fields of the request, joined; empty if there are none
  std::string_view host;    // for display: "example.org", "example.org:8080"; never a path or a query string
  std::string_view exchange_id;
  std::string_view date;                // of now, as DateCache has it; left out if empty
  bool close = false;                   // the connection will be closed behind the answer
  std::optional<Duration> retry_after;  // with busy and too_many; a few seconds if not known better
  std::string_view cache_status{};      // as in AnswerFrame
};

// A cancelled exchange has an answer too (499), for the access log: nobody is there to read it, so don't send it.
Answer answer_error(const Error& error, const ErrorContext& context);

// 403: a rule of the configuration forbids it. `reason` is shown.
Answer answer_denied(std::string_view reason, const ErrorContext& context);
// 407 with one Proxy-Authenticate field per challenge, e.g. `Basic realm="outrider", charset="UTF-8"`.
Answer answer_authentication_required(const std::vector<std::string>& challenges, const ErrorContext& context);
// 429 with Retry-After: a client that tries too much, for example passwords.
Answer answer_too_many(std::string_view reason, const ErrorContext& context);
// 508: the request has passed us before, or would come back to us.
Answer answer_loop(std::string_view reason, const ErrorContext& context);
// 405; `allow` is the list of methods, e.g. "GET, HEAD".
Answer answer_method_not_allowed(std::string_view allow, const ErrorContext& context);
// 404 at our own address.
Answer answer_not_found(const ErrorContext& context);
// 403: a direct request under a name that is not ours (DNS rebinding).
Answer answer_foreign_host(const ErrorContext& context);
// 403: a page of ours that only this machine may see.
Answer answer_local_only(const ErrorContext& context);

// For logs and metrics, without building the answer. The type is a token of RFC 9209 and may be empty.
int status_of(const Error& error);
std::string_view proxy_error_of(const Error& error);
std::string_view name_of(const Error& error);  // the same, or the name of its kind; never empty

// The client's bytes can no longer be told apart into requests, or it does not deliver them: no further request is
// read.
bool must_close(const Error& error);

}  // namespace outrider
