#include "cache/frequency_sketch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace outrider {
namespace {

constexpr std::uint64_t kOnes = 0x7777777777777777;  // what stays of 16 counters after shifting each by one

std::uint64_t mix(std::uint64_t hash, unsigned row) {  // the finalizer of splitmix64, one stream per row
  hash += 0x9e3779b97f4a7c15 * (row + 1);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

}  // namespace

FrequencySketch::FrequencySketch(std::size_t expected_items) {
  const std::size_t words = std::bit_ceil(std::clamp<std::size_t>(expected_items, 1024, 16 << 20) / 4);
  memory_.reset(std::calloc(words, sizeof(std::atomic<std::uint64_t>)));  // 4 counters per item
  if (!memory_) throw std::bad_alloc{};
  words_ = {static_cast<std::atomic<std::uint64_t>*>(memory_.get()), words};
  mask_ = words - 1;
  age_after_ = words * 4 * 10;
}

FrequencySketch::Place FrequencySketch::place(std::uint64_t hash, unsigned row) const {
  const std::uint64_t mixed = mix(hash, row);
  return {static_cast<std::size_t>(mixed & mask_), static_cast<unsigned>(mixed >> 60) * 4};
}

void FrequencySketch::add(std::uint64_t hash) {
  // Only the smallest counters are raised: the others are too high already, because of somebody else.
  const unsigned now = estimate(hash);
  if (now == kMost) return;
  for (unsigned row = 0; row < kRows; ++row) {
    const Place at = place(hash, row);
    const std::uint64_t word = words_[at.word].load(std::memory_order_relaxed);
    if (((word >> at.shift) & kMost) == now)
      words_[at.word].store(word + (std::uint64_t{1} << at.shift), std::memory_order_relaxed);
  }
  if (added_.fetch_add(1, std::memory_order_relaxed) + 1 >= age_after_) age();
}

unsigned FrequencySketch::estimate(std::uint64_t hash) const {
  std::uint64_t least = kMost;
  for (unsigned row = 0; row < kRows; ++row) {
    const Place at = place(hash, row);
    least = std::min(least, (words_[at.word].load(std::memory_order_relaxed) >> at.shift) & kMost);
  }
  return static_cast<unsigned>(least);
}

void FrequencySketch::age() {
  added_.store(age_after_ / 2, std::memory_order_relaxed);
  for (auto& word : words_) word.store((word.load(std::memory_order_relaxed) >> 1) & kOnes, std::memory_order_relaxed);
}

std::string FrequencySketch::save() const {
  std::string saved(memory_bytes(), '\0');
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint64_t word = words_[i].load(std::memory_order_relaxed);
    std::memcpy(saved.data() + i * sizeof word, &word, sizeof word);
  }
  return saved;
}

bool FrequencySketch::restore(std::string_view saved) {
  if (saved.size() != memory_bytes()) return false;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, saved.data() + i * sizeof word, sizeof word);
    words_[i].store(word, std::memory_order_relaxed);
  }
  return true;
}

}  // namespace outrider
