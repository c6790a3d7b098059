#include "cache/graph_keys.hpp"

#include "cache/key.hpp"

namespace outrider::graph {
namespace {

constexpr std::string_view kEnd{"\0\1", 2};
constexpr std::string_view kEscapedNul{"\0\xff", 2};
constexpr std::string_view kHexDigits = "0123456789abcdef";

// Up to and including the next NUL SOH.
std::optional<std::string_view> take_delimited(std::string_view& key, std::size_t from) {
  for (std::size_t nul = from; (nul = key.find('\0', nul)) != key.npos; nul += 2) {
    if (key.substr(nul, 2) != kEnd) continue;
    const std::string_view taken = key.substr(0, nul + 2);
    key.remove_prefix(nul + 2);
    return taken;
  }
  return std::nullopt;
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t nul; (nul = text.find('\0')) != text.npos; text.remove_prefix(nul + 2))
    plain.append(text.substr(0, nul + 1));
  return plain.append(text);
}

}  // namespace

std::string open_space() {
  return "o";
}

std::string personal_space(std::string_view user) {
  std::string space = "p";
  for (std::size_t nul; (nul = user.find('\0')) != user.npos; user.remove_prefix(nul + 1))
    space.append(user.substr(0, nul)).append(kEscapedNul);
  return space.append(user).append(kEnd);
}

std::string space_of(const PageRef& page) {
  return page.storage == StorageClass::personal ? personal_space(page.owner) : open_space();
}

std::vector<std::string> seen_from(std::string_view space) {
  std::vector<std::string> spaces{std::string{space}};
  if (space != open_space()) spaces.push_back(open_space());
  return spaces;
}

std::string resource_of(const Url& url) {
  if (!url.is_http()) return {};
  return CacheKey::path_prefix(url, url.path_and_query()).append(kEnd);
}

std::string resource_of(std::string_view url) {
  const Result<Url> parsed = Url::parse(url);
  return parsed ? resource_of(*parsed) : std::string{};
}

std::string url_of(std::string_view resource) {
  CacheKey key;
  key.bytes = resource;
  return key.url();
}

std::string site_of(std::string_view host) {
  const std::size_t bracket = host.rfind(']');
  if (host.find(':', bracket == host.npos ? 0 : bracket) != host.npos) return {};  // one port is not the site
  const Result<Url> url = Url::parse("http://" + std::string{host} + "/");
  if (!url || url->hostname().empty() || url->pathname() != "/" || !url->search().empty()) return {};
  return CacheKey::site_prefix(url->hostname(), url->host_kind());
}

std::string host_of(std::string_view prefix) {
  static constexpr std::string_view kRootOnPort80{"\0\0Ph/\0\1", 7};
  const Result<Url> url = Url::parse(url_of(std::string{prefix.substr(0, prefix.find('\0'))}.append(kRootOnPort80)));
  return url ? std::string{url->hostname()} : std::string{};
}

std::optional<std::string_view> take_space(std::string_view& key) {
  if (key.empty()) return std::nullopt;
  if (key.front() == 'p') return take_delimited(key, 1);
  if (key.front() != 'o') return std::nullopt;
  const std::string_view space = key.substr(0, 1);
  key.remove_prefix(1);
  return space;
}

std::optional<std::string_view> take_resource(std::string_view& key) {
  // Behind the NUL that ends the host are two bytes of port, which may be anything.
  const std::size_t host = key.find('\0');
  if (host == key.npos || host + 4 > key.size()) return std::nullopt;
  return take_delimited(key, host + 3);
}

std::optional<PageRef> page_of(std::string_view key) {
  const auto space = take_space(key);
  if (!space) return std::nullopt;
  PageRef page;
  page.url = url_of(key);
  if (page.url.empty()) return std::nullopt;
  if (space->front() == 'p') {
    page.storage = StorageClass::personal;
    page.owner = unescaped(space->substr(1, space->size() - 3));
  }
  return page;
}

void append_number(std::string& key, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(number >> shift & 0xff));
}

std::uint64_t number_at_end(std::string_view key) {
  std::uint64_t number = 0;
  if (key.size() < 8) return 0;
  for (const char byte : key.substr(key.size() - 8)) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::optional<std::string> behind(std::string_view prefix) {
  std::string next{prefix};
  while (!next.empty() && next.back() == '\xff') next.pop_back();
  if (next.empty()) return std::nullopt;
  next.back() = static_cast<char>(static_cast<unsigned char>(next.back()) + 1);
  return next;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    text.push_back(kHexDigits[static_cast<unsigned char>(byte) >> 4]);
    text.push_back(kHexDigits[static_cast<unsigned char>(byte) & 15]);
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    const std::size_t high = kHexDigits.find(text[at]);
    const std::size_t low = kHexDigits.find(text[at + 1]);
    if (high == kHexDigits.npos || low == kHexDigits.npos) return std::nullopt;
    bytes.push_back(static_cast<char>(high << 4 | low));
  }
  return bytes;
}

}  // namespace outrider::graph
