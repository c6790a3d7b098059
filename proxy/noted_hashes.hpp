// A set of things seen lately that forgets by itself: as many as there is room for, the newest win. Any thread, no
// lock. That one of two things with the same hash is taken for the other has to be as harmless as it is unlikely. Used
// by proxy/page_head and proxy/framed_pages.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace outrider {

class NotedHashes {
 public:
  // Of the parts one by one: "a" and "bc" are not "ab" and "c".
  static std::uint64_t hash(std::initializer_list<std::string_view> parts, std::uint64_t salt = 0) {
    std::uint64_t hash = 0xCBF29CE484222325 ^ salt;  // FNV-1a
    const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001B3; };
    for (const std::string_view part : parts) {
      for (const char c : part) add(static_cast<unsigned char>(c));
      add(0);
    }
    return hash;
  }

  void note(std::uint64_t hash) { place_of(hash).store(hash, std::memory_order_relaxed); }
  bool has(std::uint64_t hash) const { return kept_[hash % kept_.size()].load(std::memory_order_relaxed) == hash; }
  void clear() {
    for (std::atomic<std::uint64_t>& each : kept_) each.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t>& place_of(std::uint64_t hash) { return kept_[hash % kept_.size()]; }
  std::array<std::atomic<std::uint64_t>, 4096> kept_{};
};

}  // namespace outrider
