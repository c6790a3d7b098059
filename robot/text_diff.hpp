// What changed between two texts, line by line (a long line sentence by sentence): for `outrider watch`. Myers'
// algorithm with bounds: texts that differ in too much are still described correctly, only not with the fewest words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct DiffPart {
  enum class Kind : std::uint8_t { same, removed, added };
  Kind kind = Kind::same;
  std::string text;  // one line or sentence
  bool operator==(const DiffPart&) const = default;
};

struct TextDiff {
  std::vector<DiffPart> parts;  // in order; a removed part stands before what came in its place
  std::size_t added = 0, removed = 0;
  bool cut = false;  // only the first kMostDiffUnits of a text were looked at
  bool changed() const { return added + removed > 0; }
};

inline constexpr std::size_t kMostDiffUnits = 20'000;  // lines and sentences of a text
inline constexpr std::size_t kMostDiffEdits = 1'000;   // beyond, the middle is replaced as a whole

TextDiff diff_texts(std::string_view before, std::string_view after);

// "- old" and "+ new" lines with `context` unchanged ones around them, "…" for what is left out; at most `limit` bytes.
std::string format_diff(const TextDiff& diff, std::size_t context = 1, std::size_t limit = 16 << 10);

// The units that are compared: lines without blanks at their ends and without empty ones; sentences of long lines.
std::vector<std::string_view> diff_units(std::string_view text);

}  // namespace outrider
