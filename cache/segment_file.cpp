#include "cache/segment_file.hpp"

#include "cache/memory_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>
#include <vector>

namespace outrider {
namespace {

constexpr std::uint64_t kBlock = 4096;  // what file systems allocate

Error failed(std::string_view doing, const std::filesystem::path& path) {
  const int code = errno;
  Error error(ErrorKind::io, Side::self, fmt::format("{} {}: {}", doing, path.string(), std::strerror(code)));
  errno = code;  // still the reason, for whoever wants the number
  return error;
}

std::uint64_t blocks(std::uint64_t bytes) {
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

std::uint64_t allocated(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? static_cast<std::uint64_t>(status.st_blocks) * 512 : 0;
}

// Drops what has been written from the front of the list.
std::span<iovec> after(std::span<iovec> pieces, std::size_t written) {
  while (!pieces.empty() && written >= pieces.front().iov_len) {
    written -= pieces.front().iov_len;
    pieces = pieces.subspan(1);
  }
  if (!pieces.empty()) {
    pieces.front().iov_base = static_cast<char*>(pieces.front().iov_base) + written;
    pieces.front().iov_len -= written;
  }
  return pieces;
}

}  // namespace

SegmentFile::SegmentFile(int fd, std::filesystem::path path, std::uint32_t id, std::uint64_t size,
                         std::uint64_t disk_bytes, DiskUsage usage)
    : fd_(fd),
      without_waiting_(is_memory_file(fd) ? 0 : RWF_NOWAIT),
      path_(std::move(path)),
      id_(id),
      size_(size),
      disk_bytes_(disk_bytes),
      usage_(std::move(usage)) {
  usage_->fetch_add(disk_bytes, std::memory_order_relaxed);
}

SegmentFile::~SegmentFile() {
  usage_->fetch_sub(disk_bytes_, std::memory_order_relaxed);
  ::close(fd_);
}

Result<std::shared_ptr<SegmentFile>> SegmentFile::create(const std::filesystem::path& path, std::uint32_t id,
                                                         DiskUsage usage) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return failed("cannot create", path);
  return std::shared_ptr<SegmentFile>(new SegmentFile(fd, path, id, 0, 0, std::move(usage)));
}

Result<std::shared_ptr<SegmentFile>> SegmentFile::open(const std::filesystem::path& path, std::uint32_t id,
                                                       DiskUsage usage) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return failed("cannot open", path);
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    const Error error = failed("cannot use", path);
    ::close(fd);
    return error;
  }
  return std::shared_ptr<SegmentFile>(new SegmentFile(fd, path, id, static_cast<std::uint64_t>(status.st_size),
                                                      static_cast<std::uint64_t>(status.st_blocks) * 512,
                                                      std::move(usage)));
}

int SegmentFile::append(std::span<iovec> pieces, std::uint64_t total) {
  const std::uint64_t start = size_.load(std::memory_order_relaxed);
  written_ = true;
  std::uint64_t at = start;
  while (!pieces.empty()) {
    const int count = static_cast<int>(std::min<std::size_t>(pieces.size(), IOV_MAX));
    const ssize_t written = ::pwritev(fd_, pieces.data(), count, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int code = written == 0 ? EIO : errno;
      cut_rest();
      if (::ftruncate(fd_, static_cast<off_t>(start)) != 0) return code;  // the next append writes over it
      return code;
    }
    at += static_cast<std::uint64_t>(written);
    pieces = after(pieces, static_cast<std::size_t>(written));
  }
  const std::uint64_t grown = blocks(std::max(start + total, reserved_)) - blocks(std::max(start, reserved_));
  disk_bytes_.fetch_add(grown, std::memory_order_relaxed);
  usage_->fetch_add(grown, std::memory_order_relaxed);
  size_.store(start + total, std::memory_order_release);
  return 0;
}

void SegmentFile::begin_again() {
  reserved_ = size_.exchange(0, std::memory_order_release);
  const std::uint64_t holes = blocks(reserved_) - std::min(blocks(reserved_), disk_bytes_.load());  // will be filled
  disk_bytes_.fetch_add(holes, std::memory_order_relaxed);
  usage_->fetch_add(holes, std::memory_order_relaxed);
}

std::size_t SegmentFile::rest_of_block(std::uint64_t end) const {
  return end < reserved_ ? static_cast<std::size_t>(blocks(end) - end) : 0;
}

bool SegmentFile::cut_rest() {
  const std::uint64_t end = size_.load(std::memory_order_relaxed);
  if (reserved_ <= end) return true;
  if (::ftruncate(fd_, static_cast<off_t>(end)) != 0) return false;
  written_ = true;
  const std::uint64_t freed = blocks(std::exchange(reserved_, 0)) - blocks(end);
  disk_bytes_.fetch_sub(freed, std::memory_order_relaxed);
  usage_->fetch_sub(freed, std::memory_order_relaxed);
  return true;
}

SegmentFile::Read SegmentFile::read(std::uint64_t offset, std::span<char> into) const {
  while (!into.empty()) {
    const ssize_t count = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Read::failed;  // truncated, or the disk is broken
    offset += static_cast<std::uint64_t>(count);
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return Read::done;
}

SegmentFile::Read SegmentFile::read_now(std::uint64_t offset, std::span<char> into) const {
  iovec piece{into.data(), into.size()};
  const ssize_t count = ::preadv2(fd_, &piece, 1, static_cast<off_t>(offset), without_waiting_);
  // Anything but everything is left to read(), which can tell a short file from one that is not in memory.
  return count == static_cast<ssize_t>(into.size()) ? Read::done : Read::would_wait;
}

void SegmentFile::will_read(std::uint64_t offset, std::uint64_t length) const {
  ::posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(length), POSIX_FADV_WILLNEED);
}

bool SegmentFile::punch(std::uint64_t offset, std::uint64_t length) {
  written_ = true;
  const std::uint64_t before = allocated(fd_);
  if (::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(length)) == 0) {
    // Not what the length says: there may have been a hole already.
    const std::uint64_t freed = std::min(before - std::min(before, allocated(fd_)), disk_bytes_.load());
    disk_bytes_.fetch_sub(freed, std::memory_order_relaxed);
    usage_->fetch_sub(freed, std::memory_order_relaxed);
    return true;
  }
  // A file system without holes: write zeros.
  const std::vector<char> zeros(std::min<std::uint64_t>(length, 64 * 1024));
  while (length > 0) {
    const ssize_t count =
        ::pwrite(fd_, zeros.data(), std::min<std::uint64_t>(length, zeros.size()), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    offset += static_cast<std::uint64_t>(count);
    length -= static_cast<std::uint64_t>(count);
  }
  return true;
}

bool SegmentFile::sync() {
  if (written_ && ::fdatasync(fd_) != 0) return false;
  written_ = false;
  return true;
}

void SegmentFile::unlink() {
  ::unlink(path_.c_str());
}

}  // namespace outrider
