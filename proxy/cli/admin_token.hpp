// The secret that lets a person or program control this Outrider: in a file that only its owner can read.
#pragma once

#include "base/error.hpp"

#include <filesystem>

namespace outrider::cli {

// Makes the token at the first start, keeps it afterwards; refuses one that others can read.
Result<void> ensure_admin_token(const std::filesystem::path& file);

}  // namespace outrider::cli
