// robots.txt: the first line of the input is a path, the rest a robots.txt. What is written out and read again says the
// same; and a single rule is matched as a slow, obvious matcher does it.
#include "robot/robots_txt.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {
using namespace outrider;

// All positions of `path` that the pattern can have come to, character by character.
bool obvious_match(std::string_view pattern, std::string_view path) {
  const bool anchored = pattern.ends_with('$');
  if (anchored) pattern.remove_suffix(1);
  std::vector<bool> at(path.size() + 1, false);
  at[0] = true;
  const auto step = [&](std::string_view literal) {
    std::string normal;
    append_normal_robots_path(normal, literal);
    for (char c : normal) {
      for (std::size_t i = path.size() + 1; i-- > 0;) at[i] = i > 0 && at[i - 1] && path[i - 1] == c;
    }
  };
  while (true) {
    const std::size_t star = pattern.find('*');
    step(pattern.substr(0, star));
    if (star == std::string_view::npos) break;
    for (std::size_t i = 1; i <= path.size(); ++i) at[i] = at[i] || at[i - 1];
    pattern.remove_prefix(star + 1);
  }
  if (anchored) return at[path.size()];
  for (bool reached : at) {
    if (reached) return true;
  }
  return false;
}

void check_single_rule(std::string_view rule, std::string_view path) {
  rule = rule.substr(0, std::min<std::size_t>(rule.find_first_of("\r\n#"), 200));
  path = path.substr(0, 200);
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; };
  while (!rule.empty() && is_blank(rule.front())) rule.remove_prefix(1);
  while (!rule.empty() && is_blank(rule.back())) rule.remove_suffix(1);
  if (rule.empty()) return;
  std::string normal;
  append_normal_robots_path(normal, path);
  if (normal.empty()) normal = "/";
  const RobotsTxt txt = RobotsTxt::parse("User-agent: *\nDisallow: " + std::string(rule), "FooBot");
  require(txt.check_path(path).allowed == !obvious_match(rule, normal));
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  const std::size_t end = input.find('\n');
  const std::string_view path = input.substr(0, end);
  const std::string_view robots = end == std::string_view::npos ? std::string_view{} : input.substr(end + 1);
  const RobotsTxt txt = RobotsTxt::parse(robots, "FooBot");
  const RobotsVerdict verdict = txt.check_path(path);
  require(verdict.allowed || !txt.describe(verdict).empty());
  const RobotsTxt again = RobotsTxt::parse(txt.to_text("FooBot"), "FooBot");
  require(again.check_path(path).allowed == verdict.allowed);
  require(again.rule_count() == txt.rule_count());
  check_single_rule(robots, path);
  return 0;
}
