#include "base/spare_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace outrider {
namespace {

constexpr std::size_t kWorthKeeping = 16 * 1024;
constexpr std::size_t kTooLarge = 160 * 1024;     // whoever borrows it may need little of it, and keep it for long
constexpr std::size_t kKeptAtMost = 1024 * 1024;  // a thread

struct Spares {
  Spares() { texts.reserve(kKeptAtMost / kWorthKeeping); }
  std::vector<std::string> texts;
  std::size_t bytes = 0;
};

Spares& spares() {
  thread_local Spares mine;
  return mine;
}

}  // namespace

void lend_room(std::string& text) {
  Spares& mine = spares();
  if (!text.empty() || text.capacity() >= kWorthKeeping || mine.texts.empty()) return;
  text = std::move(mine.texts.back());
  mine.texts.pop_back();
  mine.bytes -= text.capacity();
}

void return_room(std::string& text) {
  Spares& mine = spares();
  text.clear();
  if (text.capacity() < kWorthKeeping) return;
  if (text.capacity() > kTooLarge || mine.bytes + text.capacity() > kKeptAtMost) return std::string{}.swap(text);
  mine.bytes += text.capacity();
  mine.texts.push_back(std::exchange(text, {}));
}

}  // namespace outrider
