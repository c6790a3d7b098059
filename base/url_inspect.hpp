// What `outrider inspect url` prints: pure functions from text to JSON.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// The members of the URL Standard's URL class (href, protocol, username, password, host, hostname, port, pathname,
// search, hash, origin) plus registrable_domain and canonical_key; or {"failure":true,"reason":"…"}.
boost::json::object inspect_url(std::string_view input, std::optional<std::string_view> base);

// One line of NDJSON in, {"input":"…","base":"…" or null}, one line out, without the line end. A line that is no such
// object yields {"error":"…"}. Lone surrogates in escapes ("\uD800") and ill-formed UTF-8 count as U+FFFD.
std::string inspect_url_ndjson_line(std::string_view line);

// JSON text in which every escape of a lone surrogate is "\\uFFFD". Boost.JSON refuses them; JavaScript, which writes
// such test cases, turns them into U+FFFD on the way to a URL.
std::string replace_lone_surrogates(std::string_view json_text);

}  // namespace outrider
