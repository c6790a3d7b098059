// A name for each exchange, to find it again: on an error page, in the access log, in the live feed.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace outrider {

// 15 characters: six for the second in which the process started, two at random (two instances may start in the same
// second), seven that count. They sort in the order in which they were given, also across restarts, and fit into a
// std::string without allocating. A value; costs nothing to copy.
class ExchangeId {
 public:
  static constexpr std::size_t kLength = 15;

  ExchangeId() { text_.fill('0'); }
  std::string_view view() const { return {text_.data(), kLength}; }
  std::string to_string() const { return std::string{view()}; }
  auto operator<=>(const ExchangeId&) const = default;

 private:
  friend class ExchangeIds;
  std::array<char, kLength> text_;
};

// One per process, shared by all threads.
class ExchangeIds {
 public:
  ExchangeIds(WallTime started, std::uint32_t random) {
    constexpr std::chrono::sys_days kSince{std::chrono::year{2024} / 1 / 1};  // 30 bits of seconds last until 2058
    // In seconds before they are subtracted: nanoseconds of an absurd clock would overflow.
    const auto seconds = std::chrono::floor<std::chrono::seconds>(started.time_since_epoch()).count() -
                         std::chrono::seconds{kSince.time_since_epoch()}.count();
    write(run_.data(), 6, static_cast<std::uint64_t>(seconds));
    write(run_.data() + 6, 2, random);
  }

  ExchangeId next() {
    ExchangeId id;
    std::memcpy(id.text_.data(), run_.data(), run_.size());
    write(id.text_.data() + run_.size(), ExchangeId::kLength - run_.size(),
          count_.fetch_add(1, std::memory_order_relaxed));
    return id;
  }

 private:
  // Crockford's base 32 in lower case: no letter looks like another character, and it sorts as the number does.
  static void write(char* to, std::size_t digits, std::uint64_t value) {
    for (std::size_t i = digits; i-- > 0; value >>= 5) to[i] = "0123456789abcdefghjkmnpqrstvwxyz"[value & 31];
  }

  std::array<char, 8> run_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace outrider
