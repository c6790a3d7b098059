// The robot with a real memory behind it: what is known of a page already, and what has just come of it.
#include "robot/watches.hpp"

#include "tests/support/robot_stage.hpp"

#include <fmt/format.h>

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

// RFC 9110 sections 9.3.2 and 14: what comes without its body, or in part, does not take the place of the whole.
TEST(RobotMemory, HeadsAndPartsDoNotReplaceWhatIsKnown) {
  MemoryStage stage;
  const std::string text = "<html><body><p>The bridge is open to all of the traffic.</p></body></html>";
  const std::string fields = "Content-Type: text/html\r\nCache-Control: max-age=0\r\n";
  stage.origin.on("/", [&](const ScriptedOrigin::Request& request) {
    const std::string whole = page(text, fields);
    if (request.method == "HEAD") return whole.substr(0, whole.size() - text.size());
    if (request.field("Range").empty()) return whole;
    return fmt::format("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-9/{}\r\nContent-Length: 10\r\n{}\r\n{}",
                       text.size(), fields, text.substr(0, 10));
  });
  const auto known = [&stage] {
    stage.close();  // everything is written
    stage.open();
    const std::string url = stage.origin.url("/");
    const Result<std::optional<Node>> node = stage.memory().graph().page({url, "", StorageClass::open}, true);
    EXPECT_TRUE(node && *node);
    return node && *node ? **node : Node{};
  };
  TaskSpec spec = stage.spec();
  stage.run(spec);
  const Node whole = known();
  EXPECT_NE(whole.page.text, "");
  spec.first_bytes = 10;
  stage.run(spec);
  spec.first_bytes = 0;
  spec.head_only = true;
  stage.run(spec);
  const Node after = known();
  EXPECT_EQ(after.status, 200);
  EXPECT_EQ(after.page.text, whole.page.text);
  EXPECT_EQ(after.decoded_size, whole.decoded_size);
  EXPECT_EQ(after.observations.size(), 3u);
  for (const Observation& look : after.observations) EXPECT_FALSE(look.changed && look.at != whole.last_changed);
}

TEST(RobotMemory, TheContentSeenTestComparesWhatCameNow) {
  MemoryStage stage;
  stage.origin.on("/", html("<a href=/a>a</a><a href=/b>b</a>"));
  for (const char* path : {"/a", "/b"}) stage.origin.on(path, html("<p>One and the same text.</p>"));
  stage.run(stage.spec("/a"));
  stage.close();  // its fingerprint is known
  stage.open();
  TaskSpec spec = stage.spec();
  spec.content_seen_test = true;
  EXPECT_EQ(stage.run(spec).statistics.content_seen, 1u);
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
