#include "base/http_validator.hpp"

#include "base/http_chars.hpp"
#include "base/http_target.hpp"

#include <algorithm>
#include <optional>

namespace outrider {
namespace {

// The fields that decide where a message goes and where it ends, found in one pass.
struct FramingFields {
  std::string_view host, length, coding;  // the last of each
  std::size_t hosts = 0, lengths = 0, codings = 0;
  bool lengths_differ = false;
  std::string_view fault;  // of any field
};

FramingFields survey(const HeaderMap& headers) {
  FramingFields found;
  for (const HeaderField& field : headers) {
    // What is in the table of known names is a token.
    if (field.id == HeaderId::other && !is_token(field.name)) found.fault = "a field name is not a token";
    if (headers.may_hold_control() && !is_field_value(field.value)) found.fault = "a control byte in a field value";
    if (field.id == HeaderId::host) {
      ++found.hosts;
      found.host = field.value;
    } else if (field.id == HeaderId::transfer_encoding) {
      ++found.codings;
      found.coding = field.value;
    } else if (field.id == HeaderId::content_length) {
      found.lengths_differ = found.lengths_differ || (found.lengths > 0 && field.value != found.length);
      ++found.lengths;
      found.length = field.value;
    }
  }
  return found;
}

bool contains_chunked(std::string_view token) {
  constexpr std::string_view kChunked = "chunked";
  for (std::size_t at = 0; at + kChunked.size() <= token.size(); ++at)
    if (equal_ignoring_case(token.substr(at, kChunked.size()), kChunked)) return true;
  return false;
}

enum class Coding : std::uint8_t { chunked, unknown, deceptive };

// See the header for the three answers.
Coding judge_coding(std::string_view value) {
  if (equal_ignoring_case(value, "chunked")) return Coding::chunked;
  bool chunked_seen = false;
  while (true) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view element = trim_ows(value.substr(0, comma));
    if (chunked_seen || !is_token(element) || equal_ignoring_case(element, "identity")) return Coding::deceptive;
    chunked_seen = equal_ignoring_case(element, "chunked");
    if (!chunked_seen && contains_chunked(element)) return Coding::deceptive;
    if (comma == value.size()) return Coding::unknown;
    value.remove_prefix(comma + 1);
  }
}

Error client_error(ErrorKind kind, std::string_view why) {
  return {kind, Side::client, std::string{why}};
}
Error bad_request(std::string_view why) {
  return client_error(ErrorKind::bad_message, why);
}
Error bad_response(std::string_view why) {
  return {ErrorKind::bad_message, Side::origin, std::string{why}};
}

Result<BodyFraming> request_framing(const RequestHead& head, const FramingFields& fields) {
  if (fields.codings > 0) {
    if (head.version == HttpVersion::http10) return bad_request("Transfer-Encoding in an HTTP/1.0 request");
    if (fields.lengths > 0) return bad_request("both Transfer-Encoding and Content-Length");
    if (fields.codings > 1) return bad_request("more than one Transfer-Encoding field");
    if (head.method == Method::connect) return bad_request("a body announced with CONNECT");
    switch (judge_coding(fields.coding)) {
      case Coding::chunked:
        return BodyFraming{BodyFraming::Kind::chunked, 0};
      case Coding::unknown:
        return client_error(ErrorKind::unsupported, "a transfer coding other than chunked");
      case Coding::deceptive:
        return bad_request("a Transfer-Encoding that can be read in two ways");
    }
  }
  std::uint64_t length = 0;
  if (fields.lengths > 0) {
    if (fields.lengths > 1) return bad_request("more than one Content-Length field");
    const auto parsed = parse_content_length(fields.length);
    if (!parsed) return bad_request("Content-Length is not a number of bytes");
    length = *parsed;
  }
  if (head.method == Method::connect) {
    if (length > 0) return bad_request("a body announced with CONNECT");
    return BodyFraming{BodyFraming::Kind::tunnel, 0};
  }
  if (fields.lengths > 0) return BodyFraming{BodyFraming::Kind::length, length};
  return BodyFraming{};
}

}  // namespace

std::optional<std::uint64_t> parse_content_length(std::string_view text) {
  constexpr std::size_t kDigitsOfMax = 19;
  if (text.empty() || text.size() > kDigitsOfMax) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  if (value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return value;
}

bool is_token(std::string_view text) {
  const char* end = text.data() + text.size();
  return !text.empty() && skip_token(text.data(), end) == end;
}

bool is_field_value(std::string_view text) {
  const char* end = text.data() + text.size();
  const char* at = skip_text(text.data(), end);
  while (at != end && *at == '\t') at = skip_text(at + 1, end);
  return at == end;
}

Result<BodyFraming> validate_request(const RequestHead& head) {
  if (head.version == HttpVersion::http2) return client_error(ErrorKind::bad_version, "HTTP/2 on an HTTP/1 connection");
  if (!is_token(head.method_text)) return bad_request("the method is not a token");
  // The connection preface of HTTP/2 begins with this word so that nobody else uses it (RFC 9113 section 3.4).
  if (head.method_text == "PRI")
    return client_error(ErrorKind::unsupported, "the beginning of HTTP/2 where HTTP/1 is expected");
  if (const std::string_view fault = target_fault(head.method, head.target); !fault.empty()) return bad_request(fault);
  const FramingFields fields = survey(head.headers);
  if (!fields.fault.empty()) return bad_request(fields.fault);
  // RFC 9112 section 3.2.
  if (fields.hosts > 1) return bad_request("more than one Host field");
  if (fields.hosts == 0 && head.version == HttpVersion::http11) return bad_request("no Host field");
  if (fields.hosts == 1 && !is_host_and_port(fields.host, PortRule::optional))
    return bad_request("the Host field is not host[:port]");
  return request_framing(head, fields);
}

Result<BodyFraming> validate_response(const ResponseHead& head, Method request_method) {
  if (head.version == HttpVersion::http2) return bad_response("HTTP/2 on an HTTP/1 connection");
  if (head.status < 100 || head.status > 999) return bad_response("the status code is not a number from 100 to 999");
  if (!is_field_value(head.reason)) return bad_response("a control byte in the reason phrase");
  const FramingFields fields = survey(head.headers);
  if (!fields.fault.empty()) return bad_response(fields.fault);

  // RFC 9112 section 6.3, in its order.
  const bool opens_tunnel = request_method == Method::connect && head.status >= 200 && head.status < 300;
  if (opens_tunnel || head.status == 101) return BodyFraming{BodyFraming::Kind::tunnel, 0};
  if (fields.codings > 1 || (fields.codings == 1 && !equal_ignoring_case(fields.coding, "chunked")))
    return bad_response("a Transfer-Encoding other than chunked");
  const auto length = parse_content_length(fields.length);
  if (fields.lengths > 0 && (fields.lengths_differ || !length))
    return bad_response("Content-Length is not one number of bytes");
  if (request_method == Method::head || head.is_informational() || head.status == 204 || head.status == 304)
    return BodyFraming{};
  if (fields.codings > 0) return BodyFraming{BodyFraming::Kind::chunked, 0};
  if (fields.lengths > 0) return BodyFraming{BodyFraming::Kind::length, *length};
  return BodyFraming{BodyFraming::Kind::until_close, 0};
}

// Of a head that was found valid.
bool framing_is_doubtful(const ResponseHead& head) {
  int lengths = 0, codings = 0;
  std::string_view length;
  for (const HeaderField& field : head.headers) {
    if (field.id == HeaderId::transfer_encoding) ++codings;
    if (field.id != HeaderId::content_length) continue;
    ++lengths;
    length = field.value;
  }
  if (lengths > 1 || codings > 1) return true;
  if (codings > 0 && (lengths > 0 || head.version == HttpVersion::http10)) return true;
  const bool bodiless = head.is_informational() || head.status == 204;
  return bodiless && (codings > 0 || (lengths > 0 && parse_content_length(length) != std::uint64_t{0}));
}

TrailerRule trailer_rule(HeaderId id) {
  switch (id) {
    case HeaderId::content_length:
    case HeaderId::transfer_encoding:
    case HeaderId::host:
      return TrailerRule::refuse;  // no honest sender has a reason
    case HeaderId::age:
    case HeaderId::authorization:
    case HeaderId::cache_control:
    case HeaderId::connection:
    case HeaderId::content_encoding:
    case HeaderId::content_location:
    case HeaderId::content_range:
    case HeaderId::content_security_policy:
    case HeaderId::content_security_policy_report_only:
    case HeaderId::content_type:
    case HeaderId::cookie:
    case HeaderId::date:
    case HeaderId::expect:
    case HeaderId::expires:
    case HeaderId::forwarded:
    case HeaderId::if_match:
    case HeaderId::if_modified_since:
    case HeaderId::if_none_match:
    case HeaderId::if_range:
    case HeaderId::if_unmodified_since:
    case HeaderId::keep_alive:
    case HeaderId::location:
    case HeaderId::max_forwards:
    case HeaderId::origin:
    case HeaderId::pragma:
    case HeaderId::proxy_authenticate:
    case HeaderId::proxy_authorization:
    case HeaderId::proxy_connection:
    case HeaderId::range:
    case HeaderId::retry_after:
    case HeaderId::set_cookie:
    case HeaderId::strict_transport_security:
    case HeaderId::te:
    case HeaderId::trailer:
    case HeaderId::upgrade:
    case HeaderId::vary:
    case HeaderId::via:
    case HeaderId::warning:
    case HeaderId::www_authenticate:
    case HeaderId::x_forwarded_for:
      return TrailerRule::drop;
    default:
      return TrailerRule::keep;
  }
}

}  // namespace outrider
