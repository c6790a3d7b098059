// Watched pages and their news as JSON: for the API, the stream of events and the command line.
#pragma once

#include "plugins/api/page_watches.hpp"

#include <boost/json/object.hpp>

namespace outrider {

boost::json::object to_json(const WatchNews& news);
boost::json::object to_json(const WatchedPage& page);

}  // namespace outrider
