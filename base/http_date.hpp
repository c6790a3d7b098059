// HTTP dates (RFC 9110 section 5.6.7): reads the three formats, writes the one. No locale, no allocation while reading.
#pragma once

#include "base/clock.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" or "Sun Nov  6 08:49:37 1994"; nothing else, not
// even another case or a wrong day of the month. The name of the weekday must be one, but need not be the right one.
// `now` decides the century of a two-digit year: a date more than 50 years ahead is the latest one in the past. Dates
// that WallTime cannot hold (before 1678, after 2261) become the nearest that it can.
std::optional<WallTime> parse_http_date(std::string_view text, WallTime now);

// "Sun, 06 Nov 1994 08:49:37 GMT"; fractions of a second are dropped.
void append_http_date(std::string& out, WallTime time);
std::string format_http_date(WallTime time);

}  // namespace outrider
