#include "robot/robots_txt.hpp"

#include "base/url_percent.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>

namespace outrider {
namespace {

constexpr bool is_unreserved(char c) {  // RFC 3986 section 2.3
  return is_ascii_alpha(c) || is_ascii_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// '*' and '$' because a rule means them literally when it encodes them (section 2.2.3), "'" because the URL Standard
// encodes it in queries only.
constexpr bool is_kept_decoded(char c) {
  return is_unreserved(c) || c == '*' || c == '$' || c == '\'';
}

constexpr bool must_be_encoded(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte >= 0x7f || std::string_view{"\"<>\\^`{|}"}.find(c) != std::string_view::npos;
}

std::string_view find_behind(std::string_view text, std::string_view needle, bool& found) {
  // memmem is linear in both (two-way string matching); string_view::find is not.
  const void* at = memmem(text.data(), text.size(), needle.data(), needle.size());
  found = at != nullptr;
  if (!found) return {};
  return text.substr(static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) + needle.size());
}

}  // namespace

void append_normal_robots_path(std::string& out, std::string_view path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    if (is_percent_triplet(path, i)) {
      const auto byte = static_cast<unsigned char>(hex_value(path[i + 1]) * 16 + hex_value(path[i + 2]));
      if (is_kept_decoded(static_cast<char>(byte))) {
        out.push_back(static_cast<char>(byte));
      } else {
        append_percent_byte(out, byte);
      }
      i += 2;
    } else if (must_be_encoded(c)) {
      append_percent_byte(out, static_cast<unsigned char>(c));
    } else {
      out.push_back(c);
    }
  }
}

// Each piece between wildcards is taken at the first place where it fits: that leaves the most for those behind it, so
// no choice ever has to be taken back.
bool RobotsTxt::matches_wild(std::string_view pattern, bool anchored, std::string_view path) {
  std::size_t end = pattern.find(kAnything);
  if (!path.starts_with(pattern.substr(0, end))) return false;
  path.remove_prefix(end);
  while (true) {
    const std::size_t begin = end + 1;
    end = pattern.find(kAnything, begin);
    const std::string_view piece = pattern.substr(begin, end == std::string_view::npos ? end : end - begin);
    if (end == std::string_view::npos && anchored) return path.ends_with(piece);
    if (!piece.empty()) {
      bool found = false;
      path = find_behind(path, piece, found);
      if (!found) return false;
    }
    if (end == std::string_view::npos) return true;
  }
}

bool RobotsTxt::matches(const Rule& rule, std::string_view path) const {
  const std::string_view text = pattern(rule);
  if (rule.wild) return matches_wild(text, rule.anchored, path);
  return rule.anchored ? path == text : path.starts_with(text);
}

RobotsVerdict RobotsTxt::check_path(std::string_view path_and_query) const {
  if (rules_.empty()) return {};
  std::string path;
  path.reserve(path_and_query.size() + 16);
  append_normal_robots_path(path, path_and_query);
  if (path.empty()) path.push_back('/');
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (matches(rules_[i], path)) return {rules_[i].allow, static_cast<std::uint32_t>(i)};
  }
  return {};
}

std::string RobotsTxt::pattern_text(const Rule& rule) const {
  std::string text;
  for (char c : pattern(rule)) {
    if (c == kAnything) {
      text += '*';
    } else if (c == '*' || c == '$') {
      append_percent_byte(text, static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  if (rule.anchored) text += '$';
  return text;
}

std::string RobotsTxt::describe(const RobotsVerdict& verdict) const {
  if (verdict.rule >= rules_.size()) return {};
  const Rule& rule = rules_[verdict.rule];
  return fmt::format("{}: {} (line {} of robots.txt)", rule.allow ? "Allow" : "Disallow", pattern_text(rule),
                     rule.line);
}

std::size_t RobotsTxt::memory_bytes() const {
  std::size_t bytes = sizeof(*this) + patterns_.capacity() + rules_.capacity() * sizeof(Rule);
  for (const std::string& sitemap : sitemaps_) bytes += sizeof(sitemap) + sitemap.capacity();
  return bytes;
}

std::string RobotsTxt::to_text(std::string_view product) const {
  std::string text = fmt::format("User-agent: {}\n", names_us_ ? product : "*");
  if (crawl_delay_) text += fmt::format("Crawl-delay: {}\n", std::chrono::duration<double>(*crawl_delay_).count());
  for (const Rule& rule : rules_) {
    std::string path = pattern_text(rule);
    // Wildcards that mean nothing count in the length that decides: behind another one, or at the end.
    const std::size_t idle = rule.weight - rule.size - (rule.anchored ? 1 : 0);
    path.insert(rule.wild ? path.find('*') : path.size(), idle, '*');
    text += fmt::format("{}: {}\n", rule.allow ? "Allow" : "Disallow", path);
  }
  for (const std::string& sitemap : sitemaps_) text += fmt::format("Sitemap: {}\n", sitemap);
  return text;
}

}  // namespace outrider
