// How long a response is fresh and how old it is (RFC 9111 section 4.2).
#pragma once

#include "cache/policy_rules.hpp"
#include "cache/stored_head.hpp"

#include <optional>
#include <string_view>

namespace outrider {

enum class LifetimeSource : std::uint8_t { none, s_maxage, max_age, expires, heuristic, site_rule };

struct Lifetime {
  Seconds seconds{0};
  LifetimeSource source = LifetimeSource::none;
  bool is_explicit() const {
    return source == LifetimeSource::s_maxage || source == LifetimeSource::max_age || source == LifetimeSource::expires;
  }
};

// What freshness depends on, read from the fields once: worth keeping beside a stored response that is asked for often.
struct FreshnessFacts {
  ResponseDirectives directives;
  int status = 0;
  bool has_expires = false;         // only looked at where directives do not decide …
  std::optional<WallTime> expires;  // … nothing: it is wrong, so in the past (section 5.3)
  std::optional<WallTime> last_modified;
  WallTime date{};  // date_of()
  Seconds age_value{0};
};
FreshnessFacts read_facts(const ResponseHead& response, WallTime response_time);

// Section 4.2.1, with the heuristic of 4.2.2 and the limits of the rules.
Lifetime freshness_lifetime(const FreshnessFacts& facts, const CacheRules& rules);

// Section 4.2.3; never negative. kLongest if the clock has been set back to before the response came: nobody knows
// then.
Seconds current_age(const FreshnessFacts& facts, WallTime request_time, WallTime response_time, WallTime now);
Seconds current_age(const StoredHead& stored, WallTime now);

// Age (section 5.1): the first element counts, anything but a number is ignored.
std::optional<Seconds> parse_age(const HeaderMap& headers);
// A date as caches read it: in any letter case (section 4.2). `now` decides the century of two-digit years.
std::optional<WallTime> read_date(std::string_view text, WallTime now);
// Date, or where it is missing or wrong the time of reception (RFC 9110 section 6.6.1).
WallTime date_of(const ResponseHead& response, WallTime response_time);

// Statuses that RFC 9110 section 15.1 lets us keep without being told for how long.
bool is_heuristically_cacheable(int status);

}  // namespace outrider
