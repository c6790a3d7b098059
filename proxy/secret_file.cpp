#include "proxy/secret_file.hpp"

#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace outrider {
namespace {

Error failed(std::string_view doing, const std::string& path) {
  const int code = errno;
  return Error{code == ENOENT ? ErrorKind::not_found : ErrorKind::io, Side::self,
               fmt::format("{}: cannot {}: {}", path, doing, std::generic_category().message(code))};
}

// An open file whose mode has been checked on the very descriptor that is then read.
Result<FileDescriptor> open_checked(const std::string& path, struct stat& status) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a FIFO must not make us wait
  if (!file.is_open()) return failed("open it", path);
  if (::fstat(file.get(), &status) != 0) return failed("look at it", path);
  if (!S_ISREG(status.st_mode))
    return Error{ErrorKind::io, Side::self, fmt::format("{}: is not an ordinary file", path)};
  if (static_cast<std::uint64_t>(status.st_size) > kMaxSecretFile)
    return Error{ErrorKind::io, Side::self, fmt::format("{}: is larger than 16 MiB; is it the right file?", path)};
  if ((status.st_mode & 0027U) != 0)
    return Error{ErrorKind::io, Side::self,
                 fmt::format("{}: others may read or change it (mode {:04o}), and it holds secrets; run: chmod 640 {}",
                             path, status.st_mode & 07777U, path)};
  return file;
}

Result<std::string> read_all(const FileDescriptor& file, const struct stat& status, const std::string& path) {
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read it", path);
    if (got == 0) break;  // it has become shorter meanwhile
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

Result<void> write_all(const FileDescriptor& file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t put = ::write(file.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed("write it", path);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(file.get()) != 0) return failed("write it", path);
  return {};
}

// The new text in a file of its own beside the old one, then in its place.
Result<void> replace(const std::string& path, std::string_view text, const std::optional<struct stat>& old,
                     const FileDescriptor& folder) {
  std::string temporary = path + ".XXXXXX";
  const FileDescriptor file{::mkostemp(temporary.data(), O_CLOEXEC)};  // mode 0600
  if (!file.is_open()) return failed("write a new one", path);
  const auto give_up = [&](const Error& error) {
    ::unlink(temporary.c_str());
    return error;
  };
  if (old) {
    const bool same_owner = old->st_uid == ::geteuid() && old->st_gid == ::getegid();
    if (!same_owner && ::fchown(file.get(), old->st_uid, old->st_gid) != 0)
      return give_up(failed("keep its owner", path));
    if (::fchmod(file.get(), old->st_mode & 07777U) != 0) return give_up(failed("keep its mode", path));
  }
  if (Result<void> written = write_all(file, text, path); !written) return give_up(written.error());
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up(failed("replace it", path));
  if (::fsync(folder.get()) != 0) return failed("replace it", path);
  return {};
}

}  // namespace

Result<std::string> read_secret_file(const std::string& path) {
  struct stat status {};
  Result<FileDescriptor> file = open_checked(path, status);
  if (!file) return file.error();
  return read_all(*file, status, path);
}

Result<void> edit_secret_file(const std::string& given_path,
                              const std::function<Result<std::string>(const std::string& text)>& edit) {
  std::error_code ignored;
  std::filesystem::path resolved = std::filesystem::weakly_canonical(given_path, ignored);  // the file behind a link
  const std::string path = resolved.empty() ? given_path : resolved.string();
  const std::string folder_path = resolved.has_parent_path() ? resolved.parent_path().string() : ".";

  const FileDescriptor folder{::open(folder_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder.is_open()) return failed("open its folder", path);
  while (::flock(folder.get(), LOCK_EX) != 0)
    if (errno != EINTR) return failed("lock its folder", path);

  struct stat status {};
  std::optional<struct stat> old;
  std::string text;
  Result<FileDescriptor> file = open_checked(path, status);
  if (file) {
    Result<std::string> read = read_all(*file, status, path);
    if (!read) return read.error();
    text = std::move(*read);
    old = status;
  } else if (file.error().kind != ErrorKind::not_found) {
    return file.error();
  }
  Result<std::string> edited = edit(text);
  if (!edited) return edited.error();
  return replace(path, *edited, old, folder);
}

}  // namespace outrider
