#include "cache/policy_freshness.hpp"

#include "base/http_chars.hpp"
#include "base/http_date.hpp"
#include "base/http_lists.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

using SecondTime = std::chrono::sys_seconds;

// Differences are taken in whole seconds: in nanoseconds dates of different centuries would overflow.
SecondTime whole(WallTime time) {
  return std::chrono::floor<Seconds>(time);
}

// The whole seconds between two moments of our own clock.
Seconds between(WallTime from, WallTime to) {
  const Seconds rough = whole(to) - whole(from);
  const bool safe = rough > -kLongest && rough < kLongest;
  return safe ? std::chrono::floor<Seconds>(to - from) : rough;
}

Seconds clamp_lifetime(Seconds seconds) {
  return std::clamp(seconds, Seconds{0}, kLongest);
}

// Clocks are corrected by small steps all the time.
constexpr Seconds kSmallStepBack{60};

Lifetime heuristic_lifetime(const FreshnessFacts& facts, const CacheRules& rules) {
  if (!facts.last_modified) return {};
  const Seconds since = whole(facts.date) - whole(*facts.last_modified);
  if (since <= Seconds{0}) return {};
  return {clamp_lifetime(std::min(since * rules.heuristic_percent / 100, rules.heuristic_cap)),
          LifetimeSource::heuristic};
}

Lifetime lifetime_by_origin(const FreshnessFacts& facts, const CacheRules& rules) {
  const ResponseDirectives& directives = facts.directives;
  if (directives.s_maxage && rules.kind == CacheKind::shared) return {*directives.s_maxage, LifetimeSource::s_maxage};
  if (directives.max_age) return {*directives.max_age, LifetimeSource::max_age};
  if (facts.has_expires) {
    const Seconds lifetime = facts.expires ? whole(*facts.expires) - whole(facts.date) : Seconds{0};
    return {clamp_lifetime(lifetime), LifetimeSource::expires};
  }
  if (is_heuristically_cacheable(facts.status) || directives.is_public) return heuristic_lifetime(facts, rules);
  return {};
}

}  // namespace

bool is_heuristically_cacheable(int status) {
  switch (status) {
    case 200:
    case 203:
    case 204:
    case 206:
    case 300:
    case 301:
    case 308:
    case 404:
    case 405:
    case 410:
    case 414:
    case 501:
      return true;
    default:
      return false;
  }
}

std::optional<WallTime> read_date(std::string_view text, WallTime now) {
  if (const auto date = parse_http_date(text, now)) return date;
  // The same with every word as it should be written: "THU, 18 aug 2050 02:01:18 gmt".
  std::array<char, 40> fixed;
  if (text.size() > fixed.size()) return std::nullopt;
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool letter = is_letter(text[i]);
    fixed[i] = !letter ? text[i] : in_word ? static_cast<char>(text[i] | 0x20) : static_cast<char>(text[i] & ~0x20);
    in_word = letter;
  }
  if (text.size() > 3 && std::string_view{fixed.data() + text.size() - 3, 3} == "Gmt") {
    fixed[text.size() - 2] = 'M';
    fixed[text.size() - 1] = 'T';
  }
  const std::string_view again{fixed.data(), text.size()};
  if (again == text) return std::nullopt;
  return parse_http_date(again, now);
}

WallTime date_of(const ResponseHead& response, WallTime response_time) {
  const auto field = response.headers.find(HeaderId::date);
  const auto date = field ? read_date(*field, response_time) : std::nullopt;
  return date.value_or(response_time);
}

std::optional<Seconds> parse_age(const HeaderMap& headers) {
  const auto field = headers.find(HeaderId::age);
  if (!field) return std::nullopt;
  const auto first = ListReader{*field}.next();
  return first ? parse_delta_seconds(*first) : std::nullopt;
}

FreshnessFacts read_facts(const ResponseHead& response, WallTime response_time) {
  FreshnessFacts facts;
  facts.directives = parse_response_directives(response.headers);
  facts.status = response.status;
  facts.date = date_of(response, response_time);
  facts.age_value = parse_age(response.headers).value_or(Seconds{0});
  if (facts.directives.max_age) return facts;  // decides in every kind of cache
  const auto expires = response.headers.find(HeaderId::expires);
  const auto modified = response.headers.find(HeaderId::last_modified);
  facts.has_expires = expires.has_value();
  if (expires) facts.expires = read_date(*expires, response_time);
  if (modified && !expires) facts.last_modified = read_date(*modified, response_time);
  return facts;
}

Lifetime freshness_lifetime(const FreshnessFacts& facts, const CacheRules& rules) {
  Lifetime lifetime = lifetime_by_origin(facts, rules);
  if (lifetime.seconds < rules.minimum_lifetime && is_heuristically_cacheable(facts.status))
    lifetime = {rules.minimum_lifetime, LifetimeSource::site_rule};
  lifetime.seconds = std::min(lifetime.seconds, rules.maximum_lifetime);
  return lifetime;
}

Seconds current_age(const FreshnessFacts& facts, WallTime request_time, WallTime response_time, WallTime now) {
  const Seconds resident = between(response_time, now);
  if (resident < -kSmallStepBack) return kLongest;
  const Seconds apparent = whole(response_time) - whole(facts.date);
  // Both sums of the RFC, each with the time that the answer has been here.
  const Seconds by_date = std::max(apparent, Seconds{0}) + std::max(resident, Seconds{0});
  const Seconds by_age = facts.age_value + std::max({between(request_time, now), resident, Seconds{0}});
  return std::min(std::max(by_date, by_age), kLongest);
}

Seconds current_age(const StoredHead& stored, WallTime now) {
  return current_age(read_facts(stored.response, stored.response_time), stored.request_time, stored.response_time, now);
}

}  // namespace outrider
