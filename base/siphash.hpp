// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein): a keyed hash for short inputs. Without the key nobody
// can find inputs that collide, so it may key tables whose contents strangers choose. Not for passwords at rest.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace outrider {

struct SipKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  static SipKey random();
};

struct Digest128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Digest128&) const = default;
};

Digest128 siphash128(const SipKey& key, std::string_view text);

}  // namespace outrider
