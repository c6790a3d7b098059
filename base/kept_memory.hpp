// What serves one message after another keeps its memory, but not that of the largest one there ever was.
#pragma once

#include <cstddef>
#include <string>

namespace outrider {

inline constexpr std::size_t kKeptMemory = 8192;  // an ordinary head fits, also one with cookies

inline void release_large(std::string& unused) {
  if (unused.capacity() > kKeptMemory) std::string{}.swap(unused);  // assigning would keep it
}

}  // namespace outrider
