#include "cache/presence.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace outrider {
namespace {

constexpr std::size_t kSumSize = sizeof(std::uint64_t);  // in front

std::uint64_t sum_of(std::string_view saved) {
  return XXH3_64bits(saved.data() + kSumSize, saved.size() - kSumSize);
}

}  // namespace

Presence::Presence(std::size_t bytes) {
  const std::size_t count = std::bit_floor(bytes / sizeof(Number));
  if (count == 0) return;
  memory_.reset(std::calloc(count, sizeof(Number)));
  if (!memory_) throw std::bad_alloc{};
  places_ = {static_cast<std::atomic<Number>*>(memory_.get()), count};
  mask_ = count - 1;
}

void Presence::begin(std::uint32_t next_segment) {
  newest_ = next_segment;
  known_from_ = std::min(known_from_, next_segment);
}

void Presence::stored(std::uint64_t hash, std::uint32_t newest_segment) {
  if (places_.empty()) return;
  newest_.store(std::max(newest_segment, newest_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  const auto number = static_cast<Number>(newest_segment);
  places_[place(hash)].store(std::max<Number>(number, 1), std::memory_order_relaxed);
}

bool Presence::surely_absent(std::uint64_t hash, std::uint32_t oldest_segment) const {
  constexpr Number kHalf = 1 << 15;
  if (places_.empty() || oldest_segment < known_from_) return false;
  const std::uint32_t newest = newest_.load(std::memory_order_relaxed);
  if (newest > oldest_segment && newest - oldest_segment >= kHalf) return false;
  const Number number = places_[place(hash)].load(std::memory_order_relaxed);
  // Counted from the oldest one, in a circle: the half behind it is gone.
  return number == 0 || static_cast<Number>(number - oldest_segment) >= kHalf;
}

std::string Presence::save() const {
  std::string saved(kSumSize + sizeof known_from_ + places_.size_bytes(), '\0');
  std::memcpy(saved.data() + kSumSize, &known_from_, sizeof known_from_);
  char* at = saved.data() + kSumSize + sizeof known_from_;
  for (const auto& place : places_) {
    const Number number = place.load(std::memory_order_relaxed);
    std::memcpy(at, &number, sizeof number);
    at += sizeof number;
  }
  const std::uint64_t sum = sum_of(saved);
  std::memcpy(saved.data(), &sum, kSumSize);
  return saved;
}

bool Presence::restore(std::string_view saved) {
  if (places_.empty() || saved.size() != kSumSize + sizeof known_from_ + places_.size_bytes()) return false;
  std::uint64_t sum = 0;
  std::memcpy(&sum, saved.data(), kSumSize);
  if (sum != sum_of(saved)) return false;  // the power went before it was written: it would deny everything
  std::memcpy(&known_from_, saved.data() + kSumSize, sizeof known_from_);
  const char* at = saved.data() + kSumSize + sizeof known_from_;
  for (auto& place : places_) {
    Number number = 0;
    std::memcpy(&number, at, sizeof number);
    if (number != 0) place.store(number, std::memory_order_relaxed);
    at += sizeof number;
  }
  return true;
}

}  // namespace outrider
