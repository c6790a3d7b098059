// Request and response heads as values, and how the length of a body is known.
#pragma once

#include "base/http_headers.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace outrider {

enum class HttpVersion : std::uint8_t { http10, http11, http2 };

enum class Method : std::uint8_t { get, head, post, put, del, connect, options, trace, patch, other };
std::string_view to_string(Method method);   // "" for Method::other
Method method_from(std::string_view token);  // case-sensitive (RFC 9110 section 9.1)
bool is_safe(Method method);                 // RFC 9110 section 9.2.1
bool is_idempotent(Method method);           // RFC 9110 section 9.2.2

struct RequestHead {
  Method method = Method::get;
  std::string method_text = "GET";  // always filled; for Method::other the only place of the name
  std::string target;               // as it stood in the request line
  HttpVersion version = HttpVersion::http11;
  HeaderMap headers;

  void set_method(Method m) {
    method = m;
    method_text = to_string(m);
  }
  void clear();  // ready for the next message, memory kept
};

struct ResponseHead {
  int status = 200;
  std::string reason;
  HttpVersion version = HttpVersion::http11;
  HeaderMap headers;

  bool is_informational() const { return status >= 100 && status < 200; }
  void clear();
};

// How the end of a body is recognised (RFC 9112 section 6.3).
struct BodyFraming {
  enum class Kind : std::uint8_t { none, length, chunked, until_close, tunnel };
  Kind kind = Kind::none;
  std::uint64_t length = 0;  // only with Kind::length

  bool has_body() const { return kind != Kind::none && !(kind == Kind::length && length == 0); }
  bool operator==(const BodyFraming&) const = default;
};

}  // namespace outrider
