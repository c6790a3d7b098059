// Password hashes as crypt(3) knows them. Slow on purpose: call on a worker thread.
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>

namespace outrider {

// Longer passwords, and those with a NUL byte, are refused: crypt(3) would stop reading there.
inline constexpr std::size_t kMaxPassword = 511;

// A new hash of the strongest kind this system has (yescrypt).
Result<std::string> hash_password(std::string_view password);

// In constant time as far as the comparison goes. False for whatever hash_problem() objects to.
bool verify_password(std::string_view password, const std::string& hash);

// Why a line of a password file is not accepted: "" if it is, else the end of a sentence. Accepted: yescrypt,
// gost-yescrypt, scrypt, bcrypt (also htpasswd's $2y$), SHA-512 and SHA-256 crypt.
std::string hash_problem(const std::string& hash);

}  // namespace outrider
