// Lines in, lines out: for commands that are used as a co-process (answer each line at once) and on big files (be
// quick).
#pragma once

#include "proxy/cli/output.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace outrider::cli {

inline constexpr std::size_t kLongestLine = 1 << 20;

// Calls `answer` for each line of standard input that is not empty, without its line end. A line that is too long is
// passed as nullopt would be: `too_long` is its answer. Output is flushed whenever the next read could block. Returns
// the exit code.
int answer_lines(Output& out, const std::function<std::string(std::string_view line)>& answer,
                 std::string_view too_long);

}  // namespace outrider::cli
