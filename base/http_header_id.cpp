#include "base/http_header_id.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace outrider {
namespace {

constexpr std::size_t kCount = static_cast<std::size_t>(HeaderId::count_);

// In the order of HeaderId.
constexpr std::array<std::string_view, kCount> kNames = {
    "",
    // clang-format off
    "Accept", "Accept-Encoding", "Accept-Language", "Age", "Allow", "Alt-Svc", "Authorization", "Cache-Control", "Cache-Status",
    "Connection", "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Range",
    "Content-Security-Policy", "Content-Security-Policy-Report-Only", "Content-Type", "Cookie", "Date", "ETag", "Expect", "Expires",
    "Forwarded", "From", "Host", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Keep-Alive",
    "Last-Modified", "Link", "Location", "Max-Forwards", "Origin", "Pragma", "Proxy-Authenticate", "Proxy-Authentication-Info",
    "Proxy-Authorization", "Proxy-Connection", "Proxy-Status", "Purpose", "Range", "Referer", "Retry-After", "Save-Data",
    "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Sec-Purpose", "Sec-WebSocket-Key", "Server",
    "Set-Cookie", "Strict-Transport-Security", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Upgrade-Insecure-Requests",
    "User-Agent", "Vary", "Via", "Warning", "WWW-Authenticate", "X-Forwarded-For", "X-Robots-Tag",
    // clang-format on
};
static_assert(!kNames.back().empty(), "a HeaderId has no name");

// A perfect hash over the length and four letters, found by the compiler: the only candidate is then compared in full.
constexpr std::size_t kSlotBits = 10;

constexpr std::uint64_t fold(char c) {
  return static_cast<unsigned char>(c) | 0x20u;
}  // good enough for a hash

constexpr std::size_t slot_of(std::string_view name, std::uint64_t multiplier) {
  const std::size_t n = name.size();
  const std::uint64_t key =
      n | fold(name[0]) << 8 | fold(name[n / 2]) << 16 | fold(name[n * 3 / 4]) << 24 | fold(name[n - 1]) << 32;
  return static_cast<std::size_t>(key * multiplier >> (64 - kSlotBits));
}

struct PerfectHash {
  std::uint64_t multiplier = 0;
  std::array<std::uint8_t, std::size_t{1} << kSlotBits> slots{};  // index into kNames; 0 is nobody
};

consteval PerfectHash find_perfect_hash() {
  for (std::uint64_t multiplier = 0x9e3779b97f4a7c15;; multiplier += 0x7f4a7c159e3779b8) {
    PerfectHash hash;
    hash.multiplier = multiplier;
    bool collided = false;
    for (std::size_t i = 1; i < kCount && !collided; ++i) {
      std::uint8_t& slot = hash.slots[slot_of(kNames[i], multiplier)];
      collided = slot != 0;
      slot = static_cast<std::uint8_t>(i);
    }
    if (!collided) return hash;
  }
}

constexpr PerfectHash kHash = find_perfect_hash();

}  // namespace

HeaderId header_id(std::string_view name) {
  if (name.empty()) return HeaderId::other;
  const std::uint8_t candidate = kHash.slots[slot_of(name, kHash.multiplier)];
  if (candidate == 0) return HeaderId::other;
  const bool same = name == kNames[candidate] || equal_ignoring_case(name, kNames[candidate]);  // most are spelled so
  return same ? static_cast<HeaderId>(candidate) : HeaderId::other;
}

std::string_view header_name(HeaderId id) {
  const auto index = static_cast<std::size_t>(id);
  return index < kCount ? kNames[index] : std::string_view{};
}

}  // namespace outrider
