// What `outrider inspect robots` prints: pure functions from text to JSON.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace outrider {

// {"allowed":true,"rule":"Allow: /x (line 3 of robots.txt)"}, and "crawl_delay" (seconds) and "sitemaps" where there
// are any. `url` may also be a path.
boost::json::object inspect_robots(std::string_view robots, std::string_view agent, std::string_view url);

// One line of NDJSON in, {"robots":"…","agent":"…","url":"…"} ("robots_b64" instead of "robots" for bytes that are not
// UTF-8), one line out: {"allowed":…}, or {"error":"…"}.
std::string inspect_robots_ndjson_line(std::string_view line);

}  // namespace outrider
