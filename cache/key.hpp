// Under which name a response is kept: the target URI exactly as it was asked for, and whose it is. The bytes are laid
// out so that everything of one site, of one origin or below one path is one range of neighbouring keys:
//
//   com.example.www. NUL  port (2 bytes)  scheme ('h', 's')  /path?query  NUL SOH  partition
//
// Host labels are reversed and each ends in '.'; an IP address is one label in brackets. No two different inputs give
// the same bytes. Only GET and HEAD use keys (policy_lookup.hpp); HEAD is answered from the entry of GET, so the method
// is not part of it.
#pragma once

#include "base/siphash.hpp"
#include "base/url.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

class CacheKey {
 public:
  CacheKey() = default;  // nobody's key

  // `path_and_query` byte by byte as in the request. `partition` is "" for what everybody may see, else whose it is:
  // the name of the user, or where nobody logs in the client's address and User-Agent (docs/decisions/0022). `secret`
  // keeps strangers from choosing URLs whose hashes collide; it is made once per process.
  static CacheKey of(const Url& url, std::string_view path_and_query, std::string_view partition, const SipKey& secret);
  // From what bytes() gave; nothing if they are no key.
  static std::optional<CacheKey> from_bytes(std::string bytes, const SipKey& secret);

  // The same resource, kept for somebody else.
  CacheKey in_partition(std::string_view partition, const SipKey& secret) const;

  const std::string& bytes() const { return bytes_; }
  std::uint64_t hash() const { return hash_; }
  std::string_view partition() const { return std::string_view{bytes_}.substr(resource_size_); }
  bool is_shared() const { return bytes_.size() == resource_size_; }
  // What the keys of this resource in all partitions begin with, and no other key does.
  std::string_view resource() const { return std::string_view{bytes_}.substr(0, resource_size_); }
  // "https://www.example.com:8443/path?query", for people and for fetching it again.
  std::string url() const;

  bool operator==(const CacheKey& other) const { return hash_ == other.hash_ && bytes_ == other.bytes_; }

  // What all keys of … begin with, and no other key does:
  // … a host and its subdomains ("example.com"; for "www.example.com" only that and what is below); an IP address as
  // Url::hostname() writes it.
  static std::string site_prefix(std::string_view host, HostKind kind);
  // … one origin (scheme, host, port).
  static std::string origin_prefix(const Url& url);
  // … the URLs of an origin whose path and query begin with `path_prefix`.
  static std::string path_prefix(const Url& url, std::string_view path_prefix);

 private:
  void seal(const SipKey& secret);

  std::string bytes_;
  std::size_t resource_size_ = 0;
  std::uint64_t hash_ = 0;
};

}  // namespace outrider

template <>
struct std::hash<outrider::CacheKey> {
  std::size_t operator()(const outrider::CacheKey& key) const noexcept { return key.hash(); }
};
