// What a plugin is given in a unit test: private data in memory, and events in a list.
#pragma once

#include "plugins/api/plugin_ports.hpp"
#include "plugins/api/plugin_stream.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace outrider::test {

class StoreInMemory : public PluginStore {
 public:
  std::map<std::string, std::string, std::less<>> values;

  Result<std::optional<std::string>> get(std::string_view key) const override {
    const auto found = values.find(key);
    return found == values.end() ? std::optional<std::string>{} : std::optional{found->second};
  }
  Result<void> put(std::string_view key, std::string_view value) override {
    values[std::string{key}] = value;
    return {};
  }
  Result<void> remove(std::string_view key) override {
    values.erase(std::string{key});
    return {};
  }
  Result<std::vector<std::string>> keys() const override {
    std::vector<std::string> all;
    for (const auto& [key, value] : values) all.push_back(key);
    return all;
  }
};

class EventList : public PluginEvents {
 public:
  std::vector<std::pair<std::string, boost::json::object>> published;
  void publish(std::string_view kind, boost::json::object data) override {
    published.emplace_back(kind, std::move(data));
  }
};

// Does everything when the test says so. Any thread may post.
class ThreadByHand : public PluginThread {
 public:
  bool post(std::function<void()> work) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
    posted_.notify_all();
    return true;
  }
  bool run() {  // false: there was nothing to do
    const std::vector<std::function<void()>> all = take();
    for (const std::function<void()>& work : all) work();
    return !all.empty();
  }
  // Waits for something to do; a minute, which is a hang.
  void run_next() {
    {
      std::unique_lock lock(mutex_);
      posted_.wait_for(lock, std::chrono::minutes{1}, [this] { return !waiting_.empty(); });
    }
    (void)run();
  }

 private:
  std::vector<std::function<void()>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }
  std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<std::function<void()>> waiting_;
};

// Waits for the end of what another thread writes: the end may be told after the last of the text.
inline std::string all_of(PluginStream& stream) {
  std::string text;
  for (;; std::this_thread::yield()) {
    const PluginStream::Piece piece = stream.take();
    text += piece.text;
    if (piece.last) return text;
  }
}

}  // namespace outrider::test
