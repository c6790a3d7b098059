// URLs in log lines. Deliberately not base/url: what fails to parse must not leak its password either.
#include "base/log.hpp"

#include "base/ascii.hpp"

#include <array>

namespace outrider::log {
namespace {

constexpr std::string_view kSlashes = "/\\";

bool is_one_of(std::string_view scheme, std::initializer_list<std::string_view> known) {
  const std::string name = ascii_lower(scheme);
  return std::find(known.begin(), known.end(), name) != known.end();
}

// Where the authority ("user:password@host:port") begins, or npos: no authority.
std::size_t authority_start(std::string_view url) {
  const auto after_slashes = [&](std::size_t at) { return std::min(url.find_first_not_of(kSlashes, at), url.size()); };
  const std::size_t colon = url.find_first_of(":/\\@");
  if (colon != std::string_view::npos && url[colon] == ':') {
    const std::size_t next = colon + 1;
    const bool slash_follows = next < url.size() && kSlashes.find(url[next]) != std::string_view::npos;
    // WHATWG URL: special schemes have an authority however many slashes there are.
    if (slash_follows || is_one_of(url.substr(0, colon), {"http", "https", "ws", "wss", "ftp"}))
      return after_slashes(next);
    return 0;  // "user:password@host:443"
  }
  const std::size_t slashes = after_slashes(0);
  return slashes == 1 ? std::string_view::npos : slashes;  // a path, or "//host" or "host"
}

// What follows a host is ":" and digits. If it is anything else, an unescaped "/", "?" or "#" has cut a password in two
// ("http://user:pass/word@host"): the offset from where nothing may be shown.
std::optional<std::size_t> text_after_host(std::string_view url, std::size_t start, std::size_t end) {
  const std::string_view authority = url.substr(start, end - start);
  const std::size_t bracket = authority.rfind(']');  // the colons of an IPv6 address are inside
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon == std::string_view::npos) return std::nullopt;
  if (authority.find_first_not_of("0123456789", colon + 1) == std::string_view::npos) return std::nullopt;
  return start + colon;
}

}  // namespace

std::string safe_url(std::string_view url) {
  std::string text;
  for (const char c : url.substr(0, url.find_first_of("?#"))) {
    if (c != '\t' && c != '\n' && c != '\r')
      text += c;  // the URL parser ignores them anywhere, so they could hide an "@"
  }
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));

  const std::size_t colon = text.find_first_of(":/\\@");
  const bool has_scheme = colon != std::string::npos && text[colon] == ':';
  if (has_scheme && is_one_of(std::string_view(text).substr(0, colon), {"data", "javascript", "mailto", "blob"})) {
    return text.substr(0, colon + 1);  // the rest is content, not an address
  }
  const std::size_t start = authority_start(text);
  if (start == std::string::npos) return text;
  const std::size_t end = std::min(text.find_first_of(kSlashes, start), text.size());
  const std::size_t at = end == start ? std::string::npos : text.rfind('@', end - 1);
  std::size_t host_end = end;
  if (at != std::string::npos && at >= start) {
    text.erase(start, at + 1 - start);
    host_end -= at + 1 - start;
  }
  if (const auto colon_at = text_after_host(text, start, host_end)) text.resize(*colon_at);
  return text;
}

}  // namespace outrider::log
