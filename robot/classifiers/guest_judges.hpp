// Judges that came with a task (plugins/api/robot_judges.hpp), among the robot's own. What a filter throws is a
// rejection: a task that lost its judge must not run wild.
#pragma once

#include "robot/classifier.hpp"

namespace outrider {

void add_guests(Judges& judges, const TaskJudges& guests);

}  // namespace outrider
