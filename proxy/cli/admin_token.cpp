#include "proxy/cli/admin_token.hpp"

#include "proxy/cli/small_file.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <string>

namespace outrider::cli {

Result<std::string> read_admin_token(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string token;
  if (!std::getline(in, token) || token.empty())
    return Error{
        ErrorKind::io, Side::self,
        fmt::format("{} cannot be read: has an Outrider been started with this data directory?", file.string())};
  return token;
}

Result<std::string> ensure_admin_token(const std::filesystem::path& file) {
  struct stat info {};
  if (::lstat(file.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode))
      return Error{ErrorKind::io, Side::self,
                   fmt::format("{} is not a file; remove it and start again", file.string())};
    if ((info.st_mode & 077) != 0)
      return Error{
          ErrorKind::io, Side::self,
          fmt::format("{} can be read by others, so it is no secret any more; remove it, and a new one is made",
                      file.string())};
    if (info.st_size > 0) return read_admin_token(file);
  }
  std::array<unsigned char, 32> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    return Error{ErrorKind::io, Side::self, "the system has no random numbers for the admin token"};
  std::string token;
  for (const unsigned char byte : random) token += fmt::format("{:02x}", byte);
  if (Result<void> written = write_small_file(file, token + "\n"); !written) return written.error();
  return token;
}

}  // namespace outrider::cli
