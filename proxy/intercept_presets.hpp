// The lists of conf/never-intercept as they were when the program was built: hosts that are nobody's business, not even
// ours. tls.never_intercept_presets names those that are in force, tls.never_intercept_folder
// has what a person made of them; tls.never_intercept_files has a person's own.
#pragma once

#include <span>
#include <string_view>

namespace outrider {

struct InterceptPreset {
  std::string_view name;
  std::string_view text;  // of the list
};

std::span<const InterceptPreset> intercept_presets();

}  // namespace outrider
