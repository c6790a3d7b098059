#include "proxy/password_hash.hpp"

#include <crypt.h>
#include <openssl/crypto.h>

#include <array>
#include <memory>

namespace outrider {
namespace {

// 32 KB, with traces of the password in it.
struct Scratch {
  crypt_data data{};
  ~Scratch() { OPENSSL_cleanse(&data, sizeof data); }
};

struct Zeroed {
  std::string text;
  explicit Zeroed(std::string_view from) : text(from) {}
  ~Zeroed() { OPENSSL_cleanse(text.data(), text.size()); }
};

std::string run_crypt(std::string_view password, const std::string& setting) {
  const auto scratch = std::make_unique<Scratch>();
  const Zeroed phrase{password};
  const char* hash = crypt_rn(phrase.text.c_str(), setting.c_str(), &scratch->data, sizeof scratch->data);
  return hash == nullptr || *hash == '*' ? std::string{} : std::string{hash};
}

bool possible(std::string_view password) {
  return password.size() <= kMaxPassword && password.find('\0') == std::string_view::npos;
}

struct Kind {
  std::string_view prefix;
  std::size_t length;  // of the whole hash, 0 = varies
};
constexpr std::array kAccepted = {Kind{"$y$", 0},   Kind{"$gy$", 0},  Kind{"$7$", 0}, Kind{"$2b$", 60},
                                  Kind{"$2y$", 60}, Kind{"$2a$", 60}, Kind{"$6$", 0}, Kind{"$5$", 0}};

}  // namespace

Result<std::string> hash_password(std::string_view password) {
  if (password.empty()) return Error{ErrorKind::invalid_argument, Side::self, "an empty password is none"};
  if (!possible(password))
    return Error{ErrorKind::invalid_argument, Side::self, "a password has at most 511 bytes and no NUL byte"};
  std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> setting{};
  // A null pointer for the random bytes: libcrypt asks the system for them.
  if (crypt_gensalt_rn("$y$", 0, nullptr, 0, setting.data(), static_cast<int>(setting.size())) == nullptr)
    return Error{ErrorKind::io, Side::self, "libcrypt cannot make a yescrypt salt"};
  std::string hash = run_crypt(password, setting.data());
  if (hash.empty()) return Error{ErrorKind::io, Side::self, "libcrypt cannot hash with yescrypt"};
  return hash;
}

bool verify_password(std::string_view password, const std::string& hash) {
  if (!possible(password) || hash.size() < 3) return false;
  const std::string computed = run_crypt(password, hash);
  return computed.size() == hash.size() && CRYPTO_memcmp(computed.data(), hash.data(), hash.size()) == 0;
}

std::string hash_problem(const std::string& hash) {
  const std::string_view text = hash;
  for (const Kind& kind : kAccepted) {
    if (!text.starts_with(kind.prefix)) continue;
    const bool whole = kind.length != 0 ? text.size() == kind.length
                                        : text.size() > kind.prefix.size() + 20 && text.rfind('$') > kind.prefix.size();
    const int salt = crypt_checksalt(hash.c_str());
    if (whole && text.find('\0') == std::string_view::npos &&
        (salt == CRYPT_SALT_OK || salt == CRYPT_SALT_METHOD_LEGACY))
      return {};
    return "is damaged or incomplete";
  }
  if (text.starts_with("$argon2"))
    return "is an argon2 hash, which this system's libcrypt does not know; use yescrypt or bcrypt";
  if (text.starts_with("$1$") || text.starts_with("$apr1$"))
    return "is an MD5 hash, which is too weak; use yescrypt or bcrypt";
  if (text.starts_with("{SHA}") || text.starts_with("$sha1"))
    return "is a SHA-1 hash, which is too weak; use yescrypt or bcrypt";
  if (text.starts_with('$')) return "is of a kind that is unknown or too weak; use yescrypt or bcrypt";
  return "is no password hash (or DES, which is too weak); plain text is not accepted";
}

}  // namespace outrider
