#include "webui/problem.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace outrider::webui {

ApiReply problem(int status, std::string_view kind, std::string_view title, std::string_view detail) {
  const json::object body{{"type", "https://outrider.internal/problems/" + std::string{kind}},
                          {"title", title},
                          {"status", status},
                          {"detail", detail}};
  ApiReply reply = ApiReply::of(body, status);
  reply.content_type = "application/problem+json";
  return reply;
}

ApiReply bad_request(std::string_view detail) {
  return problem(400, "bad-request", "The request is not understood", detail);
}

ApiReply nothing_here(std::string_view detail) {
  return problem(404, "not-found", "Not found", detail);
}

ApiReply not_connected(std::string_view what) {
  return problem(503, "not-connected", "Not available here", what);
}

ApiReply problem_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::invalid_argument:
    case ErrorKind::bad_message:
      return bad_request(error.detail);
    case ErrorKind::not_found:
      return nothing_here(error.detail);
    case ErrorKind::rule_denied:
      return problem(409, "conflict", "Not possible now", error.detail);
    case ErrorKind::unsupported:
      return not_connected(error.detail);
    case ErrorKind::busy:
      return problem(503, "busy", "Too busy", error.detail);
    default:
      return problem(500, "failed", "It failed", error.detail);
  }
}

}  // namespace outrider::webui
