// The robot with a real memory behind it: what is known of a page already, and what has just come of it.
#include "robot/watches.hpp"

#include "tests/support/robot_stage.hpp"

namespace outrider::testing {
namespace {

struct MemoryStage : RobotStage {
  MemoryStage() {
    close();
    with_memory = true;
    open();
  }
  void show(const std::string& text) {
    origin.on("/", [text](const ScriptedOrigin::Request& request) {
      if (request.field("If-None-Match") == "\"1\"")
        return std::string{"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nCache-Control: max-age=3600\r\n\r\n"};
      return page("<html><body><p>" + text + "</p><a href=/next>next</a></body></html>",
                  "Content-Type: text/html\r\nCache-Control: max-age=3600\r\nETag: \"1\"\r\n");
    });
  }
};

TEST(RobotMemory, AWatchedPageThatIsKnownAndConfirmedHasNotChanged) {
  MemoryStage stage;
  stage.show("The bridge is open to all of the traffic.");
  stage.run(stage.spec());  // now it is known
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<WatchNews> heard;
  const std::shared_ptr<void> hearing = stage.robot().watches().on_news([&](const WatchNews& news) {
    const std::lock_guard lock(mutex);
    heard.push_back(news);
    changed.notify_all();
  });
  ASSERT_TRUE(stage.robot().watches().watch(stage.origin.url("/"), std::nullopt, "me"));
  for (std::size_t looks = 1; looks <= 3; ++looks) {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds{60}, [&] { return heard.size() >= looks; }));
    EXPECT_EQ(heard.back().kind, looks == 1 ? "first look" : "unchanged") << heard.back().diff;
    lock.unlock();
    ASSERT_TRUE(stage.robot().watches().look_now(stage.origin.url("/")));
  }
}

TEST(RobotMemory, AKnownPageIsJudgedByItsText) {
  MemoryStage stage;
  stage.show("The bridge is open to all of the traffic.");
  stage.origin.on("/next", html("<p>The bridge, again.</p>"));
  TaskSpec spec = stage.spec();
  stage.run(spec);
  spec.text_match = "bridge";
  EXPECT_EQ(stage.run(spec).statistics.pages, 2u);
  spec.text_match = "ferry";
  EXPECT_EQ(stage.run(spec).statistics.pages, 0u);
}

}  // namespace
}  // namespace outrider::testing
