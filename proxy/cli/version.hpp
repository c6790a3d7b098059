// The version of the program, for whoever shows it.
#pragma once

#include <string_view>

namespace outrider::cli {

std::string_view version();  // "0.1.0"

}  // namespace outrider::cli
