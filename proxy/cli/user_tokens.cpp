#include "proxy/cli/user_tokens.hpp"

#include <openssl/crypto.h>

namespace outrider::cli {

std::vector<UserEntry> UserTokens::users() const {
  const std::string file = file_();
  if (file.empty()) return {};
  std::error_code missing;
  const auto changed = std::filesystem::last_write_time(file, missing);
  if (missing) return {};
  const std::lock_guard lock(mutex_);
  if (file != read_ || changed != changed_) {
    Result<std::vector<UserEntry>> users = load_users(file);
    known_ = users ? std::move(*users) : std::vector<UserEntry>{};  // what cannot be trusted lets nobody in
    read_ = file;
    changed_ = changed;
  }
  return known_;
}

std::optional<std::string> UserTokens::user_with_token(std::string_view token) const {
  const Sha256 digest = sha256(token);
  std::optional<std::string> found;
  for (const UserEntry& entry : users())
    if (entry.is_token() && CRYPTO_memcmp(entry.token.data(), digest.data(), digest.size()) == 0) found = entry.name;
  return found;
}

// The hashes that the file has for this user.
std::optional<std::string> UserTokens::mark_of(std::string_view user) const {
  std::optional<std::string> mark;
  for (const UserEntry& entry : users()) {
    if (entry.name != user) continue;
    if (!mark) mark.emplace();
    mark->append(entry.hash).append(entry.token.begin(), entry.token.end()).append("\n");
  }
  return mark;
}

}  // namespace outrider::cli
