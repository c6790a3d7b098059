#include "robot/text_diff.hpp"

#include "base/ascii.hpp"
#include "base/escape.hpp"

#include <algorithm>
#include <span>

namespace outrider {
namespace {

constexpr std::size_t kLongLine = 160;  // bytes: longer ones are cut into sentences
constexpr std::string_view kBlanks = " \t\r\f\v";
using Units = std::span<const std::string_view>;
using Kind = DiffPart::Kind;

// Behind the end of the first sentence: ". ", "! ", "? ", and the full stops of scripts that write no blanks.
std::size_t sentence_end(std::string_view line) {
  constexpr std::string_view kStops[] = {". ", "! ", "? ", "。", "！", "？"};
  std::size_t end = line.size();
  for (std::string_view stop : kStops) {
    const std::size_t at = line.substr(0, end).find(stop);
    if (at != std::string_view::npos) end = at + stop.size();
  }
  return end;
}

void take(TextDiff& diff, Kind kind, Units units) {
  for (std::string_view unit : units) diff.parts.push_back({kind, std::string(unit)});
  if (kind == Kind::added) diff.added += units.size();
  if (kind == Kind::removed) diff.removed += units.size();
}

// The greedy algorithm of Myers (1986): furthest[k] is how far `before` is consumed on diagonal k after d edits; one
// copy of it is kept per d for the way back. False: more than kMostDiffEdits apart.
bool diff_middle(TextDiff& diff, Units before, Units after) {
  const int n = static_cast<int>(before.size()), m = static_cast<int>(after.size());
  const int most = static_cast<int>(std::min(before.size() + after.size(), kMostDiffEdits));
  std::vector<int> furthest(static_cast<std::size_t>(2 * most + 3), 0);
  const auto at = [most](int k) { return static_cast<std::size_t>(k + most + 1); };
  std::vector<std::vector<int>> history;  // of step d: diagonals −d … d
  int d = 0;
  for (bool done = false; !done; ++d) {
    if (d > most) return false;
    history.emplace_back(furthest.begin() + static_cast<std::ptrdiff_t>(at(-d)) - 1,
                         furthest.begin() + static_cast<std::ptrdiff_t>(at(d)) + 2);
    for (int k = -d; k <= d && !done; k += 2) {
      const bool down = k == -d || (k != d && furthest[at(k - 1)] < furthest[at(k + 1)]);
      int x = down ? furthest[at(k + 1)] : furthest[at(k - 1)] + 1;
      while (x < n && x - k < m && x - k >= 0 &&
             before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(x - k)])
        ++x;
      furthest[at(k)] = x;
      done = x >= n && x - k >= m;
    }
  }
  // Back from the end; the parts come in reverse.
  std::vector<DiffPart> reversed;
  int x = n, y = m;
  for (--d; d >= 0; --d) {
    const std::vector<int>& row = history[static_cast<std::size_t>(d)];
    const auto value = [&row, d](int k) { return row[static_cast<std::size_t>(k + d + 1)]; };
    const int k = x - y;
    const bool down = k == -d || (k != d && value(k - 1) < value(k + 1));
    const int from_k = down ? k + 1 : k - 1;
    const int from_x = d == 0 ? 0 : value(from_k), from_y = d == 0 ? 0 : from_x - from_k;
    while (x > from_x && y > from_y) {
      --x, --y;
      reversed.push_back({Kind::same, std::string(before[static_cast<std::size_t>(x)])});
    }
    if (d == 0) break;
    if (down) {
      reversed.push_back({Kind::added, std::string(after[static_cast<std::size_t>(--y)])});
      ++diff.added;
    } else {
      reversed.push_back({Kind::removed, std::string(before[static_cast<std::size_t>(--x)])});
      ++diff.removed;
    }
  }
  diff.parts.insert(diff.parts.end(), std::make_move_iterator(reversed.rbegin()),
                    std::make_move_iterator(reversed.rend()));
  return true;
}

}  // namespace

std::vector<std::string_view> diff_units(std::string_view text) {
  std::vector<std::string_view> units;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, end), kBlanks);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_long = line.size() > kLongLine;
    while (!line.empty()) {
      const std::size_t cut = is_long ? sentence_end(line) : line.size();
      units.push_back(trim(line.substr(0, cut), kBlanks));
      line = trim(line.substr(cut), kBlanks);
    }
  }
  return units;
}

TextDiff diff_texts(std::string_view before_text, std::string_view after_text) {
  TextDiff diff;
  std::vector<std::string_view> before = diff_units(before_text), after = diff_units(after_text);
  for (auto* units : {&before, &after}) {
    diff.cut = diff.cut || units->size() > kMostDiffUnits;
    units->resize(std::min(units->size(), kMostDiffUnits));
  }
  const auto [same, other] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const auto head = static_cast<std::size_t>(same - before.begin());
  const auto [back, other_back] = std::mismatch(before.rbegin(), std::make_reverse_iterator(same), after.rbegin(),
                                                std::make_reverse_iterator(other));
  const auto tail = static_cast<std::size_t>(back - before.rbegin());
  const Units old_middle = Units(before).subspan(head, before.size() - head - tail);
  const Units new_middle = Units(after).subspan(head, after.size() - head - tail);
  take(diff, Kind::same, Units(before).first(head));
  if (!diff_middle(diff, old_middle, new_middle)) {
    take(diff, Kind::removed, old_middle);
    take(diff, Kind::added, new_middle);
  }
  take(diff, Kind::same, Units(before).last(tail));
  return diff;
}

std::string format_diff(const TextDiff& diff, std::size_t context, std::size_t limit) {
  const std::size_t count = diff.parts.size();
  std::vector<bool> shown(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    if (diff.parts[i].kind == Kind::same) continue;
    for (std::size_t j = i - std::min(i, context); j < std::min(count, i + context + 1); ++j) shown[j] = true;
  }
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    if (!shown[i]) {
      if (i == 0 || shown[i - 1]) out += "…\n";
      continue;
    }
    const Kind kind = diff.parts[i].kind;
    const std::string line = one_line(diff.parts[i].text);
    if (out.size() + line.size() + 8 > limit) return out + "…\n";
    out += kind == Kind::same ? "  " : kind == Kind::added ? "+ " : "- ";
    out += line;
    out += '\n';
  }
  return diff.changed() ? out : std::string();
}

}  // namespace outrider
