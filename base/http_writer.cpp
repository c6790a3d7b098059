#include "base/http_writer.hpp"

#include "base/http_chars.hpp"

#include <array>

namespace outrider {
namespace {

// Start lines are text too that somebody may have set: a line break in them must not begin a new line on the wire.
void append_line_text(std::string& out, std::string_view text) {
  if (!holds_control(text)) {
    out += text;
    return;
  }
  for (const char c : text) out += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
}

}  // namespace

void write_request_head(std::string& out, const RequestHead& head, std::string_view target) {
  append_line_text(out, head.method_text);
  out += ' ';
  append_line_text(out, target);
  out += " HTTP/1.1\r\n";
  head.headers.append_wire(out);
  out += "\r\n";
}

void write_response_head(std::string& out, const ResponseHead& head) {
  const int status = head.status >= 100 && head.status <= 999 ? head.status : 500;
  out += "HTTP/1.1 ";
  out += static_cast<char>('0' + status / 100);
  out += static_cast<char>('0' + status / 10 % 10);
  out += static_cast<char>('0' + status % 10);
  out += ' ';  // required even if the reason is empty (RFC 9112 section 4)
  append_line_text(out, head.reason);
  out += "\r\n";
  head.headers.append_wire(out);
  out += "\r\n";
}

void write_chunk_start(std::string& out, std::size_t size) {
  std::array<char, 2 * sizeof size> digits;
  std::size_t first = digits.size();
  do {
    digits[--first] = "0123456789abcdef"[size & 15];
    size >>= 4;
  } while (size != 0);
  out.append(digits.data() + first, digits.size() - first);
  out += "\r\n";
}

void write_last_chunk(std::string& out, const HeaderMap& trailers) {
  out += "0\r\n";
  trailers.append_wire(out);
  out += "\r\n";
}

std::string_view default_reason(int status) {
  switch (status) {
    // clang-format off
    case 100: return "Continue";
    case 101: return "Switching Protocols";
    case 102: return "Processing";
    case 103: return "Early Hints";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 203: return "Non-Authoritative Information";
    case 204: return "No Content";
    case 205: return "Reset Content";
    case 206: return "Partial Content";
    case 207: return "Multi-Status";
    case 208: return "Already Reported";
    case 226: return "IM Used";
    case 300: return "Multiple Choices";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 305: return "Use Proxy";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 402: return "Payment Required";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 407: return "Proxy Authentication Required";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 423: return "Locked";
    case 424: return "Failed Dependency";
    case 425: return "Too Early";
    case 426: return "Upgrade Required";
    case 428: return "Precondition Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 451: return "Unavailable For Legal Reasons";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    case 506: return "Variant Also Negotiates";
    case 507: return "Insufficient Storage";
    case 508: return "Loop Detected";
    case 511: return "Network Authentication Required";
    default: return {};
      // clang-format on
  }
}

}  // namespace outrider
