#include "proxy/cli/data_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

Error failure(const fs::path& path, std::string_view what, const std::string& reason) {
  return Error(ErrorKind::io, Side::self, fmt::format("data directory {} {}: {}", path.string(), what, reason));
}

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace

Result<DataDirectory> DataDirectory::open(const fs::path& path) {
  std::error_code failed;
  const fs::path parent = fs::absolute(path).lexically_normal().parent_path();
  fs::create_directories(parent, failed);
  if (failed) return failure(path, "cannot be created", failed.message());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failure(path, "cannot be created", reason_of(errno));
  if (!fs::is_directory(path, failed)) return failure(path, "cannot be used", "it is not a directory");

  const fs::path file = path / "lock";
  const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0) return failure(path, "is not writable", reason_of(errno));
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(lock);
    if (error == EWOULDBLOCK) return failure(path, "is in use", "another outrider runs with it");
    return failure(path, "cannot be locked", reason_of(error));
  }
  return DataDirectory(lock);
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept : lock_(std::exchange(other.lock_, -1)) {}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace outrider::cli
