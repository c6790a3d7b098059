#include "tests/support/tls_site.hpp"

#include "base/http_writer.hpp"
#include "base/websocket_key.hpp"

namespace outrider::testing {
namespace {

using namespace std::chrono_literals;

int choose_protocol(SSL*, const unsigned char** out, unsigned char* length, const unsigned char* offered,
                    unsigned offered_length, void* wanted) {
  const std::string& list = *static_cast<const std::string*>(wanted);
  const int found = SSL_select_next_proto(const_cast<unsigned char**>(out), length,
                                          reinterpret_cast<const unsigned char*>(list.data()),
                                          static_cast<unsigned>(list.size()), offered, offered_length);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

const std::string kHttp1List = "\x08http/1.1";
const std::string kHttp2List = "\x02h2";

const std::string& list_of(Speaks protocol) {
  return protocol == Speaks::http2 ? kHttp2List : kHttp1List;
}

ResponseHead head_of(const SiteAnswer& answer) {
  ResponseHead head;
  head.status = answer.status;
  head.headers = answer.headers;
  return head;
}

// Sends back whatever comes, as it is: what is in the frames is nobody's business here.
Task<> echo_websocket(Stream& stream, std::string accept, std::string early) {
  const std::string head =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Accept: " +
      accept + "\r\n\r\n" + early;
  co_await stream.write(head);
  std::string buffer(64 * 1024, '\0');
  for (;;) {
    Result<std::size_t> got = co_await stream.read_some(std::span{buffer.data(), buffer.size()});
    if (!got || *got == 0) break;
    co_await stream.write(std::string_view{buffer.data(), *got});
  }
  stream.shutdown_write();
}

Task<> echo_websocket(Http2Stream& stream) {
  ResponseHead open;
  const bool keyless = !stream.request()->head.headers.has(HeaderId::sec_websocket_key);  // RFC 8441 section 5
  open.status = keyless ? 200 : 400;
  open.headers.add("Sec-WebSocket-Protocol", "chat");
  stream.send_response(open, false);
  for (;;) {
    Result<std::string_view> piece = co_await stream.read();
    if (!piece || piece->empty()) break;
    if (!stream.put(*piece)) co_await stream.sent(60s);
  }
  stream.end({});
}

}  // namespace

TlsSite::TlsSite(const TestCa& ca, Speaks protocol, Reply reply, bool websockets_in_http2)
    : protocol_(protocol),
      websockets_in_http2_(websockets_in_http2),
      reply_(std::move(reply)),
      acceptor_(reactor_.executor(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}),
      port_(acceptor_.local_endpoint().port()),
      tasks_(reactor_.executor()) {
  const TestCertificate certificate = ca.issue("DNS:localhost,IP:127.0.0.1");
  context_.use_certificate_chain(asio::buffer(certificate.certificate_pem));
  context_.use_private_key(asio::buffer(certificate.key_pem), asio::ssl::context::pem);
  SSL_CTX_set_alpn_select_cb(context_.native_handle(), choose_protocol, const_cast<std::string*>(&list_of(protocol)));
  tasks_.spawn(accept(), "site");
  thread_ = std::thread{[this] { reactor_.run(); }};
}

TlsSite::~TlsSite() {
  reactor_.stop();
  thread_.join();
}

Task<> TlsSite::accept() {
  for (;;) {
    auto [code, socket] = co_await acceptor_.async_accept(as_result);
    if (code) co_return;
    ++connections_;
    tasks_.spawn(serve(std::move(socket)), "site connection");
  }
}

Task<> TlsSite::serve(TcpSocket socket) {
  auto stream = std::make_shared<Stream>(reactor_, std::move(socket), Side::client);
  Result<void> shaken = co_await stream->handshake(context_, TlsChannel::Role::server, {});
  if (!shaken) co_return;
  if (protocol_ == Speaks::http1) {
    co_await serve_http1(std::move(stream));
    co_return;
  }
  auto on_request = [this](std::shared_ptr<Http2Stream> request) {
    tasks_.spawn(answer_stream(std::move(request)), "site request");
  };
  Http2Limits limits;
  limits.extended_connect = websockets_in_http2_;
  auto connection = std::make_shared<Http2Connection>(std::move(stream), Http2Connection::Role::server, limits,
                                                      std::move(on_request));
  co_await connection->run(tasks_);
}

Task<> TlsSite::answer_stream(std::shared_ptr<Http2Stream> stream) {
  ++requests_;
  if (!stream->request()) co_return;
  const bool is_websocket = stream->request()->protocol == "websocket";
  if (is_websocket && stream->request()->head.target != "/nothing") {
    ++websockets_;
    co_await echo_websocket(*stream);
    co_return;
  }
  SiteRequest request;
  request.method = stream->request()->head.method_text;
  request.path = stream->request()->head.target;
  request.headers = stream->request()->head.headers;
  while (!is_websocket) {
    Result<std::string_view> piece = co_await stream->read();
    if (!piece) co_return;
    if (piece->empty()) break;
    request.body += *piece;
  }
  request.trailers = stream->trailers();
  const SiteAnswer answer = reply_(request);
  for (const int status : answer.informational) {
    ResponseHead early;
    early.status = status;
    stream->send_informational(early);
  }
  const ResponseHead head = head_of(answer);
  stream->send_response(head, answer.no_body);
  if (answer.no_body) co_return;
  const std::string piece(64 * 1024, 'x');
  while (answer.endless) {
    if (!stream->put(piece)) {
      Result<void> sent = co_await stream->sent(60s);
      if (!sent) {
        endless_ended_ = true;
        co_return;
      }
    }
    endless_bytes_ += piece.size();
  }
  if (!stream->put(answer.body)) co_await stream->sent(60s);
  stream->end(answer.trailers);
}

Task<> TlsSite::serve_http1(std::shared_ptr<Stream> stream) {
  RequestParser parser;
  std::string buffer(64 * 1024, '\0');
  std::string_view unparsed;
  for (;;) {
    SiteRequest request;
    for (bool done = false; !done;) {
      Result<ParseStep> step = parser.feed(unparsed);
      if (!step) co_return;
      unparsed.remove_prefix(step->consumed);
      request.body += step->body;
      done = step->event == ParseEvent::done;
      if (step->event != ParseEvent::need_more) continue;
      Result<std::size_t> got = co_await stream->read_some(std::span{buffer.data(), buffer.size()});
      if (!got || *got == 0) co_return;
      unparsed = {buffer.data(), *got};
    }
    ++requests_;
    request.method = parser.head().method_text;
    request.path = parser.head().target;
    request.headers = parser.head().headers;
    request.trailers = parser.trailers();
    parser.reset();
    if (const auto key = request.headers.find(HeaderId::sec_websocket_key); key && request.path != "/nothing") {
      ++websockets_;
      const std::string accept = websocket_accept(std::string{*key});
      co_await echo_websocket(*stream, accept, std::string{unparsed});
      co_return;
    }
    const SiteAnswer answer = reply_(request);
    Result<void> sent = co_await send_http1(*stream, answer);
    if (!sent) {
      endless_ended_ = true;
      co_return;
    }
  }
}

Task<Result<void>> TlsSite::send_http1(Stream& stream, const SiteAnswer& answer) {
  std::string out;
  for (const int status : answer.informational) {
    ResponseHead early;
    early.status = status;
    write_response_head(out, early);
  }
  ResponseHead head = head_of(answer);
  if (!answer.no_body) head.headers.set(HeaderId::transfer_encoding, "chunked");
  write_response_head(out, head);
  const std::string piece(64 * 1024, 'x');
  while (answer.endless) {
    write_chunk_start(out, piece.size());
    out += piece + "\r\n";
    Result<void> sent = co_await stream.write(out);
    if (!sent) co_return sent;
    endless_bytes_ += piece.size();
    out.clear();
  }
  if (!answer.no_body) {
    if (!answer.body.empty()) {
      write_chunk_start(out, answer.body.size());
      out += answer.body + "\r\n";
    }
    write_last_chunk(out, answer.trailers);
  }
  co_return co_await stream.write(out);
}

// --- the client

TlsPeer::TlsPeer(Reactor& reactor, std::uint16_t proxy_port, std::uint16_t site_port, Speaks protocol, std::string host)
    : reactor_(reactor),
      proxy_port_(proxy_port),
      site_port_(site_port),
      protocol_(protocol),
      host_(std::move(host)),
      tasks_(reactor.executor()) {}

TlsPeer::~TlsPeer() {
  if (http2_) http2_->close(Error{ErrorKind::cancelled, Side::self, "the test is over"});
}

Task<Result<void>> TlsPeer::connect() {
  TcpSocket socket{reactor_.executor()};
  const tcp::endpoint proxy{asio::ip::address_v4::loopback(), proxy_port_};
  auto [code] = co_await socket.async_connect(proxy, as_result);
  if (code) co_return from_system(code, Side::parent, "connecting");
  stream_ = std::make_shared<Stream>(reactor_, std::move(socket), Side::origin);
  const std::string ask =
      "CONNECT " + authority() + " HTTP/1.1\r\nHost: " + authority() + "\r\n" + connect_fields + "\r\n";
  Result<void> asked = co_await stream_->write(ask);
  if (!asked) co_return asked;
  std::string answer;
  while (!answer.ends_with("\r\n\r\n")) {
    char byte = 0;
    Result<std::size_t> got = co_await stream_->read_some(std::span{&byte, 1});
    if (!got || *got == 0) co_return Error{ErrorKind::closed_early, Side::parent, answer};
    answer += byte;
  }
  const std::string& offered = list_of(protocol_);
  // As browsers do: without the dot that a name may end with.
  const std::string name = host_.ends_with('.') ? host_.substr(0, host_.size() - 1) : host_;
  auto offer = [&offered, &name](SSL* ssl) -> Result<void> {
    SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(offered.data()),
                        static_cast<unsigned>(offered.size()));
    SSL_set_tlsext_host_name(ssl, name.c_str());
    return {};
  };
  const Stream::TlsPrepare prepare = offer;
  Result<void> shaken = co_await stream_->handshake(context_, TlsChannel::Role::client, prepare);
  if (!shaken) co_return shaken;
  const unsigned char* chosen = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(stream_->ssl(), &chosen, &length);
  if (std::string_view{reinterpret_cast<const char*>(chosen), length} != std::string_view{offered}.substr(1))
    co_return Error{ErrorKind::tls_failed, Side::parent, "another protocol was chosen"};
  if (protocol_ == Speaks::http2) {
    http2_ = std::make_shared<Http2Connection>(stream_, Http2Connection::Role::client, Http2Limits{});
    tasks_.spawn(http2_->run(tasks_), "peer");
  } else {
    http1_ = std::make_unique<HttpConnection>(stream_, HttpLimits{});
  }
  co_return Result<void>{};
}

RequestHead TlsPeer::head_of(const SiteRequest& request) const {
  RequestHead head;
  head.method = method_from(request.method);
  head.method_text = request.method;
  head.headers.add(HeaderId::host, authority());
  for (const HeaderField& field : request.headers) head.headers.add(field.name, field.value);
  return head;
}

Task<SiteAnswer> TlsPeer::ask(SiteRequest request) {
  return protocol_ == Speaks::http2 ? ask_http2(std::move(request)) : ask_http1(std::move(request));
}

Task<SiteAnswer> TlsPeer::ask_http2(SiteRequest request) {
  SiteAnswer answer;
  const RequestHead head = head_of(request);
  const std::shared_ptr<Http2Stream> stream = http2_->open();
  stream->send_request(head, "https", request.path, !request.has_body);
  if (request.has_body) {
    if (!stream->put(request.body)) co_await stream->sent(60s);
    stream->end(request.trailers);
  }
  for (;;) {
    Result<Http2Block::Response> got = co_await stream->next_head();
    answer.failed = !got;
    if (!got) co_return answer;
    answer.status = got->head.status;
    answer.headers = got->head.headers;
    if (!got->head.is_informational()) break;
    answer.informational.push_back(got->head.status);
  }
  for (;;) {
    Result<std::string_view> piece = co_await stream->read();
    answer.failed = !piece;
    if (!piece || piece->empty()) break;
    answer.body += *piece;
  }
  answer.trailers = stream->trailers();
  co_return answer;
}

Task<SiteAnswer> TlsPeer::ask_http1(SiteRequest request) {
  SiteAnswer answer;
  RequestHead head = head_of(request);
  if (request.has_body) head.headers.set(HeaderId::transfer_encoding, "chunked");
  std::string out;
  write_request_head(out, head, request.path);
  if (request.has_body) {
    if (!request.body.empty()) {
      write_chunk_start(out, request.body.size());
      out += request.body + "\r\n";
    }
    write_last_chunk(out, request.trailers);
  }
  http1_->begin(head.method);
  Result<void> sent = co_await stream_->write(out);
  answer.failed = !sent;
  if (!sent) co_return answer;
  for (;;) {
    Result<ResponseHead*> got = co_await http1_->read_head();
    answer.failed = !got;
    if (!got) co_return answer;
    answer.status = (*got)->status;
    answer.headers = (*got)->headers;
    if (!(*got)->is_informational()) break;
    answer.informational.push_back((*got)->status);
  }
  for (;;) {
    Result<std::string_view> piece = co_await http1_->read_body();
    answer.failed = !piece;
    if (!piece || piece->empty()) break;
    answer.body += *piece;
  }
  answer.trailers = http1_->parser().trailers();
  co_return answer;
}

}  // namespace outrider::testing
