#include "base/http2_message.hpp"

#include "base/http_chars.hpp"
#include "base/http_target.hpp"
#include "base/http_validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace outrider {
namespace {

enum Pseudo : unsigned { kMethod = 1, kScheme = 2, kAuthority = 4, kPath = 8, kProtocol = 16, kStatus = 32 };

// About one connection, which HTTP/2 says in its own way (RFC 9113 section 8.2.2).
bool is_connection_specific(HeaderId id) {
  switch (id) {
    case HeaderId::connection:
    case HeaderId::keep_alive:
    case HeaderId::proxy_connection:
    case HeaderId::transfer_encoding:
    case HeaderId::upgrade:
      return true;
    default:
      return false;
  }
}

bool has_upper_case(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_white(char c) {
  return c == ' ' || c == '\t';
}

Result<BodyFraming> framing_of(const HeaderMap& headers, bool ended, Side side) {
  if (headers.count(HeaderId::content_length) > 1)
    return Error{ErrorKind::bad_message, side, "more than one Content-Length field"};
  if (const auto text = headers.find(HeaderId::content_length)) {
    const std::optional<std::uint64_t> length = parse_content_length(*text);
    if (!length) return Error{ErrorKind::bad_message, side, "Content-Length is not a number of bytes"};
    return BodyFraming{BodyFraming::Kind::length, *length};
  }
  if (ended) return BodyFraming{};
  return BodyFraming{BodyFraming::Kind::chunked, 0};  // its end is told in the frames
}

Error bad_request(std::string_view why) {
  return Error{ErrorKind::bad_message, Side::client, std::string{why}};
}

}  // namespace

void Http2Block::clear() {
  for (std::string* text : {&method_, &scheme_, &authority_, &path_, &protocol_, &status_, &cookie_}) text->clear();
  fields_.clear();
  bytes_ = count_ = 0;
  pseudo_seen_ = 0;
  fault_ = {};
  too_large_ = false;
}

void Http2Block::add(std::string_view name, std::string_view value) {
  bytes_ += name.size() + value.size();
  ++count_;
  const std::size_t allowed = limits_.header_bytes + limits_.target_bytes;
  if (bytes_ > allowed || count_ > limits_.header_count + 5) too_large_ = true;  // five: the pseudo fields
  if (too_large_ || !fault_.empty()) return;
  if (name.starts_with(':')) {
    add_pseudo(name, value);
    return;
  }
  const HeaderId id = header_id(name);
  if (!is_token(name) || has_upper_case(name)) {
    fault_ = "a field name is not a token in lower case";
  } else if (!is_field_value(value)) {
    fault_ = "a control byte in a field value";
  } else if (!value.empty() && (is_white(value.front()) || is_white(value.back()))) {
    fault_ = "white space around a field value";
  } else if (is_connection_specific(id)) {
    fault_ = "a field that is about the connection";
  } else if (id == HeaderId::te && !equal_ignoring_case(value, "trailers")) {
    fault_ = "TE with anything but trailers";
  } else if (id == HeaderId::cookie) {
    if (!cookie_.empty()) cookie_ += "; ";
    cookie_ += value;
  } else {
    fields_.add(name, value);
  }
}

void Http2Block::add_pseudo(std::string_view name, std::string_view value) {
  struct Known {
    std::string_view name;
    unsigned bit;
    std::string* text;
  };
  const std::array<Known, 6> known = {
      Known{":method", kMethod, &method_},          Known{":scheme", kScheme, &scheme_},
      Known{":authority", kAuthority, &authority_}, Known{":path", kPath, &path_},
      Known{":protocol", kProtocol, &protocol_},    Known{":status", kStatus, &status_}};
  const auto found = std::find_if(known.begin(), known.end(), [name](const Known& k) { return k.name == name; });
  if (found == known.end()) {
    fault_ = "a pseudo field that does not exist";
  } else if (!fields_.empty() || !cookie_.empty()) {
    fault_ = "a pseudo field behind other fields";
  } else if ((pseudo_seen_ & found->bit) != 0) {
    fault_ = "a pseudo field twice";
  } else if (!is_field_value(value)) {
    fault_ = "a control byte in a pseudo field";
  } else {
    pseudo_seen_ |= found->bit;
    *found->text = value;
  }
}

std::optional<Error> Http2Block::verdict(Side side) const {
  if (!fault_.empty()) return Error{ErrorKind::bad_message, side, std::string{fault_}};
  if (too_large_) return Error{ErrorKind::head_too_large, side, "the header fields are larger than allowed"};
  return std::nullopt;
}

Result<Http2Block::Request> Http2Block::take_request(bool ended) {
  if (std::optional<Error> error = verdict(Side::client)) return *error;
  Request request;
  RequestHead& head = request.head;
  if (!is_token(method_)) return bad_request("the method is not a token");
  head.method = method_from(method_);
  head.method_text = method_;
  head.version = HttpVersion::http2;
  const bool connect = head.method == Method::connect;
  const bool extended = (pseudo_seen_ & kProtocol) != 0;
  if ((pseudo_seen_ & kStatus) != 0) return bad_request(":status in a request");
  if (extended && !connect) return bad_request(":protocol without CONNECT");
  if (extended && !is_token(protocol_)) return bad_request("the protocol is not a token");
  const unsigned needed = connect && !extended ? unsigned{kAuthority} : kScheme | kPath;
  const unsigned forbidden = connect && !extended ? kScheme | kPath : 0U;
  if ((pseudo_seen_ & needed) != needed || (pseudo_seen_ & forbidden) != 0)
    return bad_request("pseudo fields that do not belong to the method, or lack");
  if (path_.size() > limits_.target_bytes)
    return Error{ErrorKind::target_too_long, Side::client, "the path is longer than allowed"};

  // RFC 9113 section 8.3.1: Host may come too, but it must not say anything else.
  if (fields_.count(HeaderId::host) > 1) return bad_request("more than one Host field");
  const std::string host{fields_.find(HeaderId::host).value_or("")};
  if (authority_.empty()) authority_ = host;
  if (!host.empty() && !equal_ignoring_case(host, authority_)) return bad_request("Host and :authority differ");
  if (!is_host_and_port(authority_, connect && !extended ? PortRule::required : PortRule::optional))
    return bad_request("the authority is not host[:port]");
  head.target = connect && !extended ? authority_ : path_;
  if (!connect || extended) {
    const Method method = extended ? Method::get : head.method;
    if (const std::string_view fault = target_fault(method, path_); !fault.empty()) return bad_request(fault);
    if (path_ != "*" && !path_.starts_with('/')) return bad_request("the path does not begin with /");
  }
  const Result<BodyFraming> framing = framing_of(fields_, ended, Side::client);
  if (!framing) return framing.error();
  request.framing = *framing;
  if (connect) request.framing = BodyFraming{BodyFraming::Kind::tunnel, 0};
  head.headers.add(HeaderId::host, authority_);
  for (const HeaderField& field : fields_)
    if (field.id != HeaderId::host) head.headers.add(field.name, field.value);
  if (!cookie_.empty()) head.headers.add(HeaderId::cookie, cookie_);
  request.scheme = std::move(scheme_);
  request.protocol = std::move(protocol_);
  return request;
}

Result<Http2Block::Response> Http2Block::take_response(bool ended, Method request_method) {
  if (std::optional<Error> error = verdict(Side::origin)) return *error;
  const auto bad = [](std::string_view why) { return Error{ErrorKind::bad_message, Side::origin, std::string{why}}; };
  if (pseudo_seen_ != kStatus) return bad("pseudo fields other than :status");
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (status_.size() != 3 || !std::all_of(status_.begin(), status_.end(), digit) || status_[0] == '0')
    return bad("the status code is not a number from 100 to 999");
  Response response;
  ResponseHead& head = response.head;
  head.status = (status_[0] - '0') * 100 + (status_[1] - '0') * 10 + (status_[2] - '0');
  head.version = HttpVersion::http2;
  if (head.status == 101) return bad("101 does not exist in HTTP/2");  // RFC 9113 section 8.6
  if (head.is_informational() && ended) return bad("an informational response that ends the stream");
  Result<BodyFraming> framing = framing_of(fields_, ended, Side::origin);
  if (!framing) return framing.error();
  response.framing = *framing;
  if (request_method == Method::head || head.is_informational() || head.status == 204 || head.status == 304) {
    response.framing = BodyFraming{};
  } else if (ended && framing->kind == BodyFraming::Kind::none) {
    response.framing = BodyFraming{BodyFraming::Kind::length, 0};
  }
  head.headers = std::move(fields_);
  if (!cookie_.empty()) head.headers.add(HeaderId::cookie, cookie_);
  return response;
}

Result<HeaderMap> Http2Block::take_trailers(Side side) {
  if (std::optional<Error> error = verdict(side)) return *error;
  if (pseudo_seen_ != 0) return Error{ErrorKind::bad_message, side, "a pseudo field in a trailer section"};
  if (fields_.bytes() > limits_.trailer_bytes)
    return Error{ErrorKind::head_too_large, side, "the trailer section is larger than allowed"};
  HeaderMap kept;
  for (const HeaderField& field : fields_) {
    const TrailerRule rule = trailer_rule(field.id);
    if (rule == TrailerRule::refuse)
      return Error{ErrorKind::bad_message, side, "a field in the trailer section that may not stand there"};
    if (rule == TrailerRule::keep) kept.add(field.name, field.value);
  }
  return kept;
}

void Http2Fields::reserve(const HeaderMap& headers) {
  names_.reserve(headers.bytes() + 1);
  fields_.reserve(headers.size() + 5);
}

void Http2Fields::add(std::string_view name, std::string_view value, std::uint8_t flags) {
  // nghttp2 does not write to what it is given.
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  fields_.push_back(nghttp2_nv{bytes(name), bytes(value), name.size(), value.size(), flags});
}

void Http2Fields::add_all(const HeaderMap& headers) {
  for (const HeaderField& field : headers) {
    if (is_connection_specific(field.id) || field.id == HeaderId::host) continue;
    if (field.id == HeaderId::sec_websocket_key) continue;  // of the handshake of HTTP/1 (RFC 8441 section 5)
    if (headers.may_hold_control() && !is_field_value(field.value)) continue;  // nobody's message ends early
    const std::size_t at = names_.size();
    for (const char c : field.name) names_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    const std::string_view name{names_.data() + at, field.name.size()};
    // A credential is never put into the compression table, where somebody could find it out by guessing (RFC 7541
    // section 7.1.3).
    const bool secret = field.id == HeaderId::authorization || field.id == HeaderId::proxy_authorization;
    add(name, field.value, secret ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE);
  }
}

void Http2Fields::set_request(const RequestHead& head, std::string_view scheme, std::string_view path,
                              std::string_view protocol) {
  reserve(head.headers);
  add(":method", protocol.empty() ? std::string_view{head.method_text} : "CONNECT");
  if (!protocol.empty()) add(":protocol", protocol);
  add(":scheme", scheme);
  add(":authority", head.headers.find(HeaderId::host).value_or(""));
  add(":path", path);
  add_all(head.headers);
}

void Http2Fields::set_response(const ResponseHead& head) {
  reserve(head.headers);
  status_ = fmt::format("{}", head.status);
  add(":status", status_);
  add_all(head.headers);
}

void Http2Fields::set_trailers(const HeaderMap& trailers) {
  reserve(trailers);
  add_all(trailers);
}

}  // namespace outrider
