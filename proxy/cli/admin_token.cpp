#include "proxy/cli/admin_token.hpp"

#include "proxy/cli/small_file.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <array>
#include <string>

namespace outrider::cli {

Result<void> ensure_admin_token(const std::filesystem::path& file) {
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
    if (info.st_size > 0) return {};
  }
  std::array<unsigned char, 32> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    return Error{ErrorKind::io, Side::self, "the system has no random numbers for the admin token"};
  std::string token;
  for (const unsigned char byte : random) token += fmt::format("{:02x}", byte);
  return write_small_file(file, token + "\n");
}

}  // namespace outrider::cli
