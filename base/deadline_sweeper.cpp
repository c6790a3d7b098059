#include "base/deadline_sweeper.hpp"

#include <new>

namespace outrider {

DeadlineSweeper::DeadlineSweeper(const Executor& executor, const Clock& clock) : clock_(clock), timer_(executor) {}

void DeadlineSweeper::watch(Watched& watched) {
  watched_.push_back(watched);
  arm();
}

// The timer runs only while there is something to watch, so that a reactor without work can end.
void DeadlineSweeper::arm() {
  if (armed_ || watched_.empty()) return;
  armed_ = true;
  timer_.expires_after(kInterval);
  timer_.async_wait([this](const ErrorCode& code) {
    armed_ = false;
    if (code) return;
    sweep();
    arm();
  });
}

// on_deadline() may destroy any Watched, itself included: each leaves the work list before it is called, and a
// destroyed one unlinks itself from whichever list it is in.
void DeadlineSweeper::sweep() {
  const SteadyTime now = clock_.steady();
  List pending;
  pending.swap(watched_);
  while (!pending.empty()) {
    Watched& candidate = pending.front();
    pending.pop_front();
    watched_.push_back(candidate);
    if (candidate.deadline_.at() > now) continue;
    candidate.deadline_ = Deadline::never();
    try {
      candidate.on_deadline();
    } catch (const std::bad_alloc&) {  // once more at the next sweep; the others have their turn now
      if (!watched_.empty() && &watched_.back() == &candidate) candidate.deadline_ = Deadline{now};
    }
  }
}

}  // namespace outrider
