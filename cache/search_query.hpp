// What a person typed into the search, read: words, "phrases", -not, OR, word*, and filters (docs/search.md). Knows
// nothing of the index; neighbour: search_plan, which makes a Xapian query of it.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

inline constexpr std::size_t kMaxQueryBytes = 2048;
inline constexpr std::size_t kMaxQueryParts = 32;  // words, phrases and filters; what is beyond is ignored
inline constexpr std::size_t kMaxPhraseBytes = 512;

struct QueryWord {
  std::string text;  // UTF-8, not empty
  bool phrase = false;
  bool excluded = false;
  bool prefix = false;             // word*: everything that begins so
  bool or_before = false;          // OR stood between the word before and this one
  std::size_t begin = 0, end = 0;  // where `text` is in SearchQuery::text
};

// From (inclusive) until (exclusive).
struct TimeSpan {
  std::optional<WallTime> from, until;
};

struct QueryFilters {
  std::vector<std::string> sites, languages, types, links;
};

struct SearchQuery {
  std::string text;  // what was typed, in valid UTF-8
  std::vector<QueryWord> words;
  QueryFilters wanted, excluded;
  TimeSpan fetched;             // before: and after:
  std::optional<bool> visited;  // visited:yes, visited:no; a span of time is also a yes
  TimeSpan visits;
  bool asks_nothing = true;  // neither word nor filter

  bool has_wanted_words() const;
};

// Failures are for the person who asked: too long, a date that is none.
Result<SearchQuery> parse_search_query(std::string_view text, WallTime now);

// "2024", "2024-05", "2024-05-31" (UTC), "today", "yesterday", "week", "month", "year" (the last 7, 30, 365 days),
// "12h", "3d": the span that is meant.
std::optional<TimeSpan> parse_time_span(std::string_view text, WallTime now);

}  // namespace outrider
