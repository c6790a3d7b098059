#include "proxy/plugin_store.hpp"

#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace outrider {
namespace {

namespace fs = std::filesystem;

Error io_error(std::string_view what, const fs::path& path, int reason) {
  return {ErrorKind::io, Side::self, fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(reason))};
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// Every key is a file name of its own on every file system: a-z 0-9 - _ as they are, the rest as %XX.
std::string file_name(std::string_view key) {
  std::string name;
  for (const char c : key) {
    if (is_plain(c)) {
      name += c;
    } else {
      name += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return name;
}

std::optional<std::string> key_of(std::string_view name) {
  std::string key;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '%' && i + 2 < name.size()) {
      key += static_cast<char>(std::strtoul(std::string{name.substr(i + 1, 2)}.c_str(), nullptr, 16));
      i += 2;
    } else if (is_plain(name[i])) {
      key += name[i];
    } else {
      return std::nullopt;  // not ours: one that is being written
    }
  }
  return key;
}

}  // namespace

Result<void> ensure_private_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return io_error("create", folder, errno);
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) return io_error("look at", folder, errno);
  if (!S_ISDIR(info.st_mode)) return io_error("use", folder, ENOTDIR);
  if (info.st_uid != ::geteuid() || (info.st_mode & 022) != 0)
    return Error{ErrorKind::io, Side::self, fmt::format("{} can be changed by others", folder.string())};
  return {};
}

Result<void> replace_file(const fs::path& path, std::string_view text) {
  static std::atomic<unsigned> serial{0};
  const std::string fresh = fmt::format("{}.new.{}.{}", path.string(), ::getpid(), serial++);
  const auto failed = [&](int reason) {
    ::unlink(fresh.c_str());
    return io_error("write", path, reason);
  };
  {
    const FileDescriptor file{::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!file.is_open()) return failed(errno);
    while (!text.empty()) {
      const ssize_t count = ::write(file.get(), text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed(errno);
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    if (::fsync(file.get()) != 0) return failed(errno);
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) return failed(errno);
  return {};
}

Result<fs::path> FolderPluginStore::file_of(std::string_view key) const {
  if (key.empty() || key.size() > kLongestKey)
    return Error{ErrorKind::invalid_argument, Side::self, fmt::format("a key has 1 to {} bytes", kLongestKey)};
  std::string name = file_name(key);
  if (name.size() > 250)
    return Error{ErrorKind::invalid_argument, Side::self, "the key has too many special characters"};
  return folder_ / std::move(name);
}

Result<std::optional<std::string>> FolderPluginStore::get(std::string_view key) const {
  const Result<fs::path> path = file_of(key);
  if (!path) return path.error();
  const FileDescriptor file{::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (!file.is_open()) {
    if (errno == ENOENT) return std::optional<std::string>{};
    return io_error("read", *path, errno);
  }
  std::string value;
  char piece[16384];
  for (;;) {
    const ssize_t count = ::read(file.get(), piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("read", *path, errno);
    if (count == 0) break;
    value.append(piece, static_cast<std::size_t>(count));
    if (value.size() > kLargestValue) return io_error("read", *path, EFBIG);
  }
  return std::optional{std::move(value)};
}

Result<void> FolderPluginStore::put(std::string_view key, std::string_view value) {
  const Result<fs::path> path = file_of(key);
  if (!path) return path.error();
  if (value.size() > kLargestValue)
    return Error{ErrorKind::invalid_argument, Side::self, "the value is larger than 16 MiB"};
  if (Result<void> made = ensure_private_folder(folder_); !made) return made;
  return replace_file(*path, value);
}

Result<void> FolderPluginStore::remove(std::string_view key) {
  const Result<fs::path> path = file_of(key);
  if (!path) return path.error();
  if (::unlink(path->c_str()) != 0 && errno != ENOENT) return io_error("remove", *path, errno);
  return {};
}

Result<std::vector<std::string>> FolderPluginStore::keys() const {
  std::vector<std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error))
    if (const std::optional<std::string> key = key_of(entry.path().filename().string())) found.push_back(*key);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace outrider
