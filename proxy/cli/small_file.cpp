#include "proxy/cli/small_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace outrider::cli {

Result<void> write_small_file(const std::filesystem::path& path, std::string_view text) {
  const std::string fresh = fmt::format("{}.new-{}", path.string(), ::getpid());
  const auto failed = [&](const char* what) {
    const int reason = errno;
    ::unlink(fresh.c_str());
    return Error{ErrorKind::io, Side::self,
                 fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(reason))};
  };
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed("create");
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t count = ::write(file, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const Error error = failed("write");
      ::close(file);
      return error;
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  ::fsync(file);
  ::close(file);
  if (::rename(fresh.c_str(), path.c_str()) != 0) return failed("create");
  return {};
}

}  // namespace outrider::cli
