// Where the stream of events hears of parts that do not speak up themselves. One of each for all listeners.
#pragma once

#include "webui/ports.hpp"
#include "webui/state_feed.hpp"
#include "webui/task_feed.hpp"

#include <memory>

namespace outrider::webui {

struct Feeds {
  // nullptr: this part is not there.
  std::unique_ptr<TaskFeed> tasks;
  std::unique_ptr<StateFeed> plugins;     // as GET /api/v1/plugins
  std::unique_ptr<StateFeed> onboarding;  // as GET /api/v1/onboarding
  // {"metrics","cache","memory","pinned"}, as the places of those names; {"robot": sums over all tasks}
  std::unique_ptr<StateFeed> health;
};
Feeds feeds_of(const Ports& ports);  // the ports must outlive them

}  // namespace outrider::webui
