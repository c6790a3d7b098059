#include "proxy/authority_folder.hpp"

#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace outrider {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 256 * 1024;

Error failed(std::string_view doing, const fs::path& path) {
  const int code = errno;
  return Error{code == ENOENT ? ErrorKind::not_found : ErrorKind::io, Side::self,
               fmt::format("{}: cannot {}: {}", path.string(), doing, std::generic_category().message(code))};
}

Error refused(const fs::path& path, std::string_view why) {
  return Error{ErrorKind::io, Side::self, fmt::format("{}: {}", path.string(), why)};
}

// Who has this key can pretend to be any site to whoever trusts it. So it is not enough that it is safe now: a key that
// others could read may be in their hands, hence the second way out.
Result<void> check_private(int file, const fs::path& path, unsigned right_mode) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return failed("look at it", path);
  if (status.st_uid != ::geteuid())
    return refused(path, fmt::format("belongs to user {}, but must belong to the user who runs Outrider ({}); run: "
                                     "chown {} {}",
                                     status.st_uid, ::geteuid(), ::geteuid(), path.string()));
  if ((status.st_mode & 077U) != 0)
    return refused(path, fmt::format("others can get at it (mode {:04o}); run: chmod {:o} {} (and outrider ca renew, "
                                     "if somebody may have copied the key)",
                                     status.st_mode & 07777U, right_mode, path.string()));
  return {};
}

Result<std::string> read_text(int file, const fs::path& path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return failed("look at it", path);
  if (!S_ISREG(status.st_mode)) return refused(path, "is not an ordinary file");
  if (static_cast<std::uint64_t>(status.st_size) > kLargestFile) return refused(path, "is too large to be right");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(file, text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read it", path);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

Result<void> write_new(int folder, const fs::path& path, std::string_view text) {
  const FileDescriptor file{::openat(folder, path.filename().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!file.is_open()) return failed("create it", path);
  while (!text.empty()) {
    const ssize_t put = ::write(file.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed("write it", path);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(file.get()) != 0) return failed("write it", path);
  return {};
}

fs::path parent_of(const fs::path& folder) {
  return folder.has_parent_path() ? folder.parent_path() : fs::path{"."};
}

// One at a time works on the folder; the lock is on its parent, for the folder itself comes and goes.
Result<FileDescriptor> lock_parent(const fs::path& folder) {
  const fs::path parent = parent_of(folder);
  FileDescriptor descriptor{::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!descriptor.is_open()) return failed("open it", parent);
  while (::flock(descriptor.get(), LOCK_EX) != 0)
    if (errno != EINTR) return failed("lock it", parent);
  return descriptor;
}

// A complete folder beside the place where it will be. What a crash has left there is removed: nobody has used it.
Result<fs::path> write_beside(const fs::path& folder, const AuthorityTexts& texts) {
  const fs::path fresh = folder.string() + ".new";
  std::error_code problem;
  fs::remove_all(fresh, problem);
  if (::mkdir(fresh.c_str(), 0700) != 0) return failed("create it", fresh);
  const FileDescriptor open_folder{::open(fresh.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!open_folder.is_open()) return failed("open it", fresh);
  if (Result<void> done = write_new(open_folder.get(), fresh / kAuthorityKeyFile, texts.key); !done)
    return done.error();
  if (Result<void> done = write_new(open_folder.get(), fresh / kAuthorityCertificateFile, texts.certificate); !done)
    return done.error();
  if (::fsync(open_folder.get()) != 0) return failed("write it", fresh);
  return fresh;
}

Result<void> swap_in(const fs::path& fresh, const fs::path& folder, const FileDescriptor& parent) {
  std::error_code problem;
  // In one step; where the file system cannot do that, with an instant without any authority rather than with half of
  // one.
  const bool exchanged = ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0;
  if (!exchanged) {
    const fs::path old = folder.string() + ".old";
    fs::remove_all(old, problem);
    if (::rename(folder.c_str(), old.c_str()) != 0 && errno != ENOENT) return failed("move it away", folder);
    if (::rename(fresh.c_str(), folder.c_str()) != 0) return failed("create it", folder);
    fs::remove_all(old, problem);
  }
  if (::fsync(parent.get()) != 0) return failed("write it", parent_of(folder));
  if (exchanged) fs::remove_all(fresh, problem);
  return {};
}

}  // namespace

Result<AuthorityTexts> read_authority_folder(const fs::path& folder) {
  const FileDescriptor open_folder{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!open_folder.is_open()) return failed("open it", folder);
  if (Result<void> good = check_private(open_folder.get(), folder, 0700); !good) return good.error();
  const auto open_file = [&](const char* name) {
    return FileDescriptor{::openat(open_folder.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  };
  const fs::path key_path = folder / kAuthorityKeyFile;
  const fs::path certificate_path = folder / kAuthorityCertificateFile;
  const FileDescriptor key = open_file(kAuthorityKeyFile);
  if (!key.is_open() && errno != ENOENT) return failed("open it", key_path);
  const FileDescriptor certificate = open_file(kAuthorityCertificateFile);
  if (!certificate.is_open() && errno != ENOENT) return failed("open it", certificate_path);
  if (!key.is_open() && !certificate.is_open())
    return Error{ErrorKind::not_found, Side::self, fmt::format("{}: there is no authority in it", folder.string())};
  if (!key.is_open() || !certificate.is_open())
    return refused(key.is_open() ? certificate_path : key_path,
                   "is missing, and the other half is useless without it; restore it, or run: outrider ca renew");
  if (Result<void> good = check_private(key.get(), key_path, 0600); !good) return good.error();
  Result<std::string> key_text = read_text(key.get(), key_path);
  if (!key_text) return key_text.error();
  Result<std::string> certificate_text = read_text(certificate.get(), certificate_path);
  if (!certificate_text) return certificate_text.error();
  return AuthorityTexts{std::move(*key_text), std::move(*certificate_text)};
}

Result<std::string> read_authority_certificate(const fs::path& folder) {
  const fs::path path = folder / kAuthorityCertificateFile;
  const FileDescriptor certificate{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (certificate.is_open()) return read_text(certificate.get(), path);
  const Error why = failed("open it", path);
  struct stat key {};
  if (why.kind == ErrorKind::not_found && ::lstat((folder / kAuthorityKeyFile).c_str(), &key) == 0)
    return refused(path, "is missing");
  return why;
}

Result<AuthorityTexts> ensure_authority_folder(const fs::path& folder, const MakeAuthority& make) {
  Result<AuthorityTexts> there = read_authority_folder(folder);
  if (there || there.error().kind != ErrorKind::not_found) return there;
  const Result<FileDescriptor> parent = lock_parent(folder);
  if (!parent) return parent.error();
  there = read_authority_folder(folder);  // somebody may have been quicker
  if (there || there.error().kind != ErrorKind::not_found) return there;
  Result<AuthorityTexts> made = make();
  if (!made) return made;
  const Result<fs::path> fresh = write_beside(folder, *made);
  if (!fresh) return fresh.error();
  if (::rename(fresh->c_str(), folder.c_str()) != 0) return failed("create it", folder);
  if (::fsync(parent->get()) != 0) return failed("write it", parent_of(folder));
  return made;
}

Result<void> replace_authority_folder(const fs::path& folder, const AuthorityTexts& texts) {
  const Result<FileDescriptor> parent = lock_parent(folder);
  if (!parent) return parent.error();
  const Result<fs::path> fresh = write_beside(folder, texts);
  if (!fresh) return fresh.error();
  return swap_in(*fresh, folder, *parent);
}

}  // namespace outrider
