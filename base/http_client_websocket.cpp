// WebSockets to https origins. Where a connection in HTTP/2 is open and the origin has said that it takes them there
// (RFC 8441), one more stream does; otherwise they have a connection of their own, in HTTP/1. Whoever asked sees the
// answer of HTTP/1 in both cases.
#include "base/http2_origins.hpp"
#include "base/http_client.hpp"
#include "base/http_client_upload.hpp"
#include "base/remote_stream.hpp"
#include "base/websocket_key.hpp"

namespace outrider {
namespace {

// Not the answer of somebody who speaks HTTP/1.
bool may_speak_http2_only(const Error& error) {
  if (error.side != Side::origin) return false;
  return error.kind == ErrorKind::tls_failed || error.kind == ErrorKind::closed_early ||
         error.kind == ErrorKind::bad_message || error.kind == ErrorKind::bad_version;
}

// RFC 8441 section 5: every success says that it is open.
void become_upgrade(ResponseHead& head, const RequestHead& request) {
  head.status = 101;
  head.reason = "Switching Protocols";
  head.headers.set(HeaderId::connection, "Upgrade");
  head.headers.set(HeaderId::upgrade, "websocket");
  head.headers.set("Sec-WebSocket-Accept",
                   websocket_accept(request.headers.find(HeaderId::sec_websocket_key).value_or("")));
}

}  // namespace

bool asks_for_websocket(const RequestHead& head) {
  return head.method == Method::get && head.headers.lists(HeaderId::upgrade, "websocket") &&
         head.headers.has(HeaderId::sec_websocket_key);
}

Task<Result<std::unique_ptr<ClientResponse>>> HttpClient::send_websocket(ClientRequest& request) {
  const std::string key = pool_key(request.target);
  bool again = false;
  std::shared_ptr<Http2Connection> open = http2_->find(key);
  if (open && open->peer_has_extended_connect() && may_use(*open, request.target)) {
    std::shared_ptr<OriginStream> stream = open->open();
    Answer answer = co_await open_websocket(request, std::move(stream), &again);
    if (answer || !again) co_return answer;
  }
  if (request.errand) co_return Error{ErrorKind::not_found, Side::self, "no connection here takes WebSockets", true};
  if (std::shared_ptr<HttpHome> home = homes_ != nullptr && !open ? homes_->whose(key, home_) : nullptr) {
    std::shared_ptr<OriginStream> stream = std::make_shared<RemoteStream>(reactor_, home_, std::move(home), request);
    Answer answer = co_await open_websocket(request, std::move(stream), &again);
    if (answer || !again) co_return answer;
  }
  Answer over_http1 = co_await send_over_http1(request, nullptr);
  if (over_http1 || !may_speak_http2_only(over_http1.error())) co_return over_http1;
  Result<std::shared_ptr<Http2Connection>> connected = co_await connect_over_http2(request, key);
  if (!connected || !*connected) co_return over_http1;
  if (!(*connected)->peer_has_extended_connect())
    co_return Error{ErrorKind::unsupported, Side::origin,
                    "the site speaks HTTP/2 only, and takes no WebSockets there (RFC 8441)"};
  std::shared_ptr<OriginStream> stream = (*connected)->open();
  co_return co_await open_websocket(request, std::move(stream), nullptr);
}

Task<Result<std::unique_ptr<ClientResponse>>> HttpClient::open_websocket(ClientRequest& request,
                                                                         std::shared_ptr<OriginStream> stream,
                                                                         bool* again) {
  auto response = std::make_unique<ClientResponse>();
  response->timings_.reused = true;
  Answer answer = co_await send_over_stream(request, std::move(stream), std::move(response), again);
  if (!answer || request.errand) co_return answer;
  Http2Block::Response& head = (*answer)->h2_head_;
  if (head.head.status / 100 == 2) {
    become_upgrade(head.head, *request.head);
    head.framing = BodyFraming{};
  }
  co_return answer;
}

// A connection whose first words have been heard; nullptr: the origin has chosen HTTP/1.
Task<Result<std::shared_ptr<Http2Connection>>> HttpClient::connect_over_http2(ClientRequest& request,
                                                                              const std::string& key) {
  const Deadline deadline = request.deadline.sooner_of(reactor_.sweeper().in(request.timeouts.connect));
  Result<std::shared_ptr<Http2Connection>> found = co_await find_or_wait(request, key);
  if (!found) co_return found;
  if (!*found) {
    ClientResponse response;  // holds nothing but the place in the pool
    Result<ConnectionPool::Lease> lease = co_await pool_->acquire(key, deadline);
    if (!lease) co_return lease.error();
    response.lease_ = std::move(*lease);
    response.lease_.drop_connection();
    request.target.tunnel = false;  // it may be shared
    Result<std::shared_ptr<Http2Connection>> opened = co_await connect(request, response, key);
    request.target.tunnel = true;
    found = std::move(opened);
  }
  if (found && *found) co_await (*found)->settled(deadline);
  co_return found;
}

}  // namespace outrider
