// Requests to forget as programs and commands write them, for graph.hpp:
//
//   {"url": "https://…"}, {"prefix": "https://…"}, {"site": "example.com"}, {"last": "1h"}, {"user": "anna"}, {"all":
//   true}
#pragma once

#include "cache/graph_types.hpp"

#include "base/error.hpp"

#include <boost/json/object.hpp>

namespace outrider {

// Failures are for the person who asked.
Result<ForgetScope> parse_forget(const boost::json::object& question, WallTime now);
boost::json::object json_of(const ForgetReport& report);  // {"pages","visits","links","events"}

}  // namespace outrider
