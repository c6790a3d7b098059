// Whether a URL may have been written down since the program began: a Bloom filter of fixed size, of which a look takes
// one line of the processor's cache. Of a task that began in this run everything was, so for new links, of which there
// are as many as pages, the database need not be asked. As long as nothing was written it takes no memory.
#pragma once

#include "robot/queue_entry.hpp"

#include <cstddef>
#include <vector>

namespace outrider {

class SeenFilter {
 public:
  explicit SeenFilter(std::size_t words = 1 << 18) : size_(words) {}  // of 8 bytes; a power of two, up to 2^40

  void put(TaskId task, const UrlId& id) {
    if (words_.empty()) words_.resize(size_);
    const std::uint64_t hash = hash_of(task, id);
    words_[index(hash)] |= bits(hash);
    ++count_;
  }
  // False: certainly not.
  bool may_hold(TaskId task, const UrlId& id) const {
    if (words_.empty()) return false;
    if (count_ > kPerWord * size_) return true;  // it would hardly ever say no
    const std::uint64_t hash = hash_of(task, id);
    return (words_[index(hash)] & bits(hash)) == bits(hash);
  }

 private:
  static constexpr std::size_t kPerWord = 10;  // entries; then about one answer in five is wrong

  // Of the half of the id that SeenCache does not use.
  static std::uint64_t hash_of(TaskId task, const UrlId& id) { return id.high ^ (task * 0x9E3779B97F4A7C15ull); }
  std::size_t index(std::uint64_t hash) const { return hash & (size_ - 1); }
  static std::uint64_t bits(std::uint64_t hash) {
    return std::uint64_t{1} << (hash >> 58) | std::uint64_t{1} << (hash >> 52 & 63) |
           std::uint64_t{1} << (hash >> 46 & 63) | std::uint64_t{1} << (hash >> 40 & 63);
  }

  std::size_t size_;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace outrider
