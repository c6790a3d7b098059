// What the store hands out: everything kept under one key, as an immutable snapshot. One entry holds all variants of
// its URL (RFC 9111 section 4.1), because whoever asks has to choose among them. A change (new variant, head updated by
// a 304) makes a new entry that shares the unchanged variants; readers of the old one are not disturbed.
#pragma once

#include "cache/key.hpp"
#include "cache/store_body.hpp"
#include "cache/stored_head.hpp"

#include <boost/container/small_vector.hpp>

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

inline constexpr std::size_t kMaxVariants = 32;  // of one key; the oldest ones go

}  // namespace outrider
