// Most of what is asked for is not in the store. This says so for most of it without a look into the index: for every
// hash of a key, the number of the segment that one with this hash was last written to. As long as segments go in the
// order of their numbers, nothing has to be removed here: what was written to a segment that is gone is gone. Several
// keys share a place, so it never says that something is there. One thread writes, any may ask.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

class Presence {
 public:
  explicit Presence(std::size_t bytes);  // rounded down to a power of two; 0 = it knows nothing

  // The next segment that is written. Unless it was restored, nothing is known of older ones.
  void begin(std::uint32_t next_segment);
  void stored(std::uint64_t hash, std::uint32_t newest_segment);  // in this one or an older one
  bool surely_absent(std::uint64_t hash, std::uint32_t oldest_segment) const;

  // To be kept over a restart. restore() refuses what does not fit (another size).
  std::string save() const;
  bool restore(std::string_view saved);

 private:
  using Number = std::uint16_t;  // the lower half of a segment's number: there are never so many at a time; 0 = never
  std::size_t place(std::uint64_t hash) const { return (hash ^ hash >> 32) & mask_; }

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;  // by calloc: what nothing is stored in is never touched
  std::span<std::atomic<Number>> places_;
  std::uint64_t mask_ = 0;
  std::atomic<std::uint32_t> newest_{0};
  std::uint32_t known_from_ = UINT32_MAX;  // what older segments hold is not known
};

}  // namespace outrider
