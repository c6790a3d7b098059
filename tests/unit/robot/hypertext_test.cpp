// The constructed hypertext and the table of what a robot must make of it. The numbers were derived from the structure
// of the site, not from a run: a link more or less anywhere is a difference here.
#include "tests/support/hypertext.hpp"
#include "tests/support/robot_stage.hpp"

namespace outrider::testing {
namespace {

struct Expected {
  std::uint64_t checked, queued, filtered, seen_before, downloaded, cache_hits, failed, redirects, pages, content_seen;
};

void expect(const TaskStatistics& done, const Expected& e, std::string_view what) {
  EXPECT_EQ(done.checked, e.checked) << what;
  EXPECT_EQ(done.queued, e.queued) << what;
  EXPECT_EQ(done.filtered, e.filtered) << what;
  EXPECT_EQ(done.seen_before, e.seen_before) << what;
  EXPECT_EQ(done.downloaded, e.downloaded) << what;
  EXPECT_EQ(done.cache_hits, e.cache_hits) << what;
  EXPECT_EQ(done.failed, e.failed) << what;
  EXPECT_EQ(done.redirects, e.redirects) << what;
  EXPECT_EQ(done.pages, e.pages) << what;
  EXPECT_EQ(done.content_seen, e.content_seen) << what;
  EXPECT_EQ(done.pending, 0u) << what;
}

std::uint64_t rejected(const TaskStatistics& done, Reason reason) {
  return done.rejected[static_cast<std::size_t>(reason)];
}

class HypertextTest : public ::testing::TestWithParam<QueueOrder> {
 protected:
  HypertextTest() { serve_hypertext(stage_.origin); }
  TaskSpec spec() const {
    TaskSpec made = stage_.spec("/index.html");
    made.order = GetParam();
    made.score = LinkScore::in_degree;
    return made;
  }
  RobotStage stage_;
};

//                                   checked queued filtered seen down cached failed redirects pages content_seen
constexpr Expected kAll{/*        */ 65, 48, 9, 8, 47, 0, 1, 6, 41, 0};
constexpr Expected kStored{/*     */ 65, 48, 9, 8, 6, 41, 1, 6, 41, 0};
constexpr Expected kDepth2{/*     */ 65, 41, 21, 3, 40, 0, 1, 6, 34, 0};
constexpr Expected kContentSeen{/**/ 65, 47, 10, 8, 46, 0, 1, 6, 39, 1};
constexpr Expected kFiltered{/*   */ 59, 41, 10, 8, 40, 0, 1, 6, 30, 0};
constexpr Expected kCut{/*        */ 64, 47, 9, 8, 46, 0, 1, 6, 40, 0};

TEST_P(HypertextTest, EverythingThatMayBeFetchedIsFetchedOnce) {
  const TaskStatus status = stage_.run(spec());
  expect(status.statistics, kAll, "all");
  EXPECT_EQ(rejected(status.statistics, Reason::robots), 2u);
  EXPECT_EQ(rejected(status.statistics, Reason::nofollow), 2u);
  EXPECT_EQ(rejected(status.statistics, Reason::kind), 1u);
  EXPECT_EQ(rejected(status.statistics, Reason::scheme), 3u);
  EXPECT_EQ(rejected(status.statistics, Reason::restriction), 1u);
  EXPECT_EQ(stage_.pages().size(), kHypertextDocuments);
  EXPECT_EQ(stage_.origin.count(), 48u + 1u) << "and robots.txt";
  for (const char* never : {"/private/a.html", "/private/b.html", "/nofollow/1.html", "/nofollow/2.html",
                            "/script/never.html", "/files/never.html", "/pictures/map.png"})
    EXPECT_EQ(stage_.origin.count(never), 0u) << never;
}

TEST_P(HypertextTest, StoredPagesAreNotFetchedAgain) {
  stage_.run(spec());
  TaskSpec again = spec();
  again.name = "again";
  const std::size_t before = stage_.origin.count();
  expect(stage_.run(again).statistics, kStored, "stored");
  EXPECT_EQ(stage_.origin.count() - before, 7u) << "redirects without a lifetime, and what is missing";
}

TEST_P(HypertextTest, DepthDoesNotDependOnTheOrder) {
  TaskSpec limited = spec();
  limited.depth = 2;
  const TaskStatus status = stage_.run(limited);
  EXPECT_EQ(status.statistics.pages, kDepth2.pages);
  EXPECT_EQ(status.statistics.downloaded, kDepth2.downloaded);
  if (GetParam() == QueueOrder::breadth_first || GetParam() == QueueOrder::fair_breadth_first)
    expect(status.statistics, kDepth2, "depth 2");
}

TEST_P(HypertextTest, TheLinksOfACopyAreNotFollowed) {
  TaskSpec tested = spec();
  tested.content_seen_test = true;
  expect(stage_.run(tested).statistics, kContentSeen, "content seen");
  EXPECT_EQ(stage_.origin.count("/dup/1/y.html") + stage_.origin.count("/dup/2/y.html"), 1u);
}

TEST_P(HypertextTest, FiltersAreCountedWhereTheyStrike) {
  TaskSpec filtered = spec();
  filtered.exclude_paths = {"/tree/"};
  filtered.mime_types = {"text/html"};
  expect(stage_.run(filtered).statistics, kFiltered, "filtered");
  EXPECT_EQ(stage_.origin.count("/tree/"), 0u);
}

TEST_P(HypertextTest, AHugePageIsCutOff) {
  TaskSpec cut = spec();
  cut.max_page_size = kHugePageCut;
  expect(stage_.run(cut).statistics, kCut, "cut");
  EXPECT_EQ(stage_.origin.count("/huge/first.html"), 1u);
  EXPECT_EQ(stage_.origin.count("/huge/last.html"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Orders, HypertextTest,
                         ::testing::Values(QueueOrder::breadth_first, QueueOrder::depth_first,
                                           QueueOrder::fair_breadth_first, QueueOrder::best_first, QueueOrder::random),
                         [](const auto& each) { return std::string{to_string(each.param)}; });

}  // namespace
}  // namespace outrider::testing
