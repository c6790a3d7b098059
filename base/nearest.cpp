#include "base/nearest.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace outrider {
namespace {

constexpr std::size_t kLongestWord = 64;  // the distance is quadratic; nobody means a longer word

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the one before last is needed for swapped neighbours.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = to_ascii_lower(a[i - 1]) == to_ascii_lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && to_ascii_lower(a[i - 1]) == to_ascii_lower(b[j - 2]) &&
                           to_ascii_lower(a[i - 2]) == to_ascii_lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  // A third of the word may be wrong, or it is another word; three edits at most.
  std::size_t best = std::min<std::size_t>(3, std::max<std::size_t>(1, word.size() / 3)) + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : known) {
    const bool unfinished = word.size() >= 3 && candidate.starts_with(word);  // "conf" means "config"
    const std::size_t distance = unfinished ? 1 : edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  const auto found = nearest(word, known);
  return found ? fmt::format(", did you mean \"{}\"?", *found) : std::string{};
}

}  // namespace outrider
