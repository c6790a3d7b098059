// A real robot with its frontier in a folder that is gone after the test, in front of a scripted origin. Only for tests
// of the room robot.
#pragma once

#include "base/metrics.hpp"
#include "cache/cache.hpp"
#include "cache/memory_keeper.hpp"
#include "robot/plain_ingest.hpp"
#include "robot/robot.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scripted_origin.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

namespace outrider::testing {

inline std::string html(std::string_view body, std::string_view fields = "") {
  return page(body, "Content-Type: text/html\r\nCache-Control: max-age=3600\r\n" + std::string{fields});
}
inline std::string redirect_to(std::string_view target) {
  return "HTTP/1.1 301 Moved\r\nLocation: " + std::string{target} + "\r\nContent-Length: 0\r\n\r\n";
}

class RobotStage {
 public:
  RobotStage() { open(); }
  ~RobotStage() { close(); }

  void open() {
    metrics_ = std::make_unique<Metrics>();
    CacheSettings cache_settings;
    cache_settings.memory = {16 << 20};
    auto cache = Cache::open(cache_settings, directory_.path(), *metrics_);
    ASSERT_TRUE(cache) << cache.error().detail;
    cache_ = std::move(*cache);
    auto tls = TlsClient::create({});
    EXPECT_TRUE(tls);
    tls_ = std::move(*tls);
    lookups_ = std::make_unique<WorkerPool>(2, 16);
    if (with_memory) {
      auto memory = MemoryKeeper::open({}, directory_.path(), *metrics_);
      ASSERT_TRUE(memory && *memory);
      memory_ = std::move(*memory);
    } else {
      ingest_ = make_ingest();
    }
    RobotOptions options;
    options.folder = directory_.path() / "robot";
    options.settings = settings;
    options.identity.user_agent = "Outrider/test (+mailto:test@example.com)";
    options.rules.cache = [](std::string_view, std::uint16_t) { return std::make_shared<const CacheRules>(); };
    options.policy =
        std::make_shared<const AddressPolicy>(allow_private ? AddressPolicy::personal() : AddressPolicy::public_only());
    options.lab_hosts = lab_hosts;
    options.concurrency = concurrency;
    options.most_rules_bytes = most_rules_bytes;
    options.retry_after = retry_after;
    options.lookups = lookups_.get();
    options.tls = tls_.get();
    options.cache = &cache_->shared();
    options.ingest = memory_ ? &memory_->ingest() : ingest_.get();
    auto made = RobotEngine::create(std::move(options));
    ASSERT_TRUE(made) << made.error().detail;
    robot_ = std::move(*made);
    TaskObserver observer;
    if (observes_pages) observer.on_page = [this](const RobotPage& page) { saw(page); };
    observer.on_state = [this](TaskId, TaskState) {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    };
    observing_ = robot_->observe(0, std::move(observer));
    robot_->start();
  }
  void close() {
    if (robot_) robot_->stop(std::chrono::seconds{5});
    observing_.reset();
    ingest_.reset();
    memory_.reset();
    if (cache_ && cache_->store() != nullptr) cache_->store()->close();
    robot_.reset();
    cache_.reset();
  }

  RobotEngine& robot() { return *robot_; }
  MemoryKeeper& memory() { return *memory_; }
  std::filesystem::path folder() const { return directory_.path() / "robot"; }  // of the frontier
  TaskSpec spec(const std::string& start = "/") const {
    TaskSpec made;
    made.start = {origin.url(start)};
    return made;
  }
  TaskId submit(const TaskSpec& wanted) {
    const Result<TaskId> id = robot_->submit(wanted);
    EXPECT_TRUE(id) << id.error().detail;
    return id ? *id : 0;
  }
  // Waits for the task's end and returns what it did. A minute: then it hangs.
  TaskStatus finish(TaskId task) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    for (;;) {
      Result<TaskStatus> status = robot_->status(task);
      EXPECT_TRUE(status);
      EXPECT_TRUE(status->statistics.holds());
      if (status->state >= TaskState::finished && status->statistics.under_way == 0) return *status;
      if (std::chrono::steady_clock::now() > until) {
        ADD_FAILURE() << "the task does not end";
        return *status;
      }
      // Not until somebody calls: it may have ended since the look above.
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds{20});
    }
  }
  TaskStatus run(const TaskSpec& wanted) { return finish(submit(wanted)); }
  std::vector<std::string> pages() {  // in the order in which they were concluded; only the paths
    const std::lock_guard lock(mutex_);
    return pages_;
  }
  UrlFate why_not(TaskId task, const std::string& path) {
    const Result<UrlFate> fate = robot_->why_not(task, path.starts_with('/') ? origin.url(path) : path);
    EXPECT_TRUE(fate);
    return *fate;
  }

  ScriptedOrigin origin;
  std::vector<std::string> lab_hosts = {"127.0.0.1"};
  RobotSettings settings;  // this and what follows counts from the next open()
  bool allow_private = false;
  bool with_memory = false;  // else pages are only searched for links
  std::function<std::unique_ptr<Ingest>()> make_ingest = [] { return std::make_unique<PlainIngest>(); };
  bool observes_pages = true;
  std::size_t concurrency = 8;
  std::size_t most_rules_bytes = 64 << 20;
  Duration retry_after = std::chrono::milliseconds{1};

 private:
  void saw(const RobotPage& page) {
    const std::lock_guard lock(mutex_);
    pages_.push_back(page.node.url.substr(origin.url("").size()));
  }

  testing_support::TemporaryDirectory directory_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<Cache> cache_;
  std::unique_ptr<TlsClient> tls_;
  std::unique_ptr<WorkerPool> lookups_;
  std::unique_ptr<Ingest> ingest_;
  std::unique_ptr<MemoryKeeper> memory_;
  std::unique_ptr<RobotEngine> robot_;
  std::shared_ptr<void> observing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> pages_;
};

}  // namespace outrider::testing
