// What is kept of one response besides its body: the head as the origin sent it, and what is needed to judge later
// whether it answers another request.
#pragma once

#include "base/clock.hpp"
#include "base/http_message.hpp"

#include <cstdint>
#include <optional>

namespace outrider {

// A stored 206: which bytes of the whole these are (RFC 9110 section 14.4).
struct StoredRange {
  std::uint64_t first = 0;
  std::uint64_t complete_length = 0;
};

struct StoredHead {
  ResponseHead response;     // end-to-end fields only; framing fields are written anew for every reader
  HeaderMap vary_request;    // the request's values of the fields that Vary names, normalised; absent ones with ""
  WallTime request_time{};   // when the request that brought (or last validated) it was sent …
  WallTime response_time{};  // … and its answer received (RFC 9111 section 4.2.3)
  std::uint64_t body_length = 0;
  std::optional<StoredRange> range;  // nothing = the body is the whole representation
  bool by_head_request = false;      // an answer to HEAD: headers only, never served as the answer to a GET
};

}  // namespace outrider
