#include "cache/store_index_files.hpp"

#include "cache/memory_file.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <utility>

namespace outrider {
namespace {

class PatientFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  PatientFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, int fd)
      : FSRandomAccessFileOwnerWrapper(std::move(file)),
        fd_(fd),
        without_waiting_(is_memory_file(fd) ? 0 : RWF_NOWAIT) {}
  ~PatientFile() override { ::close(fd_); }

  rocksdb::IOStatus Read(std::uint64_t offset, std::size_t count, const rocksdb::IOOptions& options,
                         rocksdb::Slice* result, char* scratch, rocksdb::IODebugContext* debug) const override {
    if (!NoWaiting::active()) return target()->Read(offset, count, options, result, scratch, debug);
    iovec piece{scratch, count};
    // A short read is the end of the file or the end of what is in memory; nobody can tell, so it is left to the
    // patient.
    if (::preadv2(fd_, &piece, 1, static_cast<off_t>(offset), without_waiting_) != static_cast<ssize_t>(count))
      return rocksdb::IOStatus::Busy();
    *result = rocksdb::Slice(scratch, count);
    return rocksdb::IOStatus::OK();
  }

 private:
  const int fd_;
  const int without_waiting_;  // how to read so
};

class IndexFiles final : public rocksdb::FileSystemWrapper {
 public:
  IndexFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "outrider-index-files"; }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* debug) override {
    const rocksdb::IOStatus opened = FileSystemWrapper::NewRandomAccessFile(name, options, result, debug);
    if (!opened.ok()) return opened;
    // A descriptor of our own, because RocksDB does not tell its own one. Without it: always patient.
    if (const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC); fd >= 0)
      *result = std::make_unique<PatientFile>(std::move(*result), fd);
    return opened;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> make_index_files() {
  return std::make_shared<IndexFiles>();
}

}  // namespace outrider
