#include "robot/sitemap.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace outrider {
namespace {

constexpr std::size_t kLongestUrl = 2048;  // bytes, as the protocol has it
constexpr std::string_view kBlanks = " \t\r\n\f";

// The five entities of XML and numeric references; anything else stays as it is.
std::string unescaped(std::string_view text) {
  constexpr auto kEntities = std::to_array<std::pair<std::string_view, char>>(
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}});
  std::string out;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('&'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto entity = std::find_if(kEntities.begin(), kEntities.end(),
                                     [&](const auto& each) { return text.starts_with(each.first); });
    if (entity != kEntities.end()) {
      out += entity->second;
      text.remove_prefix(entity->first.size());
      continue;
    }
    unsigned code = 0;
    const std::size_t end = text.substr(0, 12).find(';');
    if (text.starts_with("&#") && end != std::string_view::npos) {
      const bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
      const char* first = text.data() + (hex ? 3 : 2);
      const auto parsed = std::from_chars(first, text.data() + end, code, hex ? 16 : 10);
      const bool is_character = code > 0 && code < 0x110000 && !(code >= 0xD800 && code <= 0xDFFF);
      if (parsed.ec == std::errc{} && parsed.ptr == text.data() + end && is_character) {
        append_utf8(out, code);
        text.remove_prefix(end + 1);
        continue;
      }
    }
    out += '&';
    text.remove_prefix(1);
  }
  return out;
}

// Tags by their local names ("image:loc" is not "loc": it is a picture of the page, not a page).
class XmlReader {
 public:
  XmlReader(std::string_view bytes, const Url& base, bool any_host) : rest_(bytes), base_(base), any_host_(any_host) {}

  Sitemap run() {
    while (next_tag()) {
      if (tag_ == "sitemap" || tag_ == "url") begin_entry();
      if (tag_ == "loc") loc_ = text_behind();
      if (tag_ == "lastmod") modified_ = text_behind();
      if (tag_ == "/sitemap" || tag_ == "/url") end_entry(tag_ == "/sitemap");
      if (map_.cut) break;
    }
    return std::move(map_);
  }

 private:
  void begin_entry() {
    loc_.clear();
    modified_.clear();
  }

  bool next_tag() {
    while (true) {
      const std::size_t open = rest_.find('<');
      if (open == std::string_view::npos) return false;
      rest_.remove_prefix(open);
      if (rest_.starts_with("<!--")) {
        skip_behind("-->");
      } else if (rest_.starts_with("<![CDATA[")) {
        skip_behind("]]>");
      } else {
        break;
      }
    }
    const std::size_t close = rest_.find('>');
    if (close == std::string_view::npos) return false;
    tag_ = rest_.substr(1, close - 1);
    tag_ = tag_.substr(0, tag_.find_first_of(kBlanks));
    rest_.remove_prefix(close + 1);
    return true;
  }

  void skip_behind(std::string_view end) {
    const std::size_t at = rest_.find(end);
    rest_ = at == std::string_view::npos ? std::string_view{} : rest_.substr(at + end.size());
  }

  std::string text_behind() {
    const std::string_view start = rest_.substr(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    constexpr std::string_view kCdata = "<![CDATA[";
    if (start.starts_with(kCdata)) {
      return std::string(trim(start.substr(kCdata.size(), start.find("]]>") - kCdata.size()), kBlanks));
    }
    return unescaped(trim(rest_.substr(0, rest_.find('<')), kBlanks).substr(0, kLongestUrl * 6));
  }

  void end_entry(bool is_sitemap) {
    if (loc_.empty() || loc_.size() > kLongestUrl) return;
    Result<Url> url = Url::parse(loc_, &base_);
    if (!url || !url->is_http() || url->has_credentials()) return;
    if (map_.pages.size() + map_.sitemaps.size() >= kMostSitemapUrls) {
      map_.cut = true;
    } else if (is_sitemap) {
      map_.sitemaps.push_back(std::move(*url));
    } else if (any_host_ || url->hostname() == base_.hostname()) {
      map_.pages.push_back({std::move(*url), parse_w3c_date(modified_)});
    }
  }

  std::string_view rest_, tag_;
  const Url& base_;
  bool any_host_;
  std::string loc_, modified_;
  Sitemap map_;
};

Sitemap read_lines(std::string_view bytes, const Url& base, bool any_host) {
  Sitemap map;
  while (!bytes.empty() && !map.cut) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = trim(bytes.substr(0, end), kBlanks);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (!line.starts_with("http") || line.size() > kLongestUrl) continue;
    Result<Url> url = Url::parse(line);
    if (!url || !url->is_http() || url->has_credentials()) continue;
    if (!any_host && url->hostname() != base.hostname()) continue;
    map.cut = map.pages.size() >= kMostSitemapUrls;
    if (!map.cut) map.pages.push_back({std::move(*url), std::nullopt});
  }
  return map;
}

// `count` digits at the beginning of `text`, which is moved behind them.
std::optional<int> take_number(std::string_view& text, std::size_t count) {
  int value = 0;
  if (text.size() < count) return std::nullopt;
  for (char c : text.substr(0, count)) {
    if (!is_ascii_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// "T12:30:00.5+01:00" as minutes and seconds since midnight UTC.
std::optional<std::chrono::seconds> take_time(std::string_view text) {
  const auto hour = take_number(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  const auto second = take(text, ':') ? take_number(text, 2) : std::optional<int>(0);
  if (!minute || !second || *hour > 24 || *minute > 59 || *second > 60) return std::nullopt;
  if (take(text, '.')) text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  std::chrono::seconds time{*hour * 3600 + *minute * 60 + *second};
  if (text.empty() || text == "Z") return time;
  const bool east = text.front() == '+';
  if (!east && text.front() != '-') return std::nullopt;
  text.remove_prefix(1);
  const auto zone_hour = take_number(text, 2);
  take(text, ':');
  const auto zone_minute = take_number(text, 2);
  if (!zone_hour || !zone_minute || !text.empty()) return std::nullopt;
  const std::chrono::seconds zone{*zone_hour * 3600 + *zone_minute * 60};
  return east ? time - zone : time + zone;
}

}  // namespace

std::optional<WallTime> parse_w3c_date(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || *year < 1970 || *year > 2200) return std::nullopt;  // a clock of nanoseconds ends in 2262
  std::optional<int> month = 1, day = 1;
  if (take(text, '-')) {
    month = take_number(text, 2);
    if (take(text, '-')) day = take_number(text, 2);
  }
  if (!month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  WallTime time{std::chrono::sys_days{date}};
  if (text.empty()) return time;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto of_day = take_time(text);
  return of_day ? std::optional(time + *of_day) : std::nullopt;
}

Sitemap read_sitemap(std::string_view bytes, const Url& base, bool any_host) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  if (!trim(bytes.substr(0, 1024), kBlanks).starts_with('<')) return read_lines(bytes, base, any_host);
  return XmlReader(bytes, base, any_host).run();
}

}  // namespace outrider
