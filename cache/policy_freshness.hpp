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

// Section 4.2.1, with the heuristic of 4.2.2 and the limits of the rules. `response_time`: when it was received.
Lifetime freshness_lifetime(const ResponseHead& response, const ResponseDirectives& directives, WallTime response_time,
                            const CacheRules& rules);

// What of a stored response is asked for at every use and does not change, read once.
struct StoredFacts {
  ResponseDirectives directives;
  WallTime date{};
  Seconds age_value{0};
};
StoredFacts facts_of(const StoredHead& stored);

// Section 4.2.3; never negative. kLongest if the clock has been set back to before the response came: nobody knows
// then.
Seconds current_age(const StoredHead& stored, WallTime now);
Seconds current_age(const StoredHead& stored, const StoredFacts& facts, WallTime now);
Seconds current_age(const ResponseHead& response, WallTime request_time, WallTime response_time, WallTime now);

// Age (section 5.1): the first element counts, anything but a number is ignored.
std::optional<Seconds> parse_age(const HeaderMap& headers);
// A date as caches read it: in any letter case (section 4.2). `now` decides the century of two-digit years.
std::optional<WallTime> read_date(std::string_view text, WallTime now);
// Date, or where it is missing or wrong the time of reception (RFC 9110 section 6.6.1).
WallTime date_of(const ResponseHead& response, WallTime response_time);

// Statuses that RFC 9110 section 15.1 lets us keep without being told for how long.
bool is_heuristically_cacheable(int status);

}  // namespace outrider
