// What is kept of one response besides its body: the head as the origin sent it, and what is needed to judge later
// whether it answers another request. Plain data; made, judged and updated by the policy_* functions.
#pragma once

#include "base/clock.hpp"
#include "base/http_message.hpp"

#include <cstdint>
#include <optional>

namespace outrider {

// Who may be answered from an entry. A personal one lives under a CacheKey with that person's partition.
enum class Scope : std::uint8_t { shared, personal };

// A stored 206: which bytes of the whole these are (RFC 9110 section 14.4).
struct StoredRange {
  std::uint64_t first = 0;
  std::uint64_t complete_length = 0;
  bool combinable =
      true;  // false: the origin's numbers contradict each other, so these bytes stand for themselves only

  bool operator==(const StoredRange&) const = default;
};

struct StoredHead {
  ResponseHead response;     // end-to-end fields only; framing fields are written anew for every reader
  HeaderMap vary_request;    // the request's values of the fields that Vary names, normalised (policy_vary.hpp)
  WallTime request_time{};   // when the request that brought (or last validated) it was sent …
  WallTime response_time{};  // … and its answer received (RFC 9111 section 4.2.3)
  std::uint64_t body_length = 0;
  std::optional<StoredRange> range;  // nothing = the body is the whole representation
  Scope scope = Scope::shared;
  bool invalidated = false;  // must be validated before it is used again (RFC 9111 section 4.4)
};

}  // namespace outrider
