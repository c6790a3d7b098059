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
  Node known(const std::string& path = "/") {
    close();  // everything is written
    open();
    const std::string url = origin.url(path);
    const Result<std::optional<Node>> node = memory().graph().page({url, "", StorageClass::open}, true);
    EXPECT_TRUE(node && *node) << path;
    return node && *node ? **node : Node{};
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
  TaskSpec spec = stage.spec();
  stage.run(spec);
  const Node whole = stage.known();
  EXPECT_NE(whole.page.text, "");
  spec.first_bytes = 10;
  stage.run(spec);
  spec.first_bytes = 0;
  spec.head_only = true;
  stage.run(spec);
  const Node after = stage.known();
  EXPECT_EQ(after.status, 200);
  EXPECT_EQ(after.page.text, whole.page.text);
  EXPECT_EQ(after.decoded_size, whole.decoded_size);
  EXPECT_EQ(after.observations.size(), 3u);
  for (const Observation& look : after.observations) EXPECT_FALSE(look.changed && look.at != whole.last_changed);
}

// What is known of the page stays; that it is there again is news.
TEST(RobotMemory, AHeadAfterAnErrorTellsThatThePageIsBack) {
  MemoryStage stage;
  stage.show("The bridge is open to all of the traffic.");
  stage.run(stage.spec());
  const Node first = stage.known();
  EXPECT_NE(first.page_at, WallTime{});
  TaskSpec spec = stage.spec();
  spec.check_memory = false;
  for (const std::string& other :
       {std::string{"HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n"}, redirect_to("/elsewhere")}) {
    spec.head_only = false;
    stage.origin.on("/", other);
    stage.run(spec);
    const Node gone = stage.known();
    EXPECT_TRUE(gone.status == 404 || !gone.redirects_to.empty());
    stage.show("The bridge is open to all of the traffic.");
    spec.head_only = true;
    stage.run(spec);
    const Node back = stage.known();
    EXPECT_EQ(back.status, 200);
    EXPECT_EQ(back.redirects_to, "");
    EXPECT_EQ(back.page.text, first.page.text);
    EXPECT_GT(back.last_fetched, first.last_fetched);
    EXPECT_EQ(back.page_at, first.page_at) << "the text is as old as before";
  }
}

// RFC 9110 section 14.4: the whole is as long as the head says, whatever was read of it.
TEST(RobotMemory, OfABeginningTheSizeOfTheWholeIsKnownOrNone) {
  MemoryStage stage;
  const std::string text = "<html><body><p>The bridge is open to all of the traffic.</p></body></html>";
  const auto size_of = [&](const std::string& path, const std::string& answer) {
    stage.origin.on(path, answer);
    TaskSpec spec = stage.spec(path);
    spec.first_bytes = 10;
    stage.run(spec);
    const Node known = stage.known(path);
    EXPECT_TRUE(known.partial) << path;
    return std::pair{known.decoded_size, known.wire_size};
  };
  const auto part = [&](std::string_view fields) {
    return fmt::format("HTTP/1.1 206 Part\r\nContent-Length: 10\r\nContent-Type: text/html\r\n{}\r\n{}", fields,
                       text.substr(0, 10));
  };
  using Sizes = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(size_of("/range", part("Content-Range: bytes 0-9/4000000\r\n")), Sizes(4'000'000, 4'000'000));
  EXPECT_EQ(size_of("/star", part("Content-Range: bytes 0-9/*\r\n")), Sizes(0, 0));
  EXPECT_EQ(size_of("/whole", page(text, "Content-Type: text/html\r\n")), Sizes(text.size(), text.size()));
  EXPECT_EQ(size_of("/chunks", "HTTP/1.1 200 Ok\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n" +
                                   fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", text.size(), text)),
            Sizes(0, 0));
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
