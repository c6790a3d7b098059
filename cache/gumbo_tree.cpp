#include "cache/gumbo_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace outrider {
namespace {

constexpr std::size_t kBlock = 1 << 20;
constexpr std::size_t kKeptBlocks = 4;  // of a thread, between two pages

class Arena {
 public:
  void* allocate(std::size_t size) {
    size = (size + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);
    if (size > kBlock / 4) return large_.emplace_back(new std::byte[size]).get();
    if (blocks_.empty() || used_ + size > kBlock) next_block();
    void* const place = blocks_[current_].get() + used_;
    used_ += size;
    return place;
  }
  void clear() {
    large_.clear();
    if (blocks_.size() > kKeptBlocks) blocks_.resize(kKeptBlocks);
    current_ = 0;
    used_ = 0;
  }

 private:
  void next_block() {
    if (!blocks_.empty()) ++current_;
    if (current_ == blocks_.size()) blocks_.emplace_back(new std::byte[kBlock]);
    used_ = 0;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<std::unique_ptr<std::byte[]>> large_;
  std::size_t current_ = 0;
  std::size_t used_ = 0;
};

Arena& arena_of_thread() {
  static thread_local Arena arena;
  return arena;
}

// Called from C: nothing may be thrown through it.
void* allocate(void* arena, std::size_t size) noexcept {
  return static_cast<Arena*>(arena)->allocate(size);
}
void keep(void*, void*) noexcept {}

}  // namespace

GumboTree::GumboTree(std::string_view utf8_html) {
  GumboOptions options = kGumboDefaultOptions;
  options.max_errors = 0;  // a list of errors makes it several times slower
  options.allocator = allocate;
  options.deallocator = keep;
  options.userdata = &arena_of_thread();
  output_ = gumbo_parse_with_options(&options, utf8_html.data(), utf8_html.size());
}

GumboTree::~GumboTree() {
  arena_of_thread().clear();
}

}  // namespace outrider
