// How often something has been asked for lately, roughly, in a fixed amount of memory: a count-min sketch of 4-bit
// counters (Cormode and Muthukrishnan) that are halved now and then, so that yesterday's favourites fade. Any thread;
// two threads that meet may lose a count, which does not matter here.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

class FrequencySketch {
 public:
  static constexpr unsigned kMost = 15;

  explicit FrequencySketch(std::size_t expected_items);

  void add(std::uint64_t hash);
  unsigned estimate(std::uint64_t hash) const;  // 0 to kMost
  std::size_t memory_bytes() const { return words_.size() * sizeof(std::uint64_t); }

  // To be kept over a restart. restore() refuses what does not fit (another size).
  std::string save() const;
  bool restore(std::string_view saved);

 private:
  static constexpr unsigned kRows = 4;
  void age();
  // Which counter of which word.
  struct Place {
    std::size_t word;
    unsigned shift;
  };
  Place place(std::uint64_t hash, unsigned row) const;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;           // by calloc: what is never counted in is never touched
  std::span<std::atomic<std::uint64_t>> words_;  // 16 counters each
  std::uint64_t mask_ = 0;
  std::uint64_t age_after_ = 0;
  std::atomic<std::uint64_t> added_{0};
};

}  // namespace outrider
