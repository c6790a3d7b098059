// Saying what the cache did: the Cache-Status field (RFC 9211), for programs and, by its `detail`, for people.
#pragma once

#include "base/http_headers.hpp"
#include "cache/policy_lookup.hpp"
#include "cache/policy_reuse.hpp"
#include "cache/policy_storability.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// Why the request went to the origin (RFC 9211 section 2.2); none = it did not.
enum class Forwarded : std::uint8_t { none, bypass, method, uri_miss, vary_miss, stale, request, partial };

struct CacheStatus {
  bool hit = false;  // answered from the store, without asking the origin
  Forwarded forwarded = Forwarded::none;
  std::optional<Seconds> ttl{};  // what is left of the lifetime; negative: stale
  int forward_status = 0;        // what the origin answered, if it is not what the client gets; 0 = not said
  bool stored = false;
  bool collapsed = false;     // shared a fetch that was already under way
  std::string_view detail{};  // a sentence; any text

  bool operator==(const CacheStatus&) const = default;
};

// "Outrider; fwd=stale; fwd-status=304; ttl=60; stored; detail=\"…\""
void append_cache_status(std::string& out, const CacheStatus& status);
// Adds our member behind those of other caches that are in the response already.
void add_cache_status(HeaderMap& headers, const CacheStatus& status);

Forwarded forwarded_because(Bypass bypass);
Forwarded forwarded_because(ReuseReason reason);

}  // namespace outrider
