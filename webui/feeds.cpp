#include "webui/feeds.hpp"

#include "webui/memory_json.hpp"
#include "webui/state_json.hpp"

#include <boost/json.hpp>

namespace outrider::webui {
namespace {

namespace json = boost::json;

constexpr Duration kEvery = std::chrono::seconds{1};
constexpr Duration kFiguresEvery = std::chrono::seconds{2};

// Plugins are called all the time.
json::object without_calls(json::object state) {
  for (json::value& plugin : state.at("plugins").as_array())
    if (plugin.is_object()) plugin.get_object().erase("calls");
  return state;
}

json::object all_tasks(const Robot& robot) {
  std::uint64_t tasks = 0, at_work = 0, open = 0, under_way = 0, failed = 0;
  for (const TaskStatus& task : robot.list()) {
    ++tasks;
    failed += task.statistics.failed;
    if (task.state >= TaskState::finished) continue;
    at_work += task.state == TaskState::running ? 1 : 0;
    open += task.statistics.pending;
    under_way += task.statistics.under_way;
  }
  return {{"tasks", tasks}, {"at_work", at_work}, {"open", open}, {"under_way", under_way}, {"failed", failed}};
}

json::object health(const Ports& ports, WallTime now) {
  json::object state;
  if (ports.metrics != nullptr) state["metrics"] = ports.metrics->to_json();
  if (ports.cache != nullptr) {
    if (Result<json::object> stats = ports.cache->stats()) state["cache"] = std::move(*stats);
  }
  if (ports.memory != nullptr) state["memory"] = json_of(ports.memory->stats());
  if (ports.robot != nullptr) state["robot"] = all_tasks(*ports.robot);
  if (ports.tls != nullptr) state["pinned"] = pinned_json(*ports.tls, now);
  return state;
}

}  // namespace

Feeds feeds_of(const Ports& ports) {
  Feeds feeds;
  if (ports.robot != nullptr) feeds.tasks = std::make_unique<TaskFeed>(*ports.robot);
  if (PluginControl* plugins = ports.plugins) {
    auto read = [plugins](WallTime) { return json::object{{"plugins", plugins->list()}}; };
    feeds.plugins = std::make_unique<StateFeed>(std::move(read), kEvery, without_calls);
  }
  if (TlsControl* tls = ports.tls) {
    auto read = [tls](WallTime now) { return onboarding_json(*tls, now); };
    feeds.onboarding = std::make_unique<StateFeed>(std::move(read), kEvery);
  }
  auto figures = [&ports](WallTime now) { return health(ports, now); };
  feeds.health = std::make_unique<StateFeed>(std::move(figures), kFiguresEvery);
  return feeds;
}

}  // namespace outrider::webui
