// What the store hands out: everything kept under one key, as an immutable snapshot. One entry holds all variants of
// its URL (RFC 9111 section 4.1), because whoever asks has to choose among them. A change (new variant, head updated by
// a 304) makes a new entry that shares the unchanged variants; readers of the old one are not disturbed.
#pragma once

#include "cache/key.hpp"
#include "cache/store_body.hpp"
#include "cache/stored_head.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace outrider {

using VariantId = std::uint64_t;  // unique in a store, also across restarts

struct StoredVariant {
  VariantId id = 0;
  StoredHead head;
  BodyPtr body;
  // What StoreOptions::prepare made of the head, once, when the variant was stored or loaded: parsed directives, a head
  // ready to be sent …
  std::shared_ptr<const void> prepared;

  template <class T>
  const T& prepared_as() const {
    return *static_cast<const T*>(prepared.get());
  }
};
using VariantPtr = std::shared_ptr<const StoredVariant>;

struct StoredEntry {
  CacheKey key;
  boost::container::small_vector<VariantPtr, 2> variants;  // the newest first; never empty when handed out
  bool visited = false;                                    // a person has read it, not only the robot
};
using EntryPtr = std::shared_ptr<const StoredEntry>;

struct StoreLookup {
  enum class State : std::uint8_t {
    found,
    absent,     // certainly not in the store
    must_wait,  // only the disk can tell: co_await find()
  };
  State state = State::absent;
  EntryPtr entry;  // when found
};

// Do small bodies come along when an entry is found on disk?
enum class BodyWish : std::uint8_t {
  along,
  later,  // the heads are all that is wanted, most likely: whoever wants a body reads it. Memory is not filled with it
};

// How long does a change of a head have to last?
enum class HeadChange : std::uint8_t {
  kept,
  for_now,  // as long as it is in memory: what is on disk will do afterwards
};

// What stays of an entry without the variants that match: itself if there are none, nullptr if there are only such.
template <class Match>
EntryPtr without_variants(const EntryPtr& entry, Match&& match) {
  if (!entry) return nullptr;
  const auto matches = [&](const VariantPtr& variant) { return match(*variant); };
  if (std::none_of(entry->variants.begin(), entry->variants.end(), matches)) return entry;
  auto after = std::make_shared<StoredEntry>(*entry);
  after->variants.erase(std::remove_if(after->variants.begin(), after->variants.end(), matches), after->variants.end());
  return after->variants.empty() ? nullptr : after;
}

inline constexpr std::size_t kMaxVariants = 32;  // of one key; the oldest ones go

}  // namespace outrider
