// Memory that a socket can send without copying it. It belongs to a file that has no name (memfd), and sendfile() hands
// the file's own pages to the network. What is on its way keeps its pages, even when the memory has been given back: a
// hole is punched where it was, and whoever gets the same place next gets other pages. So never write to what may have
// been sent, and never ask for huge pages here: a hole in one would be filled with zeros, also for who still sends it.
// Neighbours: Stream::write_now() (sends it), StoredBody (keeps bodies in it). Any thread.
#pragma once

#include "base/file_descriptor.hpp"

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace outrider {

class PageMemory {
 public:
  // Of the process: whoever has an address must be able to tell where it lies.
  static PageMemory& instance();
  explicit PageMemory(std::size_t room);  // of addresses; memory is spent on what is in use only
  ~PageMemory();
  PageMemory(const PageMemory&) = delete;
  PageMemory& operator=(const PageMemory&) = delete;

  bool available() const { return begin_ != nullptr; }
  // A copy of the pieces, one behind the other, not to be changed any more. nullptr: not to be had.
  std::shared_ptr<char[]> copy(std::span<const std::string_view> pieces);
  static std::size_t spent_on(std::size_t bytes);  // whole pages

  struct Place {
    int file;
    off_t offset;
  };
  // Where the bytes lie in the file, if they do.
  std::optional<Place> place_of(std::string_view bytes) const {
    if (begin_ == nullptr || bytes.data() < begin_ || bytes.data() >= begin_ + room_) return std::nullopt;
    return Place{file_.get(), bytes.data() - begin_};
  }

 private:
  std::optional<std::size_t> reserve(std::size_t size);
  void release(std::size_t at, std::size_t size);

  const std::size_t room_;
  FileDescriptor file_;
  char* begin_ = nullptr;
  std::mutex mutex_;
  std::size_t untouched_ = 0;                                   // from here on nothing was ever given out
  std::map<std::size_t, std::vector<std::size_t>> given_back_;  // places by size
};

}  // namespace outrider
