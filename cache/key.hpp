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
#include <string>
#include <string_view>

namespace outrider {

struct CacheKey {
  std::string bytes;       // "" is nobody's key
  std::uint64_t hash = 0;  // of bytes

  // `path_and_query` byte by byte as in the request. `partition` is "" for what everybody may see, else whose it is:
  // the name of the user, or where nobody logs in the client's address and User-Agent (docs/decisions/0030). `secret`
  // keeps strangers from choosing URLs whose hashes collide; it is random and belongs to the store, in whose files the
  // hashes are.
  static CacheKey of(const Url& url, std::string_view path_and_query, std::string_view partition, const SipKey& secret);
  // The same resource, kept for somebody else.
  CacheKey in_partition(std::string_view partition, const SipKey& secret) const;

  // What the keys of this resource in all partitions begin with, and no other key does; "" if these bytes are no key.
  std::string_view resource() const;
  std::string_view partition() const { return partition_of(bytes); }
  static std::string_view partition_of(std::string_view bytes);  // "" also if these bytes are no key
  // "https://www.example.com:8443/path?query", for people and for fetching it again.
  std::string url() const;

  bool operator==(const CacheKey& other) const { return hash == other.hash && bytes == other.bytes; }

  // What all keys of … begin with, and no other key does:
  // … a host and its subdomains ("example.com"; for "www.example.com" only that and what is below); an IP address as
  // Url::hostname() writes it.
  static std::string site_prefix(std::string_view host, HostKind kind);
  // … one origin (scheme, host, port).
  static std::string origin_prefix(const Url& url);
  // … the URLs of an origin whose path and query begin with `path_prefix`.
  static std::string path_prefix(const Url& url, std::string_view path_prefix);
};

}  // namespace outrider

template <>
struct std::hash<outrider::CacheKey> {
  std::size_t operator()(const outrider::CacheKey& key) const noexcept { return key.hash; }
};
