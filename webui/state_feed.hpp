// What some part of the house is like, as news: one look at it now and then, however many listen; listeners compare
// what they were told with the newest. Nobody listens: nobody looks. Any number of threads.
#pragma once

#include "webui/look_pace.hpp"

#include <boost/json/object.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace outrider::webui {

class StateFeed {
 public:
  using Read = std::function<boost::json::object(WallTime now)>;
  using State = std::shared_ptr<const boost::json::object>;
  // What of a state makes it another one; counters may count on without being news.
  using Essence = std::function<boost::json::object(boost::json::object)>;

  StateFeed(Read read, Duration every, Essence essence = {})
      : read_(std::move(read)), essence_(std::move(essence)), pace_(every) {}

  LookPace& pace() { return pace_; }
  void look(WallTime now) {  // may wait for a disk: not on a reactor
    auto seen = std::make_shared<const boost::json::object>(read_(now));
    boost::json::object core = essence_ ? essence_(*seen) : *seen;
    const std::lock_guard lock(mutex_);
    if (newest_ && core == core_) return;
    newest_ = std::move(seen);
    core_ = std::move(core);
  }
  // Another pointer is another state. nullptr: nobody has looked yet.
  State newest() const {
    const std::lock_guard lock(mutex_);
    return newest_;
  }

 private:
  const Read read_;
  const Essence essence_;
  LookPace pace_;
  mutable std::mutex mutex_;
  State newest_;
  boost::json::object core_;  // of it
};

}  // namespace outrider::webui
