#include "cache/exchange.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

EgressTarget target_of(const ExchangeRequest& request) {
  const Url& url = *request.url;
  EgressTarget target;
  target.host = url.hostname();
  if (target.host.starts_with('[')) target.host = target.host.substr(1, target.host.size() - 2);
  target.port = url.effective_port();
  target.tls = url.scheme() == "https" || url.scheme() == "wss";
  target.tunnel = request.upgrade;
  target.policy = request.policy;
  target.parent = request.parent;
  return target;
}

void write_framing(RequestHead& head, const BodyFraming& framing) {
  if (framing.kind == BodyFraming::Kind::chunked) {
    head.headers.set(HeaderId::transfer_encoding, "chunked");
  } else if (framing.kind == BodyFraming::Kind::length) {
    head.headers.set(HeaderId::content_length, fmt::format_int(framing.length).c_str());
  }
}

}  // namespace

Task<Result<std::unique_ptr<ClientResponse>>> Exchange::run(ExchangeRequest& request, ClientRequest& origin) {
  origin.target = target_of(request);
  origin.head = request.head;
  origin.body = request.body;
  origin.body_framing = request.body_framing;
  origin.timeouts = request.timeouts;
  origin.deadline = request.deadline;
  origin.on_informational = std::move(request.on_informational);
  write_framing(*request.head, request.body_framing);
  request.head->headers.set(HeaderId::host, request.url->host());
  const bool absolute = origin.target.parent && !through_tunnel(origin.target);
  if (absolute) {
    // "*" is written by the last proxy only (RFC 9112 section 3.2.4): to a parent the server as a whole has no path.
    const std::string_view path = request.path_and_query == "*" ? std::string_view{} : request.path_and_query;
    origin.wire_target = fmt::format("{}//{}{}", request.url->protocol(), request.url->host(), path);
    if (!origin.target.parent->authorization.empty())
      request.head->headers.set(HeaderId::proxy_authorization, origin.target.parent->authorization);
  } else {
    origin.wire_target = request.path_and_query;
  }
  return client_.send(origin);
}

}  // namespace outrider
