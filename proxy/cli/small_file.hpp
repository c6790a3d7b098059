// Small files that others read or rely on: written whole or not at all, and for their owner's eyes only.
#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <string_view>

namespace outrider::cli {

// Replaces the file (mode 0600) in one step.
Result<void> write_small_file(const std::filesystem::path& path, std::string_view text);

}  // namespace outrider::cli
