// Files that hold secrets (password hashes, tokens, credentials for parents): refused if others may read or change
// them, and replaced as a whole or not at all.
#pragma once

#include "base/error.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace outrider {

inline constexpr std::size_t kMaxSecretFile = 16 * 1024 * 1024;

// The text of a file that nobody but its owner and group may read and nobody but its owner may write. Failures:
// not_found, or io with what to do about it.
Result<std::string> read_secret_file(const std::string& path);

// Replaces the file by what `edit` makes of its text ("" if there is none yet); edit's own failure leaves it as it was.
// Two editors at once take turns. A new file gets mode 0600; an existing one keeps its mode, owner and group.
Result<void> edit_secret_file(const std::string& path,
                              const std::function<Result<std::string>(const std::string& text)>& edit);

}  // namespace outrider
