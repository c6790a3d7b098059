// What `outrider inspect links` and `outrider inspect language` print: pure functions from text to JSON.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace outrider {

// {"links":[{"target","kind","reach","text","rel","position","flags":[…]}…],"title","canonical",…,"too_much_for_tree"},
// or
// {"error":"…"} if `url` is none. `charset`: the encoding that the page had, "" = UTF-8.
boost::json::object inspect_links(std::string_view html, std::string_view url, std::string_view charset);

// {"language":"de","confidence":0.99,"letters":812}; language is "" if it could not be told.
boost::json::object inspect_language_of_text(std::string_view text, std::string_view declared);
// Of the running text of a page.
boost::json::object inspect_language_of_page(std::string_view html);

// One line of NDJSON in, one out, without the line end. {"html","url","charset"?}; {"text","declared"?} or {"html"}. A
// line that is no such object yields {"error":"…"}.
std::string inspect_links_ndjson_line(std::string_view line);
std::string inspect_language_ndjson_line(std::string_view line);

}  // namespace outrider
