#include "proxy/cache_rules.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

Error wrong(std::string_view rule, std::string_view why) {
  return Error{ErrorKind::invalid_argument, Side::self, fmt::format("{} {}", quoted(rule), why)};
}

std::string_view next_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

// "" if it has been understood.
std::string apply(std::string_view word, CacheRules& rules) {
  if (word == "never") {
    rules.never_keep = true;
    return {};
  }
  if (word == "ignore-reload") {
    rules.ignore_client_reload = true;
    return {};
  }
  for (const bool least : {true, false}) {
    const std::string_view name = least ? "at-least=" : "at-most=";
    if (!word.starts_with(name)) continue;
    const Parsed<Duration> parsed = parse_duration(word.substr(name.size()));
    if (!parsed.value) return parsed.problem;
    const auto seconds = std::chrono::duration_cast<Seconds>(*parsed.value);
    (least ? rules.minimum_lifetime : rules.maximum_lifetime) = std::min(seconds, kLongest);
    return {};
  }
  return fmt::format("has {}, expected never, at-least=TIME, at-most=TIME or ignore-reload", quoted(word));
}

}  // namespace

Result<std::shared_ptr<const SiteCacheRules>> SiteCacheRules::create(const CacheSettings& settings,
                                                                     const std::vector<std::string>& never_keep) {
  auto made = std::make_shared<SiteCacheRules>();
  CacheRules base;
  base.kind = settings.one_person ? CacheKind::private_ : CacheKind::shared;
  base.offline = settings.offline;
  base.heuristic_percent = static_cast<unsigned>(settings.heuristic_percent);
  base.heuristic_cap = std::chrono::duration_cast<Seconds>(settings.heuristic_cap);
  base.stale_if_server_error = std::chrono::duration_cast<Seconds>(settings.stale_if_error);
  made->one_person_ = settings.one_person;
  made->rules_.push_back(std::make_shared<const CacheRules>(base));
  for (const std::string& rule : settings.sites) {
    std::string_view rest = rule;
    const std::string_view pattern = next_word(rest);
    CacheRules site = base;
    std::string_view word = next_word(rest);
    if (word.empty()) return wrong(rule, "says nothing about the site");
    for (; !word.empty(); word = next_word(rest))
      if (const std::string problem = apply(word, site); !problem.empty()) return wrong(rule, problem);
    if (site.minimum_lifetime > site.maximum_lifetime) return wrong(rule, "has an at-least longer than its at-most");
    if (Result<void> added = made->patterns_.add(pattern, static_cast<std::uint32_t>(made->rules_.size())); !added)
      return wrong(rule, added.error().detail);
    made->rules_.push_back(std::make_shared<const CacheRules>(site));
  }
  for (const std::string& pattern : never_keep)
    if (Result<void> added = made->never_.add(pattern, 0); !added) return added.error();
  base.never_keep = true;
  made->never_rules_ = std::make_shared<const CacheRules>(base);
  return std::shared_ptr<const SiteCacheRules>{std::move(made)};
}

Refusal SiteCacheRules::check(const std::vector<std::string>& sites) {
  CacheSettings settings;
  settings.sites = sites;
  const auto made = create(settings, {});
  if (made) return std::nullopt;
  return made.error().detail;
}

const std::shared_ptr<const CacheRules>& SiteCacheRules::of(std::string_view host, std::uint16_t port) const {
  if (!never_.empty() && never_.find(host, port)) return never_rules_;
  if (patterns_.empty()) return rules_.front();
  const HostPatterns::Match match = patterns_.find(host, port);
  return match ? rules_[match.value] : rules_.front();
}

}  // namespace outrider
