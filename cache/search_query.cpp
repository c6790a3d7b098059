#include "cache/search_query.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <charconv>

namespace outrider {
namespace {

using std::chrono::days;

Error wrong(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::client, std::move(detail)};
}

bool is_space(char32_t c) {
  return c <= 0x20 || c == 0x7F || c == 0x85 || c == 0xA0 || (c >= 0x2000 && c <= 0x200B) || c == 0x2028 ||
         c == 0x2029 || c == 0x3000;
}

// Keyboards and word processors write many: all of them open and close a phrase.
bool is_quote(char32_t c) {
  return c == '"' || (c >= 0x201C && c <= 0x201F) || c == 0xAB || c == 0xBB || c == 0xFF02;
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<TimeSpan> calendar_span(std::string_view text) {
  using namespace std::chrono;
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return std::nullopt;
  const auto y = number(text.substr(0, 4));
  if (!y || *y < 1970 || *y > 9999) return std::nullopt;
  const auto instant = [](year_month_day date) { return WallTime{sys_days{date}.time_since_epoch()}; };
  // The clock counts nanoseconds in 64 bits: it ends in 2262.
  if (*y > 2200) return std::nullopt;
  if (text.size() == 4) return TimeSpan{instant(year{*y} / January / 1), instant(year{*y + 1} / January / 1)};
  const auto m = number(text.substr(5, 2));
  if (text[4] != '-' || !m || *m < 1 || *m > 12) return std::nullopt;
  const year_month month{year{*y}, std::chrono::month{static_cast<unsigned>(*m)}};
  if (text.size() == 7) return TimeSpan{instant(month / 1), instant((month + months{1}) / 1)};
  const auto d = number(text.substr(8, 2));
  if (text[7] != '-' || !d) return std::nullopt;
  const year_month_day day = month / static_cast<unsigned>(*d);
  if (!day.ok()) return std::nullopt;
  return TimeSpan{instant(day), instant(day) + days{1}};
}

class Parser {
 public:
  Parser(std::string_view text, WallTime now) : now_(now) { query_.text = replace_invalid_utf8(text); }

  Result<SearchQuery> parse() {
    while (skip_space() && parts_ < kMaxQueryParts)
      if (Result<void> done = part(); !done) return done.error();
    // OR needs something before it that it can be an alternative to.
    bool alternative = false;
    for (QueryWord& word : query_.words) {
      if (word.excluded || !alternative) word.or_before = false;
      alternative = !word.excluded;
    }
    query_.asks_nothing = parts_ == 0;
    return std::move(query_);
  }

 private:
  char32_t peek(std::size_t& after) const {
    after = at_;
    return next_code_point(query_.text, after);
  }
  bool skip_space() {
    for (std::size_t after = 0; at_ < query_.text.size(); at_ = after)
      if (!is_space(peek(after))) return true;
    return false;
  }

  Result<void> part() {
    bool excluded = false;
    if (query_.text[at_] == '-' || query_.text[at_] == '+') {
      excluded = query_.text[at_] == '-';
      ++at_;
      std::size_t after = 0;
      if (at_ == query_.text.size() || is_space(peek(after))) return {};  // a dash between words
    }
    std::size_t after = 0;
    if (is_quote(peek(after))) {
      at_ = after;
      add_phrase(excluded);
      return {};
    }
    const std::size_t begin = at_;
    for (; at_ < query_.text.size(); at_ = after) {
      const char32_t c = peek(after);
      if (is_space(c) || is_quote(c)) break;
    }
    const std::string_view word = std::string_view{query_.text}.substr(begin, at_ - begin);
    if (const std::size_t colon = word.find(':'); colon != std::string_view::npos) {
      const std::string name = ascii_lower(word.substr(0, colon));
      std::string value{word.substr(colon + 1)};
      if (value.empty() && at_ < query_.text.size() && is_filter(name) && is_quote(peek(after))) {
        at_ = after;
        value = quoted().first;
      }
      if (is_filter(name)) return add_filter(name, std::move(value), excluded);
    }
    add_word(begin, excluded);
    return {};
  }

  // What is inside quotes and where it is; an open quote ends with the query.
  std::pair<std::string, std::size_t> quoted() {
    const std::size_t begin = at_;
    std::size_t after = at_;
    for (; at_ < query_.text.size(); at_ = after)
      if (is_quote(peek(after))) break;
    std::string inside = query_.text.substr(begin, at_ - begin);
    at_ = std::max(at_, after);
    return {std::move(inside), begin};
  }

  void add_phrase(bool excluded) {
    auto [inside, begin] = quoted();
    if (std::all_of(inside.begin(), inside.end(), [](char c) { return c == ' '; })) return;
    std::size_t length = std::min(inside.size(), kMaxPhraseBytes);
    while (length > 0 && length < inside.size() && (inside[length] & 0xC0) == 0x80) --length;
    inside.resize(length);
    add({std::move(inside), true, excluded, false, or_next_, begin, begin + length});
  }

  void add_word(std::size_t begin, bool excluded) {
    std::string_view word = std::string_view{query_.text}.substr(begin, at_ - begin);
    if (!excluded && !query_.words.empty() && (word == "OR" || word == "|")) {
      or_next_ = true;
      return;
    }
    if (!excluded && word == "AND") return;
    const bool prefix = word.size() > 1 && word.ends_with('*');
    while (word.ends_with('*')) word.remove_suffix(1);
    if (word.empty()) return;
    add({std::string{word}, false, excluded, prefix, or_next_, begin, begin + word.size()});
  }

  void add(QueryWord word) {
    query_.words.push_back(std::move(word));
    or_next_ = false;
    ++parts_;
  }

  static bool is_filter(std::string_view name) {
    return name == "site" || name == "lang" || name == "type" || name == "visited" || name == "before" ||
           name == "after" || name == "link";
  }

  Result<void> add_filter(std::string_view name, std::string value, bool excluded) {
    ++parts_;
    or_next_ = false;
    if (value.empty()) return wrong(std::string{name} + ": wants something behind the colon");
    if (name == "visited") return add_visited(ascii_lower(value), excluded);
    if (name == "before" || name == "after") return add_time(name == "before", ascii_lower(value), excluded);
    QueryFilters& filters = excluded ? query_.excluded : query_.wanted;
    if (name == "link") {
      filters.links.push_back(std::move(value));
    } else {
      auto& list = name == "site" ? filters.sites : name == "lang" ? filters.languages : filters.types;
      list.push_back(ascii_lower(value));
      if (name == "type" && list.back() == "text") list.back() = "text/plain";  // HTML is text/html, and not meant
    }
    return {};
  }

  Result<void> add_visited(std::string_view value, bool excluded) {
    if (value == "yes" || value == "no") {
      query_.visited = (value == "yes") != excluded;
      return {};
    }
    const auto span = parse_time_span(value, now_);
    if (!span || excluded) return wrong("visited: wants yes, no, today, week, month, year, 3d or a date as 2024-05-31");
    query_.visited = true;
    query_.visits = *span;
    return {};
  }

  Result<void> add_time(bool before, std::string_view value, bool excluded) {
    const auto span = parse_time_span(value, now_);
    if (!span) return wrong("before: and after: want a date such as 2024, 2024-05, 2024-05-31, or an age such as 30d");
    // Both mean the beginning of what was named.
    (before != excluded ? query_.fetched.until : query_.fetched.from) = span->from;
    return {};
  }

  WallTime now_;
  SearchQuery query_;
  std::size_t at_ = 0;
  std::size_t parts_ = 0;
  bool or_next_ = false;
};

}  // namespace

bool SearchQuery::has_wanted_words() const {
  return std::any_of(words.begin(), words.end(), [](const QueryWord& word) { return !word.excluded; });
}

std::optional<TimeSpan> parse_time_span(std::string_view text, WallTime now) {
  const WallTime midnight = std::chrono::floor<days>(now);
  if (text == "today") return TimeSpan{midnight, std::nullopt};
  if (text == "yesterday") return TimeSpan{midnight - days{1}, midnight};
  if (text == "week") return TimeSpan{now - days{7}, std::nullopt};
  if (text == "month") return TimeSpan{now - days{30}, std::nullopt};
  if (text == "year") return TimeSpan{now - days{365}, std::nullopt};
  if (auto span = calendar_span(text)) return span;
  if (text.size() < 2 || text.size() > 6) return std::nullopt;
  const auto count = number(text.substr(0, text.size() - 1));
  if (!count) return std::nullopt;
  switch (text.back()) {
    case 'h':
      return TimeSpan{now - std::chrono::hours{*count}, std::nullopt};
    case 'd':
      return TimeSpan{now - days{std::min(*count, 36'500)}, std::nullopt};
    case 'w':
      return TimeSpan{now - days{std::min(*count, 5'200) * 7}, std::nullopt};
    case 'y':
      return TimeSpan{now - days{std::min(*count, 100) * 365}, std::nullopt};
    default:
      return std::nullopt;
  }
}

Result<SearchQuery> parse_search_query(std::string_view text, WallTime now) {
  if (text.size() > kMaxQueryBytes)
    return wrong("a query may have " + std::to_string(kMaxQueryBytes) + " bytes at most");
  return Parser{text, now}.parse();
}

}  // namespace outrider
