#include "base/page_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

namespace outrider {
namespace {

constexpr std::size_t kRoom = std::size_t{64} << 30;

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// A setting for tests of the kernel, which makes huge pages of everything, whatever was asked for.
bool huge_pages_are_forced() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::string line;
  return std::getline(file, line) && line.find("[force]") != std::string::npos;
}

}  // namespace

PageMemory& PageMemory::instance() {
  static auto* const memory = new PageMemory(kRoom);  // for good: nobody knows who still holds a piece of it at the end
  return *memory;
}

PageMemory::PageMemory(std::size_t room) : room_(spent_on(room)), file_(::memfd_create("outrider-pages", MFD_CLOEXEC)) {
  if (!file_.is_open() || huge_pages_are_forced() || ::ftruncate(file_.get(), static_cast<off_t>(room_)) != 0) return;
  void* begin = ::mmap(nullptr, room_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.get(), 0);
  if (begin == MAP_FAILED) return;
  // EINVAL: a kernel without huge pages. It is asked for what follows from it, not for speed.
  if (::madvise(begin, room_, MADV_NOHUGEPAGE) != 0 && errno != EINVAL) {
    ::munmap(begin, room_);
    return;
  }
  ::madvise(begin, room_, MADV_DONTFORK);
  ::madvise(begin, room_, MADV_DONTDUMP);
  begin_ = static_cast<char*>(begin);
}

PageMemory::~PageMemory() {
  if (begin_ != nullptr) ::munmap(begin_, room_);
}

std::size_t PageMemory::spent_on(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

std::shared_ptr<char[]> PageMemory::copy(std::span<const std::string_view> pieces) {
  std::size_t bytes = 0;
  for (const std::string_view piece : pieces) bytes += piece.size();
  if (bytes == 0 || begin_ == nullptr) return nullptr;
  const std::size_t size = spent_on(bytes);
  const std::optional<std::size_t> at = reserve(size);
  if (!at) return nullptr;
  // All pages at once: cheaper than one by one as they are touched, and says so when there are none left.
  // EINVAL: Linux before 5.14.
  if (::madvise(begin_ + *at, size, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
    release(*at, size);
    return nullptr;
  }
  char* to = begin_ + *at;
  for (const std::string_view piece : pieces) {
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  }
  return {begin_ + *at, [this, at = *at, size](char*) { release(at, size); }};
}

std::optional<std::size_t> PageMemory::reserve(std::size_t size) {
  const std::lock_guard lock(mutex_);
  if (const auto found = given_back_.find(size); found != given_back_.end() && !found->second.empty()) {
    const std::size_t at = found->second.back();
    found->second.pop_back();
    return at;
  }
  if (size > room_ - untouched_) return std::nullopt;
  return std::exchange(untouched_, untouched_ + size);
}

void PageMemory::release(std::size_t at, std::size_t size) {
  // Without the hole the place still has the pages that may be on their way: then it is not used again.
  const auto offset = static_cast<off_t>(at), length = static_cast<off_t>(size);
  if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length) != 0) return;
  const std::lock_guard lock(mutex_);
  given_back_[size].push_back(at);
}

}  // namespace outrider
