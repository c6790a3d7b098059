// Dates as pages write them: ISO 8601 in its many forms (HTML standard section 2.3.5, RFC 3339), RFC 5322 and HTTP.
#pragma once

#include "base/clock.hpp"

#include <optional>
#include <string_view>

namespace outrider {

// Without a zone a time counts as UTC. Only whole dates are taken ("2024" and "2024-05" say too little), and only years
// 1990 to 2100: everything else on the web is a mistake or a date of something older than the page.
std::optional<WallTime> parse_page_date(std::string_view text);

}  // namespace outrider
