// A client's bytes into a server session: nothing crashes, what waits is bounded, and no request gets through that the
// grammar of HTTP/1 would refuse.
#include "base/http2_connection.hpp"
#include "base/http_validator.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>

namespace outrider {

struct Http2Probe {
  static bool receive(Http2Connection& connection, std::string_view bytes) { return connection.receive(bytes); }
  static std::size_t pump(Http2Connection& connection) {
    connection.pump();
    const std::size_t size = connection.out_.size();
    connection.out_.clear();
    return size;
  }
  static std::size_t buffered(const Http2Connection& connection) { return connection.buffered_; }
};

namespace {

void answer(Http2Stream& stream) {
  if (!stream.request()) {
    stream.reset(NGHTTP2_REFUSED_STREAM);
    return;
  }
  const RequestHead& head = stream.request()->head;
  require(is_token(head.method_text));
  require(head.target.find_first_of("\r\n \t") == std::string::npos && !head.target.empty());
  require(head.headers.count(HeaderId::host) == 1);
  for (const HeaderField& field : head.headers) require(is_token(field.name) && is_field_value(field.value));
  require(!head.headers.has(HeaderId::connection) && !head.headers.has(HeaderId::transfer_encoding));
  const ResponseHead response;
  stream.send_response(response, false);
  while (auto piece = stream.read_now()) {
    if (!*piece || (*piece)->empty()) break;
    if (!stream.put(**piece)) break;
  }
  stream.end({});
}

}  // namespace
}  // namespace outrider

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  static Reactor reactor;
  auto stream = std::make_shared<Stream>(reactor, TcpSocket{reactor.executor()}, Side::client);
  Http2Limits limits;
  limits.extended_connect = true;
  auto connection = std::make_shared<Http2Connection>(stream, Http2Connection::Role::server, limits,
                                                      [](std::shared_ptr<Http2Stream> s) { answer(*s); });
  std::string_view rest{reinterpret_cast<const char*>(data), size};
  constexpr std::size_t kAtOnce = 97;  // frames are cut anywhere
  while (!rest.empty()) {
    const std::string piece{rest.substr(0, kAtOnce)};
    rest.remove_prefix(piece.size());
    const bool goes_on = Http2Probe::receive(*connection, piece);
    require(Http2Probe::pump(*connection) < 256 * 1024);
    require(Http2Probe::buffered(*connection) <= limits.connection_window + limits.buffered);
    if (!goes_on) break;
  }
  connection->close(Error{ErrorKind::cancelled, Side::self, ""});
  return 0;
}
