#include "base/buffer_pool.hpp"

#include <vector>

namespace outrider {
namespace {

constexpr std::size_t kKeepSmall = 256;  // 4 MiB a thread
constexpr std::size_t kKeepLarge = 16;   // 2 MiB a thread

struct FreeList {
  std::vector<char*> blocks;
  ~FreeList() {
    for (char* block : blocks) delete[] block;
  }
};

FreeList& free_list(std::size_t size) {
  thread_local FreeList small;
  thread_local FreeList large;
  return size == Buffer::kSmall ? small : large;
}

}  // namespace

void Buffer::acquire(std::size_t size) {
  if (size_ == size) return;
  release();
  FreeList& list = free_list(size);
  if (list.blocks.empty()) {
    data_ = new char[size];
  } else {
    data_ = list.blocks.back();
    list.blocks.pop_back();
  }
  size_ = size;
}

void Buffer::release() {
  if (data_ == nullptr) return;
  FreeList& list = free_list(size_);
  if (list.blocks.size() < (size_ == kSmall ? kKeepSmall : kKeepLarge)) {
    list.blocks.push_back(data_);
  } else {
    delete[] data_;
  }
  data_ = nullptr;
  size_ = 0;
}

}  // namespace outrider
