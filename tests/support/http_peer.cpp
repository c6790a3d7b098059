#include "tests/support/http_peer.hpp"

#include <strings.h>

#include <algorithm>
#include <utility>

namespace outrider::testing {

std::string field_of(std::string_view head, std::string_view name) {
  std::string joined;
  for (std::size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at)) {
    at += 2;
    const std::string_view line = head.substr(at, head.find("\r\n", at) - at);
    const std::size_t colon = line.find(':');
    if (colon != name.size() || ::strncasecmp(line.data(), name.data(), colon) != 0) continue;
    const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
    joined.append(joined.empty() ? "" : ", ").append(line.substr(value));
  }
  return joined;
}

HttpPeer::HttpPeer(std::uint16_t proxy_port, const char* from)
    : socket_(RawSocket::connect(proxy_port, "127.0.0.1", from)) {}

void HttpPeer::send(std::string_view method, const std::string& url, const std::string& fields,
                    const std::string& body) {
  current_ = {};
  head_only_ = method == "HEAD";
  const std::size_t host = url.find("://") + 3;
  std::string text;
  text.append(method).append(" ").append(url).append(" HTTP/1.1\r\nHost: ");
  text.append(url.substr(host, url.find('/', host) - host)).append("\r\n").append(fields);
  if (!body.empty()) text.append("Content-Length: " + std::to_string(body.size()) + "\r\n");
  socket_.send(text.append("\r\n").append(body));
}

bool HttpPeer::more() {
  const std::string piece = ended_ ? std::string{} : socket_.read_some(std::chrono::seconds{60});
  ended_ = piece.empty();
  wire_ += piece;
  return !ended_;
}

void HttpPeer::begin_body() {
  const std::string length = current_.field("Content-Length");
  left_ = 0;
  if (head_only_ || current_.status == 204 || current_.status == 304) {
    framing_ = Framing::none;
    current_.complete = true;
  } else if (current_.field("Transfer-Encoding") == "chunked") {
    framing_ = Framing::chunked;
  } else if (!length.empty()) {
    framing_ = Framing::length;
    left_ = std::stoul(length);
    current_.complete = left_ == 0;
  } else {
    framing_ = Framing::until_close;
  }
}

const HttpAnswer& HttpPeer::head() {
  while (current_.status == 0) {
    const std::size_t end = wire_.find("\r\n\r\n");
    if (end == wire_.npos) {
      if (!more()) break;
      continue;
    }
    current_.head = wire_.substr(0, end + 4);
    wire_.erase(0, end + 4);
    current_.status = std::stoi(current_.head.substr(9, 3));
    begin_body();
  }
  return current_;
}

// Reads on from the line with the length of the next chunk. False: it is not there.
bool HttpPeer::next_chunk() {
  for (;;) {
    const std::size_t end = wire_.find("\r\n");
    if (end != wire_.npos) {
      left_ = std::stoul(wire_.substr(0, end), nullptr, 16);
      wire_.erase(0, end + 2);
      break;
    }
    if (!more()) return false;
  }
  if (left_ != 0) return true;
  std::string_view end_of_trailers = "\r\n";
  while (wire_.size() < 2 || (!wire_.starts_with("\r\n") && wire_.find("\r\n\r\n") == wire_.npos))
    if (!more()) return false;
  const std::size_t trailers = wire_.starts_with("\r\n") ? 0 : wire_.find("\r\n\r\n") + 2;
  wire_.erase(0, trailers + end_of_trailers.size());
  current_.complete = true;
  return true;
}

bool HttpPeer::next_piece() {
  if (framing_ == Framing::chunked && left_ == 0) {
    if (!next_chunk()) return false;
    if (current_.complete) return true;
  }
  if (wire_.empty() && !more()) {
    current_.complete = framing_ == Framing::until_close;
    return false;
  }
  const std::size_t take = framing_ == Framing::until_close ? wire_.size() : std::min(left_, wire_.size());
  current_.body.append(wire_, 0, take);
  wire_.erase(0, take);
  if (framing_ == Framing::until_close) return true;
  left_ -= take;
  if (left_ != 0) return true;
  if (framing_ == Framing::length) {
    current_.complete = true;
    return true;
  }
  while (wire_.size() < 2)
    if (!more()) return false;
  wire_.erase(0, 2);  // the end of the chunk's line
  return true;
}

const HttpAnswer& HttpPeer::body(std::size_t bytes) {
  if (head().status == 0) return current_;
  while (!current_.complete && current_.body.size() < bytes && next_piece()) {
  }
  return current_;
}

HttpAnswer HttpPeer::answer() {
  body(static_cast<std::size_t>(-1));
  return std::exchange(current_, {});
}

HttpAnswer HttpPeer::ask(std::string_view method, const std::string& url, const std::string& fields,
                         const std::string& body) {
  send(method, url, fields, body);
  return answer();
}

HttpAnswer get(std::uint16_t proxy_port, const std::string& url, const std::string& fields, const char* from) {
  HttpPeer peer{proxy_port, from};
  return peer.get(url, fields);
}

}  // namespace outrider::testing
