// The two files that say who the users are, one line each, `#` begins a comment:
//
//   passwords   name:hash            hash as crypt(3) makes it (outrider user add, htpasswd -B, mkpasswd)
//   tokens      name:sha256          of a random token, in hexadecimal (outrider user token); any number a name
//
// Both kinds may stand in one file: a line whose second field is 64 hexadecimal digits is a token. Reading is for
// Access, editing for the command line; the functions for the latter are whole commands.
#pragma once

#include "base/error.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

using Sha256 = std::array<std::uint8_t, 32>;
Sha256 sha256(std::string_view text);

struct UserEntry {
  std::string name;
  std::string hash;  // "" for a token
  Sha256 token{};    // only without hash
  bool is_token() const { return hash.empty(); }
};

// Failures name the line: invalid_argument with "line 3: …".
Result<std::vector<UserEntry>> parse_users(std::string_view text);
Result<std::vector<UserEntry>> load_users(const std::string& path);  // also checks the mode of the file

// Why this cannot be the name of a user; "" if it can. No colon, no control characters, 1 to 128 bytes, not beginning
// with #.
std::string name_problem(std::string_view name);

// --- commands: `outrider user … NAME --file F`

enum class Added : std::uint8_t { created, replaced };
Result<Added> add_user(const std::string& path, std::string_view name, std::string_view password);
// Password and tokens. Failure: not_found.
Result<void> remove_user(const std::string& path, std::string_view name);
// A new token for this user, to be shown once: the file knows its hash only.
Result<std::string> add_token(const std::string& path, std::string_view name);

struct UserSummary {
  std::string name;
  bool has_password = false;
  std::size_t tokens = 0;
};
Result<std::vector<UserSummary>> list_users(const std::string& path);  // in the order of the file

}  // namespace outrider
