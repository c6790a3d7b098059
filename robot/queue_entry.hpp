// One URL that a task has to fetch, as it stands in the queue.
#pragma once

#include "base/canonical_key.hpp"
#include "base/siphash.hpp"
#include "plugins/api/robot_task.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace outrider {

// What a URL is known by within the robot: a keyed hash of its canonical form (base/canonical_key.hpp).
using UrlId = Digest128;

// How URLs get those names. A value: threads that parse pages take a copy along.
struct UrlNaming {
  SipKey secret;
  std::shared_ptr<const CanonicalOptions> same_page;  // null: the usual ones
  UrlId id_of(std::string_view canonical) const { return siphash128(secret, canonical); }
};

// How many links may still be followed from a page. Unlimited stays unlimited.
using RemainingDepth = std::uint16_t;
constexpr RemainingDepth kEndless = std::numeric_limits<RemainingDepth>::max();

inline RemainingDepth remaining_from(std::int32_t depth) {
  return depth == kUnlimitedDepth ? kEndless : static_cast<RemainingDepth>(depth);
}
inline RemainingDepth one_less(RemainingDepth depth) {
  return depth == kEndless ? kEndless : static_cast<RemainingDepth>(depth - 1);
}

struct QueueEntry {
  std::string key;  // its place: entries are fetched in the order of these bytes (strategies/strategy.hpp)
  std::string url;
  UrlId id;
  RemainingDepth remaining = 0;
  std::uint16_t depth = 0;     // links from the start
  std::uint8_t redirects = 0;  // in a row that led here
  std::uint32_t attempts = 0;  // that failed; not written down: a new start begins anew
  bool sitemap = false;        // is one: leads to pages, and is none itself
  bool revisit = false;        // was fetched before: has it changed?
  WallTime found{};            // to the second; epoch: not known
  bool again = false;          // was fetched before: now only its links are wanted, because more depth is left
};

}  // namespace outrider
