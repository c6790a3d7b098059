// List paths of URLs: segments, dot segments and the drive letters of file URLs
// (https://url.spec.whatwg.org/#path-state). A path is kept serialised, "/" before every segment, at the end of the
// string that is being built.
#pragma once

#include "base/url.hpp"

#include <string>
#include <string_view>

namespace outrider {

enum class PathEnd : std::uint8_t { at_query_or_hash, at_input_end };

// Appends the segments of `input`, which starts behind the slash that opens the path. `path_begin` is where the path
// starts in `out`. Returns how many bytes of `input` were used. Linear: each dot-dot removes what was appended before.
std::size_t append_path(std::string& out, std::size_t path_begin, std::string_view input, UrlScheme scheme,
                        PathEnd end);

// Removes the last segment, if any, but never the drive letter of a file URL.
void shorten_path(std::string& out, std::size_t path_begin, UrlScheme scheme);

bool is_windows_drive_letter(std::string_view text);             // "C:" or "C|"
bool is_normalized_windows_drive_letter(std::string_view text);  // "C:"
bool starts_with_windows_drive_letter(std::string_view text);
// 0: an ordinary segment; 1: "." or "%2e"; 2: ".." in its spellings.
int dots_of_segment(std::string_view segment);

}  // namespace outrider
