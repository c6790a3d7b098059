// GET /api/v1/events: what happens, as it happens, as Server-Sent Events (WHATWG HTML section 9.2). Two sources in one
// stream: live traffic and the memory. Every event has an id that says where both stand, so a client that comes back
// misses nothing that is still known.
//
//   hello      {"version","server","role"}: the first one; `server` changes with every start of the program
//   exchange   a finished exchange (what proxy/exchange_record writes)
//   stats      once a second: counters since the start of the program
//   node_new, node_changed, node_gone, link_new, visit, error: what is new in the memory
//   watch      a watched page has changed, is gone, is back … (plugins/api/page_watches.hpp)
//   task       a task of the robot has changed (webui/task_feed.hpp); at most once a second each
//   plugin     a plugin has published something (plugins/api/plugin_control.hpp)
//   settings   {"settings": […]}: these have another value, or it comes from elsewhere
//   plugins    {"plugins": […]}: one is switched, has failed, has another version
//   onboarding whether HTTPS is opened has changed
//   lost       {"exchanges": n}: this client was too slow, or came back too late
// And only for those who name them ("kinds", or "with" besides all others), because nobody but a page about them needs
// so much:
//   health     {"metrics","cache","memory","robot","pinned"}: all of it first, then what to merge into it (RFC 7396)
//   log        a line of the log, as it is written
#pragma once

#include "base/worker_pool.hpp"
#include "webui/feeds.hpp"
#include "webui/ports.hpp"
#include "webui/problem.hpp"
#include "webui/settings_feed.hpp"
#include "webui/watch_feed.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace outrider::webui {

// Where a client stands. Numbers of exchanges count only within one run of the program, hence `server`.
struct StreamPosition {
  std::string server;
  std::uint64_t exchange = 0;
  EventCursor memory = 0;

  std::string to_string() const;  // "k3v9.120.4711"
  void append_to(std::string& out) const;
  static std::optional<StreamPosition> parse(std::string_view text);
};

// How events are written: as Server-Sent Events, or one JSON object {"event","id","data"} a line.
enum class StreamFormat : std::uint8_t { events, lines };

struct StreamFilter {
  std::vector<std::string> kinds;  // empty = all that are told unasked
  std::vector<std::string> with;   // and these
  std::string host;                // this one and what is below it; "" = all
  std::string cache;               // only exchanges with this verdict; "" = all

  bool wants(std::string_view kind) const;
  bool names(std::string_view kind) const;  // it is there in so many words
  bool wants_host(std::string_view host_and_port) const;
};
Result<StreamFilter> filter_of(const ApiRequest& request);

class EventStream final : public WebStream {
 public:
  struct Hello {
    std::string version;
    std::string server;
    Role role = Role::reader;
    std::string user = {};  // of Role::user: hears of the memory only, and there of what is open or theirs
    std::function<bool()> still_welcome = {};  // asked now and then, on another thread; empty = always
  };
  EventStream(const Ports& ports, WorkerPool& workers, const Clock& clock, Hello hello, StreamFilter filter,
              std::optional<StreamPosition> from, const Feeds& feeds, StreamFormat format = StreamFormat::events);

  Task<std::string> next() override;
  bool ended() const override { return ended_; }

 private:
  void append(std::string_view kind, std::string_view data);
  void append_watches();
  void append_plugins();
  void append_exchanges();
  void append_stats();
  void append_log();
  Task<> append_memory();
  Task<> append_tasks();
  Task<> append_settings();
  // A state that is told when it has changed: as a whole, or as what has to be merged into what was told before.
  struct Followed {
    std::string_view kind;
    StateFeed* feed = nullptr;
    bool as_patches = false;
    StateFeed::State told = nullptr;
  };
  void follow(std::string_view kind, StateFeed* feed, bool as_patches = false);
  Task<> append_state(Followed& followed);
  Task<> look_who_is_there();

  const Ports& ports_;
  WorkerPool& workers_;
  const Clock& clock_;
  const StreamFilter filter_;
  const Hello hello_;
  StreamPosition position_;
  bool greeted_ = false;
  bool ended_ = false;
  SteadyTime last_look_;  // at who is there
  SteadyTime last_stats_{};
  SteadyTime last_sent_{};
  std::unique_ptr<WatchFeed> watches_;  // nullptr without a robot
  std::unique_ptr<TrafficWatch> traffic_;
  std::shared_ptr<std::atomic<bool>> memory_has_more_;
  std::shared_ptr<void> memory_subscription_;
  TaskFeed* const tasks_;  // nullptr without a robot
  std::uint64_t tasks_told_ = 0;
  PluginControl* const plugins_;  // nullptr without plugins
  std::uint64_t plugins_told_ = 0;
  std::unique_ptr<SettingsFeed> settings_;  // nullptr: nothing to tell, or not to this one
  std::vector<Followed> followed_;
  const bool hears_log_;
  std::uint64_t log_told_ = 0;
  const StreamFormat format_;
  std::string out_;
};

}  // namespace outrider::webui
