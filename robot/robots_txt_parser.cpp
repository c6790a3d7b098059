// The lines of a robots.txt. Tolerant as RFC 9309 section 2.2 allows, and where it does not speak, as the widely used
// matchers are: a missing colon, frequent misspellings, any line end.
#include "base/ascii.hpp"
#include "robot/robots_txt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace outrider {
namespace {

constexpr std::string_view kBlanks = " \t\v\f";
constexpr std::size_t kLongestLine = 2083 * 8 - 1;  // as the widely used matcher has it; no URL of ours is longer
constexpr std::size_t kMostSitemaps = 1000;
constexpr std::size_t kLongestSitemap = 4096;
constexpr double kLongestCrawlDelay = 30.0 * 24 * 3600;  // seconds; politeness caps it much lower

enum class Field : std::uint8_t { user_agent, allow, disallow, crawl_delay, sitemap, other };

Field field_named(std::string_view name) {
  struct Spelling {
    std::string_view name;
    Field field;
  };
  static constexpr auto kSpellings = std::to_array<Spelling>({
      {"user-agent", Field::user_agent},
      {"useragent", Field::user_agent},
      {"user agent", Field::user_agent},
      {"allow", Field::allow},
      {"disallow", Field::disallow},
      {"dissallow", Field::disallow},
      {"dissalow", Field::disallow},
      {"disalow", Field::disallow},
      {"diasllow", Field::disallow},
      {"disallaw", Field::disallow},
      {"crawl-delay", Field::crawl_delay},
      {"crawldelay", Field::crawl_delay},
      {"sitemap", Field::sitemap},
      {"site-map", Field::sitemap},
  });
  for (const Spelling& spelling : kSpellings) {
    if (equal_ignoring_case(name, spelling.name)) return spelling.field;
  }
  return Field::other;
}

// Section 2.2.1: a product token is letters, "-" and "_". What else stands behind it ("/2.1", " (compatible)") is cut.
std::string_view product_token(std::string_view text) {
  const auto end =
      std::find_if_not(text.begin(), text.end(), [](char c) { return is_ascii_alpha(c) || c == '-' || c == '_'; });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}
// Of a whole User-Agent, if that is what we are given.
std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t/"));
}

std::string_view without_byte_order_mark(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  for (std::size_t size = kMark.size(); size > 0; --size) {  // also a mutilated one
    if (bytes.starts_with(kMark.substr(0, size))) return bytes.substr(size);
  }
  return bytes;
}

std::string_view within_limit(std::string_view bytes) {
  if (bytes.size() <= kRobotsTxtBytes) return bytes;
  bytes = bytes.substr(0, kRobotsTxtBytes);
  const std::size_t end = bytes.find_last_of("\r\n");
  return end == std::string_view::npos ? std::string_view{} : bytes.substr(0, end);
}

}  // namespace

class RobotsTxtParser {
 public:
  explicit RobotsTxtParser(std::string_view product) : product_(first_word(trim(product, kBlanks))) {}

  RobotsTxt run(std::string_view bytes) {
    bytes = within_limit(without_byte_order_mark(bytes));
    for (std::uint32_t number = 1; !bytes.empty(); ++number) {
      const std::size_t end = bytes.find_first_of("\r\n");
      line(bytes.substr(0, end), number);
      if (end == std::string_view::npos) break;
      const bool is_pair = bytes.substr(end, 2) == "\r\n";
      bytes.remove_prefix(end + (is_pair ? 2 : 1));
    }
    return finish();
  }

 private:
  // The rules of a group are collected for us and for "*" until the end tells which of them count.
  struct Collected {
    std::vector<RobotsTxt::Rule> rules;
    std::optional<Duration> crawl_delay;
    bool seen = false;
  };

  void line(std::string_view text, std::uint32_t number) {
    text = trim(text.substr(0, kLongestLine), kBlanks);
    text = trim(text.substr(0, text.find('#')), kBlanks);
    if (text.empty()) return;
    std::string_view name, value;
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
      name = trim(text.substr(0, colon), kBlanks);
      value = trim(text.substr(colon + 1), kBlanks);
    } else {  // "Disallow /x"
      const std::size_t blank = text.find_first_of(" \t");
      if (blank == std::string_view::npos) return;
      name = text.substr(0, blank);
      value = trim(text.substr(blank), kBlanks);
      if (value.find_first_of(" \t") != std::string_view::npos) return;
    }
    record(field_named(name), value, number);
  }

  void record(Field field, std::string_view value, std::uint32_t number) {
    switch (field) {
      case Field::user_agent:
        return user_agent(value);
      case Field::allow:
      case Field::disallow:
        return rule(field == Field::allow, value, number);
      case Field::crawl_delay:
        return crawl_delay(value);
      case Field::sitemap:
        if (txt_.sitemaps_.size() < kMostSitemaps && !value.empty() && value.size() <= kLongestSitemap) {
          txt_.sitemaps_.emplace_back(value);
        }
        return;
      case Field::other:
        return;
    }
  }

  // Several such lines in a row open one group. Lines that are neither agents nor rules do not end the row (2.2.4).
  void user_agent(std::string_view value) {
    if (group_has_rules_) for_us_ = for_all_ = group_has_rules_ = false;
    if (value.starts_with('*') && (value.size() == 1 || kBlanks.find(value[1]) != std::string_view::npos)) {
      for_all_ = all_.seen = true;
    } else if (!product_.empty() && equal_ignoring_case(product_token(value), product_)) {
      for_us_ = us_.seen = true;
    }
  }

  void rule(bool allow, std::string_view value, std::uint32_t number) {
    group_has_rules_ = true;
    if (value.empty() || (!for_us_ && !for_all_)) return;
    const RobotsTxt::Rule compiled = compile(allow, value, number);
    if (for_us_) us_.rules.push_back(compiled);
    if (for_all_) all_.rules.push_back(compiled);
  }

  RobotsTxt::Rule compile(bool allow, std::string_view value, std::uint32_t number) {
    std::string& out = txt_.patterns_;
    RobotsTxt::Rule rule;
    rule.allow = allow;
    rule.line = number;
    rule.at = static_cast<std::uint32_t>(out.size());
    if (value.ends_with('$')) {
      rule.anchored = true;
      rule.weight = 1;
      value.remove_suffix(1);
    }
    while (true) {
      const std::size_t star = value.find('*');
      const std::size_t before = out.size();
      append_normal_robots_path(out, value.substr(0, star));
      rule.weight += static_cast<std::uint32_t>(out.size() - before);
      if (star == std::string_view::npos) break;
      rule.weight += 1;
      if (!rule.wild || out.back() != RobotsTxt::kAnything || out.size() == rule.at) out += RobotsTxt::kAnything;
      rule.wild = true;
      value.remove_prefix(star + 1);
    }
    if (!rule.anchored && rule.wild && out.back() == RobotsTxt::kAnything) {  // every rule matches beginnings
      out.pop_back();
      rule.wild = out.find(RobotsTxt::kAnything, rule.at) != std::string::npos;
    }
    rule.size = static_cast<std::uint32_t>(out.size() - rule.at);
    return rule;
  }

  void crawl_delay(std::string_view value) {
    double seconds = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), seconds, std::chars_format::fixed);
    if (parsed.ec != std::errc{} || !std::isfinite(seconds) || seconds < 0) return;
    const std::chrono::duration<double> delay{std::min(seconds, kLongestCrawlDelay)};
    const auto whole = std::chrono::duration_cast<Duration>(delay);
    if (for_us_) us_.crawl_delay = std::max(us_.crawl_delay.value_or(Duration::zero()), whole);
    if (for_all_) all_.crawl_delay = std::max(all_.crawl_delay.value_or(Duration::zero()), whole);
  }

  // Section 2.2.1: all groups that name us together; if there is none, all groups of "*".
  RobotsTxt finish() {
    Collected& chosen = us_.seen ? us_ : all_;
    txt_.names_us_ = us_.seen;
    txt_.crawl_delay_ = chosen.crawl_delay;
    std::string used;
    for (RobotsTxt::Rule& rule : chosen.rules) {
      const std::string_view text = txt_.pattern(rule);
      rule.at = static_cast<std::uint32_t>(used.size());
      used += text;
    }
    used.shrink_to_fit();
    txt_.patterns_ = std::move(used);
    std::stable_sort(chosen.rules.begin(), chosen.rules.end(), [](const auto& a, const auto& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.allow && !b.allow;
    });
    chosen.rules.shrink_to_fit();
    txt_.rules_ = std::move(chosen.rules);
    return std::move(txt_);
  }

  std::string_view product_;
  RobotsTxt txt_;
  Collected us_, all_;
  bool for_us_ = false, for_all_ = false, group_has_rules_ = false;
};

RobotsTxt RobotsTxt::parse(std::string_view bytes, std::string_view product) {
  return RobotsTxtParser(product).run(bytes);
}

}  // namespace outrider
