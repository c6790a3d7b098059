// Tasks and their statistics as JSON: for the REST API, the command line, and the robot's own records.
#pragma once

#include "base/error.hpp"
#include "plugins/api/robot_task.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace outrider {

boost::json::object to_json(const TaskSpec& spec);
// Keys that are absent keep their value in `spec`; an unknown key or a wrong type or value is an error that names it.
Result<void> update_from_json(TaskSpec& spec, const boost::json::value& json);
// Whether the robot can do this: invalid_argument that names the key. Regular expressions are checked by the robot.
Result<void> validate(const TaskSpec& spec);

boost::json::object to_json(const TaskStatistics& statistics);
Result<TaskStatistics> statistics_from_json(const boost::json::value& json);
boost::json::object to_json(const TaskStatus& status);
boost::json::object to_json(const UrlFate& fate);

// "22:00-06:00" in minutes of the day, begin before end or over midnight.
struct TimeWindow {
  int begin = 0, end = 0;
  bool contains(WallTime at) const;
};
Result<TimeWindow> parse_time_window(std::string_view text);

}  // namespace outrider
