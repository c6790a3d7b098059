// Ordinary http and https URLs in one pass: lower-case names, nothing to encode, no dot segments. So are most links
// within a site: "/path" and "#part". Whatever is not ordinary is left to UrlParser, so this file can only be as wrong
// as what it accepts; tests parse every input both ways.
#include "base/url.hpp"
#include "base/url_percent.hpp"

#include <array>
#include <string_view>

namespace outrider {
namespace {

enum : std::uint8_t { kHostByte = 1, kPathByte = 2, kQueryByte = 4, kHashByte = 8 };

constexpr std::array<std::uint8_t, 256> make_table() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    const std::uint8_t encoded = detail::kEncodeTable[c];
    const auto free_of = [encoded](EncodeSet set) { return (encoded & static_cast<std::uint8_t>(set)) == 0; };
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_') table[c] |= kHostByte;
    if (free_of(EncodeSet::path) && c != '/' && c != '\\') table[c] |= kPathByte;  // '/' is looked at more closely
    if (free_of(EncodeSet::special_query)) table[c] |= kQueryByte;
    if (free_of(EncodeSet::fragment)) table[c] |= kHashByte;
  }
  return table;
}
constexpr std::array<std::uint8_t, 256> kTable = make_table();

inline bool is(char c, std::uint8_t kind) {
  return (kTable[static_cast<unsigned char>(c)] & kind) != 0;
}

// "192.0.2.1": four numbers in the one spelling that serialises to itself.
bool is_dotted_quad(std::string_view host) {
  for (int part = 1; part <= 4; ++part) {
    std::size_t digits = 0;
    unsigned value = 0;
    for (; digits < host.size() && digits < 4 && is_ascii_digit(host[digits]); ++digits)
      value = value * 10 + static_cast<unsigned>(host[digits] - '0');
    if (digits == 0 || digits > 3 || value > 255 || (digits > 1 && host[0] == '0')) return false;
    host.remove_prefix(digits);
    if (part == 4) return host.empty();
    if (host.empty() || host[0] != '.') return false;
    host.remove_prefix(1);
  }
  return false;
}

// Behind a path that needs nothing done to it, or nullptr.
const char* skip_path(const char* at, const char* end) {
  while (at != end && *at == '/') {
    ++at;
    if (at == end) break;
    if (*at == '.' || (*at == '%' && end - at > 2 && at[1] == '2' && (at[2] | 0x20) == 'e'))
      return nullptr;  // a dot segment?
    while (at != end && is(*at, kPathByte)) ++at;
  }
  return at;
}

const char* skip_query(const char* at, const char* end) {
  if (at == end || *at != '?') return at;
  for (++at; at != end && is(*at, kQueryByte);) ++at;
  return at;
}

const char* skip_hash(const char* at, const char* end) {
  if (at == end || *at != '#') return at;
  for (++at; at != end && is(*at, kHashByte);) ++at;
  return at;
}

}  // namespace

bool Url::parse_ordinary(std::string_view input, const Url& base, Url& url) {
  if (input.empty() || (input[0] != '/' && input[0] != '#')) return false;
  if (!base.is_http() || base.has_opaque_path_ || input.size() + base.href_.size() > kMaxBytes) return false;
  const bool has_path = input[0] == '/';
  if (has_path && input.size() > 1 && (input[1] == '/' || input[1] == '\\')) return false;  // a host follows
  const char* const begin = input.data();
  const char* const end = begin + input.size();
  const char* const path_end = has_path ? skip_path(begin, end) : begin;
  if (path_end == nullptr) return false;
  const char* const query_end = has_path ? skip_query(path_end, end) : begin;
  if (skip_hash(query_end, end) != end) return false;

  const std::uint32_t kept = has_path ? base.path_begin_ : base.query_end();
  const auto offset = [begin, kept](const char* place) { return kept + static_cast<std::uint32_t>(place - begin); };
  url.href_.reserve(kept + input.size());
  url.href_.assign(base.href_, 0, kept);
  url.href_.append(input);
  url.scheme_end_ = base.scheme_end_;
  url.user_end_ = base.user_end_;
  url.host_begin_ = base.host_begin_;
  url.host_end_ = base.host_end_;
  url.path_begin_ = base.path_begin_;
  url.query_begin_ = !has_path ? base.query_begin_ : query_end != path_end ? offset(path_end) : kAbsent;
  url.hash_begin_ = query_end != end ? offset(query_end) : kAbsent;
  url.port_ = base.port_;
  url.scheme_kind_ = base.scheme_kind_;
  url.host_kind_ = base.host_kind_;
  url.has_opaque_path_ = false;
  return true;
}

bool Url::parse_ordinary(std::string_view input, Url& url) {
  if (input.size() > kMaxBytes - 1) return false;
  const char* const begin = input.data();
  const char* const end = begin + input.size();
  const bool secure = input.starts_with("https://");
  if (!secure && !input.starts_with("http://")) return false;
  const char* at = begin + (secure ? 8 : 7);

  const char* const host_begin = at;
  const char* label = at;  // start of the last label
  for (; at != end && is(*at, kHostByte); ++at)
    if (*at == '.') label = at + 1;
  const char* const host_end = at;
  // Empty names, names with a final dot and names whose last label may be a number are not ordinary; an address as it
  // is usually written is.
  if (label == host_end) return false;
  const bool address = is_ascii_digit(*label);
  if (address && !is_dotted_quad({host_begin, host_end})) return false;

  std::uint32_t port = kAbsent;
  if (at != end && *at == ':') {
    ++at;
    if (at == end || *at < '1' || *at > '9') return false;
    for (port = 0; at != end && is_ascii_digit(*at) && port <= 0xFFFF; ++at) port = port * 10 + hex_value(*at);
    if (port > 0xFFFF || port == (secure ? 443U : 80U)) return false;
  }
  const char* const path_begin = at;
  at = skip_path(at, end);
  if (at == nullptr) return false;
  const char* const path_end = at;
  const char* const query_end = at = skip_query(at, end);
  at = skip_hash(at, end);
  if (at != end) return false;

  const auto offset = [begin](const char* place) { return static_cast<std::uint32_t>(place - begin); };
  const std::uint32_t added = path_begin == path_end ? 1 : 0;  // the slash of an empty path
  if (added == 0) {
    url.href_.assign(input);
  } else {
    url.href_.reserve(input.size() + 1);
    url.href_.assign(begin, path_begin);
    url.href_.push_back('/');
    url.href_.append(path_begin, end);
  }
  url.scheme_end_ = secure ? 5 : 4;
  url.user_end_ = url.host_begin_ = offset(host_begin);
  url.host_end_ = offset(host_end);
  url.path_begin_ = offset(path_begin);
  url.query_begin_ = query_end != path_end ? offset(path_end) + added : kAbsent;
  url.hash_begin_ = query_end != end ? offset(query_end) + added : kAbsent;
  url.port_ = port;
  url.scheme_kind_ = secure ? UrlScheme::https : UrlScheme::http;
  url.host_kind_ = address ? HostKind::ipv4 : HostKind::domain;
  url.has_opaque_path_ = false;
  return true;
}

}  // namespace outrider
