// A page that has not changed is not read again: its links are known.
#include "tests/support/robot_stage.hpp"

#include <boost/json.hpp>

#include <atomic>

namespace outrider::testing {
namespace {

// Counts what is handed to the memory.
class WatchedIngest final : public Ingest {
 public:
  struct Counts {
    std::atomic<int> read{0}, looked_at{0};
    std::atomic<bool> remembers{true};
  };
  explicit WatchedIngest(Counts& counts) : counts_(counts) {}
  bool submit(Arrival&& arrival) override {
    if (!arrival.body.empty()) ++counts_.read;
    if (arrival.status == 304 && arrival.not_modified && arrival.may_wait) ++counts_.looked_at;
    return inner_.submit(std::move(arrival));
  }
  std::size_t queued() const override { return inner_.queued(); }
  bool remembers() const override { return counts_.remembers; }

 private:
  Counts& counts_;
  PlainIngest inner_;
};

struct KnownStage : RobotStage {
  KnownStage() {
    make_ingest = [this] { return std::make_unique<WatchedIngest>(counts); };
    observes_pages = false;
    reopen();
    show("/", "<a href=/a>a</a><a href=/b rel=nofollow>b</a><img src=/i.png><a href=mailto:x>m</a>");
    show("/a", "<a href=/>home</a><a href=/c#x>c</a>");
    show("/c", "the end");
  }
  ~KnownStage() { close(); }
  void reopen() {
    close();
    open();
  }
  // As long as its ETag is the same it is confirmed, with these fields.
  void show(const std::string& path, const std::string& text, const std::string& etag = "\"1\"",
            const std::string& fields = "") {
    const std::string head = "ETag: " + etag + "\r\nCache-Control: no-cache\r\n" + fields;
    origin.on(path, [=](const ScriptedOrigin::Request& request) {
      if (request.field("If-None-Match") == etag) return "HTTP/1.1 304 Not Modified\r\n" + head + "\r\n";
      return page(text, "Content-Type: text/html\r\n" + head);
    });
  }
  TaskStatus refresh() {
    counts.read = counts.looked_at = 0;
    TaskSpec wanted = spec();
    wanted.check_memory = false;
    return run(wanted);
  }

  WatchedIngest::Counts counts;
};

TEST(RobotKnownLinks, AreFollowedWithoutReadingThePageAgain) {
  KnownStage stage;
  const TaskStatistics first = stage.refresh().statistics;
  EXPECT_EQ(first.downloaded, 3u);
  EXPECT_EQ(stage.counts.read, 3);
  stage.reopen();  // they are on disk
  const TaskStatistics second = stage.refresh().statistics;
  EXPECT_EQ(stage.counts.read, 0);
  EXPECT_EQ(stage.counts.looked_at, 3);
  EXPECT_EQ(second.not_modified, 3u);
  EXPECT_EQ(second.downloaded, first.downloaded);
  EXPECT_EQ(second.checked, first.checked);
  EXPECT_EQ(second.queued, first.queued);
  EXPECT_EQ(second.seen_before, first.seen_before);
  EXPECT_EQ(second.filtered, first.filtered);
  EXPECT_EQ(second.rejected, first.rejected);
  EXPECT_EQ(second.bytes, first.bytes);
  EXPECT_EQ(second.pages, first.pages);
}

TEST(RobotKnownLinks, OfAPageThatChanged_AreFoundAnew) {
  KnownStage stage;
  stage.refresh();
  stage.show("/a", "<a href=/new>new</a>", "\"2\"");
  stage.show("/new", "new");
  EXPECT_EQ(stage.refresh().statistics.downloaded, 3u);
  EXPECT_EQ(stage.counts.read, 2) << "/a and /new";
  EXPECT_EQ(stage.origin.count("/new"), 1);
  EXPECT_EQ(stage.refresh().statistics.downloaded, 3u);
  EXPECT_EQ(stage.counts.read, 0);
}

// RFC 9111 section 4.3.4: a 304 changes fields, too.
TEST(RobotKnownLinks, AreFoundAnewWhereA304SaysSomethingElseOfThem) {
  KnownStage stage;
  EXPECT_EQ(stage.refresh().statistics.downloaded, 3u);
  stage.show("/", "the same", "\"1\"", "X-Robots-Tag: nofollow\r\n");
  EXPECT_EQ(stage.refresh().statistics.downloaded, 1u);
}

TEST(RobotKnownLinks, AreNotEnoughForAMemoryThatNeverHadThePage) {
  KnownStage stage;
  stage.counts.remembers = false;
  stage.refresh();
  stage.refresh();
  EXPECT_EQ(stage.counts.read, 0);
  EXPECT_EQ(stage.counts.looked_at, 0) << "nobody to be told";
  stage.counts.remembers = true;
  stage.refresh();
  EXPECT_EQ(stage.counts.read, 3);
  stage.refresh();
  EXPECT_EQ(stage.counts.read, 0);
}

TEST(RobotKnownLinks, AreNotEnoughForATaskThatJudgesPages) {
  KnownStage stage;
  stage.refresh();
  stage.counts.read = 0;
  TaskSpec judging = stage.spec();
  judging.check_memory = false;
  judging.content_seen_test = true;
  stage.run(judging);
  EXPECT_EQ(stage.counts.read, 3);
}

TEST(RobotKnownLinks, AreForgotten) {
  KnownStage stage;
  stage.refresh();
  ASSERT_TRUE(stage.robot().forget({{"site", "elsewhere.example"}}));
  EXPECT_EQ(stage.refresh().statistics.downloaded, 3u);
  EXPECT_EQ(stage.counts.read, 3);
  stage.refresh();
  EXPECT_EQ(stage.counts.read, 0) << "and known again";
}

}  // namespace
}  // namespace outrider::testing
