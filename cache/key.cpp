#include "cache/key.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr std::string_view kEndOfPath{"\0\1", 2};
constexpr std::string_view kEscapedNul{"\0\xff", 2};
// "example.com.", with its final dot, is another name for the same host, and has entries of its own. So that whoever
// means the site means them, too, they lie under it, like a subdomain that nobody can have.
constexpr std::string_view kFinalDot{"\1", 1};

void append_label(std::string& out, std::string_view label) {
  out.append(label).push_back('.');
}

void append_host(std::string& out, std::string_view host, HostKind kind) {
  if (kind == HostKind::ipv6) return append_label(out, host);  // has its brackets
  if (kind == HostKind::ipv4) {
    out.push_back('[');
    out.append(host).append("].");
    return;
  }
  const bool has_final_dot = host.size() > 1 && host.ends_with('.');
  if (has_final_dot) host.remove_suffix(1);
  for (std::size_t dot; (dot = host.rfind('.')) != host.npos; host = host.substr(0, dot))
    append_label(out, host.substr(dot + 1));
  append_label(out, host);
  if (has_final_dot) append_label(out, kFinalDot);
}

void append_origin(std::string& out, const Url& url) {
  append_host(out, url.hostname(), url.host_kind());
  const std::uint16_t port = url.effective_port();
  out.push_back('\0');
  out.push_back(static_cast<char>(port >> 8));
  out.push_back(static_cast<char>(port & 0xff));
  switch (url.scheme_kind()) {
    case UrlScheme::http:
      out.push_back('h');
      break;
    case UrlScheme::https:
      out.push_back('s');
      break;
    default:
      out.append("x").append(url.scheme()).append(":");
  }
}

// A NUL cannot come over the wire, but a key must be unambiguous whatever it is made from.
void append_path(std::string& out, std::string_view path) {
  for (std::size_t nul; (nul = path.find('\0')) != path.npos; path.remove_prefix(nul + 1))
    out.append(path.substr(0, nul)).append(kEscapedNul);
  out.append(path);
}

struct Parts {
  std::string_view host;  // reversed labels
  std::uint16_t port = 0;
  std::string_view scheme;
  std::string_view path;  // escaped
};

// Where the part that all partitions share ends; 0 if these are no key.
std::size_t take_apart(std::string_view bytes, Parts& parts) {
  const std::size_t end_of_host = bytes.find('\0');
  if (end_of_host == bytes.npos || end_of_host == 0 || bytes[end_of_host - 1] != '.') return 0;
  if (bytes.size() < end_of_host + 4) return 0;
  parts.host = bytes.substr(0, end_of_host);
  parts.port = static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[end_of_host + 1]) << 8 |
                                          static_cast<unsigned char>(bytes[end_of_host + 2]));
  std::size_t at = end_of_host + 4;
  switch (bytes[at - 1]) {
    case 'h':
      parts.scheme = "http";
      break;
    case 's':
      parts.scheme = "https";
      break;
    case 'x': {
      const std::size_t colon = bytes.find(':', at);
      if (colon == bytes.npos) return 0;
      parts.scheme = bytes.substr(at, colon - at);
      at = colon + 1;
      break;
    }
    default:
      return 0;
  }
  for (std::size_t nul = at; (nul = bytes.find('\0', nul)) != bytes.npos; nul += 2) {
    const std::string_view mark = bytes.substr(nul, 2);
    if (mark == kEndOfPath) {
      parts.path = bytes.substr(at, nul - at);
      return nul + 2;
    }
    if (mark != kEscapedNul) return 0;
  }
  return 0;
}

void append_host_for_people(std::string& out, std::string_view reversed) {
  reversed.remove_suffix(1);  // the final '.'
  if (reversed.starts_with('[')) {
    const bool v6 = reversed.find(':') != reversed.npos;
    out.append(v6 ? reversed : reversed.substr(1, reversed.size() - 2));
    return;
  }
  const bool has_final_dot = reversed.ends_with(kFinalDot);
  if (has_final_dot) reversed.remove_suffix(std::min(reversed.size(), kFinalDot.size() + 1));
  for (std::size_t dot; (dot = reversed.rfind('.')) != reversed.npos; reversed = reversed.substr(0, dot))
    out.append(reversed.substr(dot + 1)).push_back('.');
  out.append(reversed);
  if (has_final_dot) out.push_back('.');
}

}  // namespace

CacheKey CacheKey::of(const Url& url, std::string_view path_and_query, std::string_view partition,
                      const SipKey& secret) {
  CacheKey key;
  key.bytes.reserve(url.hostname().size() + path_and_query.size() + partition.size() + 16);
  append_origin(key.bytes, url);
  append_path(key.bytes, path_and_query);
  key.bytes.append(kEndOfPath).append(partition);
  key.hash = siphash128(secret, key.bytes).low;
  return key;
}

CacheKey CacheKey::in_partition(std::string_view partition, const SipKey& secret) const {
  const std::string_view shared = resource();
  CacheKey key;
  key.bytes.reserve(shared.size() + partition.size());
  key.bytes.append(shared).append(partition);
  key.hash = siphash128(secret, key.bytes).low;
  return key;
}

std::string_view CacheKey::resource() const {
  Parts parts;
  return std::string_view{bytes}.substr(0, take_apart(bytes, parts));
}

std::string_view CacheKey::partition_of(std::string_view bytes) {
  Parts parts;
  const std::size_t shared = take_apart(bytes, parts);
  return shared == 0 ? std::string_view{} : bytes.substr(shared);
}

std::string CacheKey::url() const {
  Parts parts;
  std::string url;
  if (take_apart(bytes, parts) == 0) return url;
  url.append(parts.scheme).append("://");
  append_host_for_people(url, parts.host);
  if (parts.port != default_port_of(scheme_kind_of(parts.scheme))) url.append(":").append(std::to_string(parts.port));
  for (std::size_t nul; (nul = parts.path.find('\0')) != parts.path.npos; parts.path.remove_prefix(nul + 2))
    url.append(parts.path.substr(0, nul + 1));
  return url.append(parts.path);
}

std::string CacheKey::site_prefix(std::string_view host, HostKind kind) {
  std::string prefix;
  if (kind == HostKind::domain && host.size() > 1 && host.ends_with('.')) host.remove_suffix(1);
  append_host(prefix, host, kind);
  return prefix;
}

std::string CacheKey::origin_prefix(const Url& url) {
  std::string prefix;
  append_origin(prefix, url);
  return prefix;
}

std::string CacheKey::path_prefix(const Url& url, std::string_view path_prefix) {
  std::string prefix = origin_prefix(url);
  append_path(prefix, path_prefix);
  return prefix;
}

}  // namespace outrider
