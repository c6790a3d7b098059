// Heads in HTTP/2 (RFC 9113 section 8): a header block becomes the same typed head that HTTP/1 gives, held against the
// same grammar (base/http_validator, base/http_target), and a head becomes the fields of a block. nghttp2 checks much
// of this too; what others rely on is decided here. Pure functions, no connection.
#pragma once

#include "base/error.hpp"
#include "base/http_codec.hpp"
#include "base/http_message.hpp"

#include <nghttp2/nghttp2.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// A header block while it is decoded, field by field. Nothing over a limit is kept.
class Http2Block {
 public:
  explicit Http2Block(const HttpLimits& limits) : limits_(limits) {}

  void clear();
  void add(std::string_view name, std::string_view value);

  bool too_large() const { return too_large_; }
  std::string_view fault() const { return fault_; }  // why it is malformed; "" = it is not

  // What the block says, as a whole. `ended`: nothing follows it.
  struct Request {
    RequestHead head;  // target: the path, or the authority for CONNECT; Host is the authority
    BodyFraming framing;
    std::string scheme;
    std::string protocol;  // of an extended CONNECT (RFC 8441): "websocket"
  };
  struct Response {
    ResponseHead head;
    BodyFraming framing;
  };
  // Failures: bad_message, head_too_large, target_too_long; Side::client.
  Result<Request> take_request(bool ended);
  // Failures: bad_message, head_too_large; Side::origin.
  Result<Response> take_response(bool ended, Method request_method);
  // Failures: the same. What may not stand in a trailer section is left out.
  Result<HeaderMap> take_trailers(Side side);

 private:
  void add_pseudo(std::string_view name, std::string_view value);
  std::optional<Error> verdict(Side side) const;

  HttpLimits limits_;
  std::string method_, scheme_, authority_, path_, protocol_, status_;
  std::string cookie_;  // its crumbs, put together (RFC 9113 section 8.2.3)
  HeaderMap fields_;
  std::size_t bytes_ = 0;
  std::size_t count_ = 0;
  unsigned pseudo_seen_ = 0;  // one bit each
  std::string_view fault_;
  bool too_large_ = false;
};

// The fields of a block on their way out: names in lower case, nothing that is about the connection (RFC 9113 section
// 8.2.2). Points into the head it was made from.
class Http2Fields {
 public:
  Http2Fields() = default;
  Http2Fields(const Http2Fields&) = delete;  // what is in it points into it
  Http2Fields& operator=(const Http2Fields&) = delete;

  // One of them, once. `protocol`: of an extended CONNECT (RFC 8441), which it then is; "" = an ordinary request.
  void set_request(const RequestHead& head, std::string_view scheme, std::string_view path,
                   std::string_view protocol = {});
  void set_response(const ResponseHead& head);
  void set_trailers(const HeaderMap& trailers);

  const nghttp2_nv* data() const { return fields_.data(); }
  std::size_t size() const { return fields_.size(); }

 private:
  void reserve(const HeaderMap& headers);
  void add(std::string_view name, std::string_view value, std::uint8_t flags = NGHTTP2_NV_FLAG_NONE);
  void add_all(const HeaderMap& headers);

  std::string names_;  // the names in lower case; never grows beyond what was reserved
  std::string status_;
  std::vector<nghttp2_nv> fields_;
};

}  // namespace outrider
