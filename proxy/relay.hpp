// Two connections become one: bytes flow both ways, unseen, until both sides have finished. For CONNECT tunnels and
// protocol upgrades. Small exchanges are copied; a direction that turns out to carry bulk data is spliced inside the
// kernel.
#pragma once

#include "base/stream.hpp"
#include "base/task_group.hpp"

#include <memory>

namespace outrider {

// Ends when both directions have ended (half-close is passed on), one has failed, or nothing moved for `idle`.
// Both streams are closed afterwards; they have counted what moved. `tasks` owns the second direction's coroutine.
Task<> relay(std::shared_ptr<Stream> client, std::shared_ptr<Stream> origin, Duration idle, TaskGroup& tasks);

}  // namespace outrider
