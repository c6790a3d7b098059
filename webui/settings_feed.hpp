// Which settings have changed, for one listener of the event stream: noted when it happens, taken when it is his turn.
#pragma once

#include "plugins/api/control.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace outrider::webui {

class SettingsFeed {
 public:
  explicit SettingsFeed(SettingsControl& settings) {
    subscription_ = settings.on_change([state = state_](const std::vector<std::string>& keys) {
      const std::lock_guard lock(state->mutex);
      for (const std::string& key : keys)
        if (std::find(state->keys.begin(), state->keys.end(), key) == state->keys.end()) state->keys.push_back(key);
    });
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(state_->mutex);
    return std::exchange(state_->keys, {});
  }

 private:
  struct State {
    std::mutex mutex;
    std::vector<std::string> keys;  // each once: there are no more of them than settings
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::shared_ptr<void> subscription_;
};

}  // namespace outrider::webui
