// "Tell me when this page changes", with what changed.
#include "robot/watches.hpp"

#include "tests/support/robot_stage.hpp"

namespace outrider::testing {
namespace {

struct WatchStage : RobotStage {
  WatchStage() { listen(); }
  void listen() {
    hearing = robot().watches().on_news([this](const WatchNews& news) {
      const std::lock_guard lock(mutex);
      heard.push_back(news);
      changed.notify_all();
    });
  }
  // Looks, and returns what came of it.
  WatchNews look(const std::string& path) {
    std::unique_lock lock(mutex);
    const std::size_t before = heard.size();
    lock.unlock();
    EXPECT_TRUE(robot().watches().look_now(origin.url(path)));
    lock.lock();
    const bool came = changed.wait_for(lock, std::chrono::seconds{60}, [&] { return heard.size() > before; });
    EXPECT_TRUE(came);
    return came ? heard.back() : WatchNews{};
  }
  void show(const std::string& text) {
    origin.on("/", page("<html><body><p>" + text + "</p></body></html>",
                        "Content-Type: text/html\r\nCache-Control: max-age=3600\r\n"));
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<WatchNews> heard;
  std::shared_ptr<void> hearing;
};

// The first look comes by itself.
void watch_and_wait(WatchStage& stage, std::optional<std::chrono::seconds> every = std::nullopt) {
  ASSERT_TRUE(stage.robot().watches().watch(stage.origin.url("/"), every, "me"));
  std::unique_lock lock(stage.mutex);
  ASSERT_TRUE(stage.changed.wait_for(lock, std::chrono::seconds{60}, [&] { return !stage.heard.empty(); }));
}

TEST(RobotWatches, AChangeIsToldWithItsDifference) {
  WatchStage stage;
  stage.show("The bridge is open to all of the traffic.");
  watch_and_wait(stage);
  EXPECT_EQ(stage.heard[0].kind, "first look");
  EXPECT_EQ(stage.look("/").kind, "unchanged");
  stage.show("The bridge is closed until the morning.");
  const WatchNews news = stage.look("/");
  EXPECT_EQ(news.kind, "changed");
  EXPECT_NE(news.diff.find("- The bridge is open"), std::string::npos) << news.diff;
  EXPECT_NE(news.diff.find("+ The bridge is closed"), std::string::npos) << news.diff;
  EXPECT_GT(news.next, news.at);
  EXPECT_TRUE(stage.robot().list().empty()) << "the tasks of looks leave nothing behind";
}

TEST(RobotWatches, APageThatIsGoneAndOneThatCannotBeReachedAreToldApart) {
  WatchStage stage;
  stage.show("Something that is there for now.");
  watch_and_wait(stage);
  stage.origin.on("/", "HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n");
  const WatchNews broken = stage.look("/");
  EXPECT_EQ(broken.kind, "unreachable");
  EXPECT_NE(broken.detail.find("stored copy"), std::string::npos) << broken.detail;
  stage.origin.on("/", "HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(stage.look("/").kind, "gone");
  stage.show("Something that is there for now.");
  EXPECT_EQ(stage.look("/").kind, "back");
}

TEST(RobotWatches, WatchesAndWhatIsKnownSurviveARestart) {
  WatchStage stage;
  stage.show("The old text of the page.");
  watch_and_wait(stage, std::chrono::seconds{3600});
  stage.close();
  stage.open();
  stage.listen();
  const std::vector<WatchedPage> watched = stage.robot().watches().watched();
  ASSERT_EQ(watched.size(), 1u);
  EXPECT_EQ(watched[0].url, stage.origin.url("/"));
  EXPECT_EQ(watched[0].owner, "me");
  EXPECT_EQ(watched[0].every, std::optional{std::chrono::seconds{3600}});
  ASSERT_TRUE(watched[0].last);
  EXPECT_EQ(watched[0].last->kind, "first look");
  stage.show("The new text of the page.");
  EXPECT_EQ(stage.look("/").kind, "changed");
  EXPECT_TRUE(stage.robot().watches().watched()[0].last_change);
  EXPECT_TRUE(stage.robot().watches().unwatch(stage.origin.url("/")));
  EXPECT_FALSE(stage.robot().watches().unwatch(stage.origin.url("/")));
  stage.close();
  stage.open();
  EXPECT_TRUE(stage.robot().watches().watched().empty());
}

TEST(RobotWatches, NonsenseIsRefused) {
  WatchStage stage;
  PageWatches& watches = stage.robot().watches();
  EXPECT_FALSE(watches.watch("mailto:a@example.com", std::nullopt, ""));
  EXPECT_FALSE(watches.watch("nonsense", std::nullopt, ""));
  EXPECT_FALSE(watches.watch("http://a.example/", std::chrono::seconds{1}, ""));
  EXPECT_TRUE(watches.watched().empty());
}

}  // namespace
}  // namespace outrider::testing
