// What the robot knows of hosts, as JSON.
#pragma once

#include "plugins/api/robot_hosts.hpp"

#include <boost/json/object.hpp>

namespace outrider {

// Times in milliseconds since 1970 (never = null), durations in milliseconds.
boost::json::object to_json(const RobotHost& host);

}  // namespace outrider
