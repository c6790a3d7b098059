// The secret that lets a person or program control this Outrider: in a file that only its owner can read.
#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <string>

namespace outrider::cli {

// Makes the token at the first start, keeps it afterwards; refuses one that others can read.
Result<std::string> ensure_admin_token(const std::filesystem::path& file);
// The token of an Outrider that has been started before.
Result<std::string> read_admin_token(const std::filesystem::path& file);

}  // namespace outrider::cli
