// News of watched pages, for one listener of the event stream: collected when they come, taken when it is his turn.
// Bounded: who is too slow loses the oldest.
#pragma once

#include "plugins/api/page_watches_json.hpp"

#include <boost/json/serialize.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace outrider::webui {

class WatchFeed {
 public:
  static constexpr std::size_t kMost = 256;

  explicit WatchFeed(PageWatches& watches) {
    subscription_ = watches.on_news([state = state_](const WatchNews& news) {
      if (news.kind == "unchanged") return;
      std::string line = boost::json::serialize(to_json(news));
      const std::lock_guard lock(state->mutex);
      state->lines.push_back(std::move(line));
      if (state->lines.size() > kMost) state->lines.pop_front();
    });
  }
  std::deque<std::string> take() {
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->lines, {});
  }

 private:
  struct State {
    std::mutex mutex;
    std::deque<std::string> lines;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::shared_ptr<void> subscription_;
};

}  // namespace outrider::webui
