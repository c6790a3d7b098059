#include "robot/robot.hpp"

#include "base/content_encoder.hpp"
#include "tests/support/robot_stage.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider::testing {
namespace {

using Paths = std::vector<std::string>;

Paths sorted(Paths paths) {
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Robot, ASmallSiteIsFetchedCompletelyAndEachPageOnce) {
  RobotStage stage;
  stage.origin.on("/", html("<a href=/a>a</a><a href=/b>b</a><a href=/a#x>a again</a>"));
  stage.origin.on("/a", html("<a href=/b>b</a><a href=/c?utm_source=x>c</a>"));
  stage.origin.on("/b", html("<a href=/>home</a><a href=/c>c</a>"));
  stage.origin.on("/c", html("end"));
  stage.origin.on("/c?utm_source=x", html("end"));
  const TaskStatus status = stage.run(stage.spec());
  EXPECT_EQ(status.state, TaskState::finished);
  EXPECT_EQ(stage.pages().size(), 4u);
  EXPECT_EQ(stage.origin.count("/a"), 1u);
  EXPECT_EQ(stage.origin.count("/c") + stage.origin.count("/c?utm_source=x"), 1u) << "the same page by two names";
  const TaskStatistics& done = status.statistics;
  EXPECT_EQ(done.checked, 8u);
  EXPECT_EQ(done.queued, 4u);
  EXPECT_EQ(done.seen_before, 4u);
  EXPECT_EQ(done.downloaded, 4u);
  EXPECT_EQ(done.pending, 0u);
  EXPECT_EQ(done.pages, 4u);
}

TEST(Robot, WhichUrlsAreOnePageIsASetting) {
  RobotStage stage;
  stage.close();
  stage.settings.ignore_trailing_slash = true;
  stage.settings.ignore_directory_index = true;
  stage.settings.ignore_query_order = true;
  stage.settings.ignore_tracking = false;
  stage.settings.session_parameters = {"who"};
  stage.open();
  const Paths paths = {"/a/",      "/a",      "/a/index.html", "/b?x=1&y=2", "/b?y=2&x=1", "/c", "/c?utm_source=x",
                       "/d?who=1", "/d?who=2"};
  std::string links;
  for (const std::string& path : paths) {
    stage.origin.on(path, html("end"));
    links += fmt::format("<a href=\"{}\">link</a>", path);
  }
  stage.origin.on("/", html(links));
  const TaskStatus status = stage.run(stage.spec());
  EXPECT_EQ(sorted(stage.pages()), (Paths{"/", "/a/", "/b?x=1&y=2", "/c", "/c?utm_source=x", "/d?who=1"}));
  EXPECT_EQ(status.statistics.seen_before, 4u);
}

TEST(Robot, DepthIsCountedInLinksFromTheStart) {
  RobotStage stage;
  for (int i = 0; i < 5; ++i) stage.origin.on(fmt::format("/{}", i), html(fmt::format("<a href=/{}>next</a>", i + 1)));
  TaskSpec spec = stage.spec("/0");
  spec.depth = 2;
  const TaskId task = stage.submit(spec);
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(sorted(stage.pages()), (Paths{"/0", "/1", "/2"}));
  EXPECT_EQ(status.statistics.rejected[static_cast<std::size_t>(Reason::depth)], 1u);
  EXPECT_EQ(stage.why_not(task, "/3").reason, Reason::depth);
  EXPECT_EQ(stage.why_not(task, "/4").state, UrlFate::State::unknown);
}

// ANCESTORS: "already scanned at this or greater remaining depth?"
TEST(Robot, APageThatIsReachedAgainWithMoreDepthLeadsFurther) {
  RobotStage stage;
  stage.concurrency = 1;
  stage.close();
  stage.open();
  // Depth first goes /long/1 → /long/2 → /hub, where no depth is left; then /hub comes again straight from the start.
  stage.origin.on("/", html("<a href=/long/1>long</a><a href=/hub>hub</a>"));
  stage.origin.on("/long/1", html("<a href=/long/2>on</a>"));
  stage.origin.on("/long/2", html("<a href=/hub>hub</a>"));
  stage.origin.on("/hub", html("<a href=/leaf>leaf</a>"));
  stage.origin.on("/leaf", html("<a href=/too-deep>x</a>"));
  for (const QueueOrder order : {QueueOrder::depth_first, QueueOrder::breadth_first, QueueOrder::random}) {
    TaskSpec spec = stage.spec();
    spec.depth = 3;
    spec.order = order;
    const TaskId task = stage.submit(spec);
    const TaskStatus status = stage.finish(task);
    EXPECT_EQ(stage.why_not(task, "/leaf").state, UrlFate::State::fetched) << to_string(order);
    EXPECT_EQ(status.statistics.pages, 5u) << to_string(order);
  }
}

TEST(Robot, APageThatIsReadAgainAndIsNotStoredIsDownloadedAgain) {
  RobotStage stage;
  stage.concurrency = 1;
  stage.close();
  stage.open();
  stage.origin.on("/", html("<a href=/long>long</a><a href=/hub>hub</a>"));
  stage.origin.on("/long", html("<a href=/hub>hub</a>"));
  stage.origin.on("/hub", page("<a href=/leaf>leaf</a>", "Content-Type: text/html\r\nCache-Control: no-store\r\n"));
  stage.origin.on("/leaf", html("x"));
  TaskSpec spec = stage.spec();
  spec.depth = 2;
  spec.order = QueueOrder::depth_first;
  const TaskStatistics done = stage.run(spec).statistics;
  EXPECT_EQ(done.pages, 4u);
  EXPECT_EQ(stage.origin.count("/hub") + 3, done.downloaded);
  EXPECT_EQ(done.cache_hits, 0u);
}

TEST(Robot, TheTimeLineEndsWithHowTheTaskEnded) {
  RobotStage stage;
  stage.origin.on("/", html("<a href=/a>a</a>"));
  stage.origin.on("/a", html("end"));
  const TaskStatus status = stage.run(stage.spec());
  ASSERT_FALSE(status.timeline.empty());
  EXPECT_EQ(status.timeline.back().fetched, 2u);
  EXPECT_EQ(status.timeline.back().pending, 0u);
}

TEST(Robot, RedirectsAreQueuedLikeLinksAndEndAfterFive) {
  RobotStage stage;
  stage.origin.on("/", html("<a href=/r1>r</a><a href=/loop>loop</a>"));
  stage.origin.on("/r1", redirect_to("/target"));
  stage.origin.on("/target", html("here"));
  stage.origin.on("/loop", redirect_to("/loop"));
  for (int i = 0; i < 9; ++i) stage.origin.on(fmt::format("/chain{}", i), redirect_to(fmt::format("/chain{}", i + 1)));
  TaskSpec spec = stage.spec();
  spec.start.push_back(stage.origin.url("/chain0"));
  const TaskId task = stage.submit(spec);
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(sorted(stage.pages()), (Paths{"/", "/target"}));
  EXPECT_EQ(stage.origin.count("/loop"), 1u);
  EXPECT_EQ(stage.origin.count("/chain5"), 1u);
  EXPECT_EQ(stage.origin.count("/chain6"), 0u);
  EXPECT_EQ(stage.why_not(task, "/chain6").reason, Reason::redirects);
  EXPECT_EQ(status.statistics.redirects, 8u);
}

TEST(Robot, ATaskThatEndedByItsLimitGoesOnWhenThatIsRaised) {
  RobotStage stage;
  for (int i = 0; i < 6; ++i) stage.origin.on(fmt::format("/{}", i), html(fmt::format("<a href=/{}>next</a>", i + 1)));
  stage.origin.on("/6", html("end"));
  TaskSpec spec = stage.spec("/0");
  spec.max_documents = 3;
  const TaskId task = stage.submit(spec);
  EXPECT_EQ(stage.finish(task).statistics.downloaded, 3u);
  EXPECT_EQ(stage.why_not(task, "/3").reason, Reason::limit);
  EXPECT_FALSE(stage.robot().resume(task)) << "nothing has changed";
  spec.max_documents = 5;
  ASSERT_TRUE(stage.robot().change(task, spec));
  ASSERT_TRUE(stage.robot().resume(task));
  EXPECT_EQ(stage.finish(task).statistics.downloaded, 5u);
  EXPECT_EQ(stage.why_not(task, "/4").state, UrlFate::State::fetched);
}

// RFC 9110 section 14.2: a server may ignore Range.
TEST(Robot, NoMoreThanTheFirstBytesAreReadWhateverTheServerSends) {
  RobotStage stage;
  stage.origin.on("/", page(std::string(500'000, 'x'), "Content-Type: text/html\r\nCache-Control: no-store\r\n"));
  TaskSpec spec = stage.spec();
  spec.first_bytes = 1000;
  const TaskStatistics done = stage.run(spec).statistics;
  EXPECT_EQ(done.bytes, 1000u);
  EXPECT_EQ(done.pages, 1u);
}

// RFC 5861 section 3: a request in the background would be at nobody's pace.
TEST(Robot, WhatMayBeServedStaleWhileItIsRevalidatedIsRevalidated) {
  RobotStage stage;
  stage.origin.on("/", page("x",
                            "Content-Type: text/html\r\nCache-Control: max-age=0, stale-while-revalidate=600\r\n"
                            "ETag: \"1\"\r\n"));
  stage.run(stage.spec());
  const TaskStatistics done = stage.run(stage.spec()).statistics;
  EXPECT_EQ(done.downloaded, 1u);
  EXPECT_EQ(done.cache_hits, 0u);
  EXPECT_EQ(stage.origin.count("/"), 2u);
}

// RFC 9309 section 2.2.2
TEST(Robot, WhatRobotsTxtForbidsIsNotFetchedAndTheRuleIsNamed) {
  RobotStage stage;
  stage.origin.on("/robots.txt", page("User-agent: *\nDisallow: /private/\n", "Content-Type: text/plain\r\n"));
  stage.origin.on("/", html("<a href=/private/x>x</a><a href=/open>o</a>"));
  stage.origin.on("/open", html("o"));
  stage.origin.on("/private/x", html("x"));
  const TaskId task = stage.submit(stage.spec());
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(stage.origin.count("/private/x"), 0u);
  EXPECT_EQ(stage.origin.count("/robots.txt"), 1u);
  EXPECT_EQ(status.statistics.rejected[static_cast<std::size_t>(Reason::robots)], 1u);
  EXPECT_EQ(status.statistics.queued, 2u);
  const UrlFate fate = stage.why_not(task, "/private/x");
  EXPECT_EQ(fate.reason, Reason::robots);
  EXPECT_NE(fate.detail.find("Disallow: /private/"), std::string::npos) << fate.detail;
}

// RFC 9309 section 2.3.1.4: nothing is allowed, but not for ever.
TEST(Robot, WhatWaitsForARobotsTxtThatFailsIsFetchedWhenItIsBack) {
  RobotStage stage;
  std::atomic<int> asked = 0;
  stage.origin.on("/robots.txt", [&asked](const ScriptedOrigin::Request&) {
    return ++asked < 3 ? std::string{"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"} : page("", "");
  });
  stage.origin.on("/", html("<a href=/a>a</a>"));
  stage.origin.on("/a", html("a"));
  const TaskStatus status = stage.run(stage.spec());
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(status.statistics.downloaded, 2u);
}

TEST(Robot, ARobotsTxtThatKeepsFailingForbidsInTheEnd) {
  RobotStage stage;
  stage.origin.on("/robots.txt", std::string{"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"});
  stage.origin.on("/", html("x"));
  const TaskId task = stage.submit(stage.spec());
  stage.finish(task);
  EXPECT_EQ(stage.origin.count("/robots.txt"), static_cast<std::size_t>(kRobotsGiveUpAfter));
  EXPECT_EQ(stage.origin.count("/"), 0u);
  EXPECT_EQ(stage.why_not(task, "/").reason, Reason::robots);
}

// RFC 9110 section 8.4: some send a content coding that nobody asked for. Also 203 is an answer.
TEST(Robot, ARobotsTxtIsDecodedBeforeItIsRead) {
  RobotStage stage;
  const std::string coded = encode_content(ContentCoding::gzip, "User-agent: *\nDisallow: /private/\n");
  stage.origin.on("/robots.txt", fmt::format("HTTP/1.1 203 Ok\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n"
                                             "Content-Length: {}\r\n\r\n{}",
                                             coded.size(), coded));
  stage.origin.on("/", html("<a href=/private/x>x</a>"));
  stage.origin.on("/private/x", html("x"));
  EXPECT_EQ(stage.run(stage.spec()).statistics.downloaded, 1u);
  EXPECT_EQ(stage.origin.count("/private/x"), 0u);
}

TEST(Robot, WithoutAMemoryPagesAreDecodedAndTheirHeadersCountToo) {
  RobotStage stage;
  const std::string coded = encode_content(ContentCoding::gzip, "<a href=/a>a</a>");
  stage.origin.on("/", html(coded, "Content-Encoding: gzip\r\n"));
  stage.origin.on("/a", html("<a href=/b>b</a>", "X-Robots-Tag: nofollow\r\n"));
  stage.origin.on("/b", html("b"));
  const TaskId task = stage.submit(stage.spec());
  EXPECT_EQ(stage.finish(task).statistics.downloaded, 2u);
  EXPECT_EQ(stage.why_not(task, "/b").reason, Reason::nofollow);
}

// Somebody who observes and fails is not the robot's concern.
TEST(Robot, AnObserverThatThrowsStopsNothing) {
  RobotStage stage;
  stage.origin.on("/", html("<a href=/a>a</a>"));
  stage.origin.on("/a", html("a"));
  const auto observing = stage.robot().observe(0, {[](const RobotPage&) { throw std::runtime_error{"page"}; },
                                                   [](TaskId, TaskState) { throw std::runtime_error{"state"}; }});
  EXPECT_EQ(stage.run(stage.spec()).statistics.downloaded, 2u);
}

TEST(Robot, AnObserverMayRemoveTheTaskItHearsOf) {
  RobotStage stage;
  stage.origin.on("/", html("x"));
  Gate removed;
  const auto observing = stage.robot().observe(0, {nullptr, [&](TaskId task, TaskState state) {
                                                     if (state != TaskState::finished) return;
                                                     EXPECT_TRUE(stage.robot().remove(task));
                                                     removed.open();
                                                   }});
  stage.submit(stage.spec());
  EXPECT_TRUE(removed.wait());
  EXPECT_TRUE(stage.robot().list().empty());
}

// Also of what is no page: whoever checks links wants to know that.
TEST(Robot, AnObserverHearsWhatBecameOfEveryUrl) {
  RobotStage stage;
  stage.origin.on("/", html("<a href=/moved>m</a><a href=/gone>g</a>"));
  stage.origin.on("/moved", redirect_to("/new#part"));
  stage.origin.on("/new", html("new"));
  stage.origin.on("/gone", "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n");
  std::mutex mutex;
  std::map<std::string, std::string> heard;
  TaskObserver observer;
  observer.on_fetch = [&](const RobotFetch& fetch) {
    const std::lock_guard lock(mutex);
    heard[std::string{fetch.url}.substr(stage.origin.url("").size())] =
        fmt::format("{} {} {}", fetch.status, to_string(fetch.error), fetch.redirects_to);
    EXPECT_GT(fetch.first_byte, Duration::zero()) << fetch.url;
  };
  const auto observing = stage.robot().observe(0, observer);
  stage.run(stage.spec());
  const std::lock_guard lock(mutex);
  EXPECT_EQ(heard.size(), 4u);
  EXPECT_EQ(heard["/"], "200 none ");
  EXPECT_EQ(heard["/moved"], "301 none " + stage.origin.url("/new#part"));
  EXPECT_EQ(heard["/new"], "200 none ");
  EXPECT_EQ(heard["/gone"], "410 http ");
}

TEST(Robot, LinksAreRejectedWithAReasonThatCanBeAskedFor) {
  RobotStage stage;
  stage.origin.on(
      "/dir/", html("<a rel=nofollow href=/dir/nf>1</a><a href=mailto:x@example.com>2</a>"
                    "<a href=http://other.example/>3</a><a href=/up>4</a><img src=/dir/i.png>"
                    "<a href=/dir/x.pdf>5</a><a href='/dir/q?a=1'>6</a><a href=/dir/no/y>7</a><a href=/dir/123>8</a>"));
  TaskSpec spec = stage.spec("/dir/");
  spec.restriction = Restriction::subdirectories;
  spec.exclude_extensions = {"PDF"};
  spec.exclude_paths = {"/dir/no/"};
  spec.exclude = {"/dir/[0-9]+$"};
  spec.query = QueryPolicy::skip;
  const TaskId task = stage.submit(spec);
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(stage.why_not(task, "/dir/nf").reason, Reason::nofollow);
  EXPECT_EQ(stage.why_not(task, "mailto:x@example.com").reason, Reason::scheme);
  EXPECT_EQ(stage.why_not(task, "http://other.example/").reason, Reason::restriction);
  EXPECT_EQ(stage.why_not(task, "/up").reason, Reason::restriction);
  EXPECT_EQ(stage.why_not(task, "/dir/i.png").reason, Reason::kind);
  EXPECT_EQ(stage.why_not(task, "/dir/x.pdf").reason, Reason::extension);
  EXPECT_EQ(stage.why_not(task, "/dir/q?a=1").reason, Reason::query);
  EXPECT_EQ(stage.why_not(task, "/dir/no/y").detail, "exclude_paths: /dir/no/");
  EXPECT_EQ(stage.why_not(task, "/dir/123").reason, Reason::url_rule);
  EXPECT_EQ(status.statistics.filtered, 9u);
  EXPECT_EQ(status.statistics.queued, 1u);
}

TEST(Robot, PrivateAddressesAreNotFetchedUnlessTheLabNamesThem) {
  RobotStage stage;
  stage.lab_hosts = {};
  stage.close();
  stage.open();
  stage.origin.on("/", html("x"));
  TaskSpec spec = stage.spec();
  spec.obey_robots = false;
  const TaskId task = stage.submit(spec);
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(stage.origin.count(), 0u);
  EXPECT_EQ(stage.why_not(task, "/").reason, Reason::address);
  EXPECT_EQ(status.statistics.filtered, 1u);
}

TEST(Robot, ErrorsThatMayPassAreTriedAgainAndOthersAreNot) {
  RobotStage stage;
  std::atomic<int> asked = 0;
  stage.origin.on("/", html("<a href=/busy>1</a><a href=/gone>2</a><a href=/broken>3</a>"));
  stage.origin.on("/busy", [&asked](const ScriptedOrigin::Request&) {
    return ++asked < 3 ? std::string{"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"} : html("now");
  });
  stage.origin.talk("/broken", [](const ScriptedOrigin::Request&, RawSocket&) { return false; });
  const TaskId task = stage.submit(stage.spec());
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(stage.origin.count("/gone"), 1u);
  EXPECT_EQ(stage.why_not(task, "/gone").detail, "status 404");
  EXPECT_EQ(stage.why_not(task, "/broken").detail, "closed_early");
  EXPECT_EQ(status.statistics.failed, 2u);
  EXPECT_EQ(status.statistics.downloaded, 2u);
  EXPECT_GE(status.statistics.retries, 4u);
}

TEST(Robot, WhatWaitsToBeTriedAgainKeepsNobodyFromWorking) {
  RobotStage stage;
  stage.concurrency = 1;
  stage.retry_after = std::chrono::hours{1};
  stage.close();
  stage.open();
  Gate gate;
  stage.origin.on("/bad", std::string{"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"});
  stage.origin.on("/good", [&gate](const ScriptedOrigin::Request&) {
    gate.open();
    return html("x");
  });
  TaskSpec spec = stage.spec("/bad");
  spec.start.push_back(stage.origin.url("/good"));
  const TaskId task = stage.submit(spec);
  EXPECT_TRUE(gate.wait());
  const TaskStatus status = *stage.robot().status(task);
  EXPECT_EQ(status.state, TaskState::running) << "it has not forgotten the other";
  EXPECT_EQ(status.statistics.retries, 1u);
}

TEST(Robot, ATaskGoesOnAfterARestartAndRepeatsNothing) {
  RobotStage stage;
  for (int i = 0; i < 60; ++i) {
    const std::string body = fmt::format("<a href=/{}>a</a><a href=/{}>b</a>", 2 * i + 1, 2 * i + 2);
    stage.origin.on(fmt::format("/{}", i), html(i < 30 ? body : "leaf"));
  }
  stage.origin.on("/60", html("leaf"));
  TaskSpec spec = stage.spec("/0");
  const TaskId task = stage.submit(spec);
  for (int round = 0; round < 5; ++round) {
    stage.close();
    stage.open();
  }
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(status.statistics.downloaded, 61u);
  EXPECT_EQ(status.statistics.checked, 61u);
  for (int i = 0; i < 61; ++i) EXPECT_EQ(stage.origin.count(fmt::format("/{}", i)), 1u) << i;
}

TEST(Robot, PausedMeansNothingBeginsUntilItIsResumed) {
  RobotStage stage;
  Gate gate;
  stage.origin.on("/", [&gate](const ScriptedOrigin::Request&) {
    gate.wait();
    return html("<a href=/a>a</a>");
  });
  stage.origin.on("/a", html("a"));
  const TaskId task = stage.submit(stage.spec());
  ASSERT_TRUE(stage.robot().pause(task));
  gate.open();
  while (stage.robot().status(task)->statistics.under_way != 0) std::this_thread::yield();
  EXPECT_EQ(stage.robot().status(task)->statistics.pending, 1u);
  EXPECT_EQ(stage.origin.count("/a"), 0u);
  ASSERT_TRUE(stage.robot().resume(task));
  EXPECT_EQ(stage.finish(task).statistics.downloaded, 2u);
}

TEST(Robot, LimitsEndATask) {
  RobotStage stage;
  std::string many;
  for (int i = 0; i < 50; ++i) {
    many += fmt::format("<a href=/{}>x</a>", i);
    stage.origin.on(fmt::format("/{}", i), html("x"));
  }
  stage.origin.on("/", html(many));
  TaskSpec spec = stage.spec();
  spec.max_documents = 7;
  const TaskStatus status = stage.run(spec);
  EXPECT_EQ(status.state, TaskState::finished);
  EXPECT_EQ(status.statistics.downloaded, 7u);
  EXPECT_EQ(status.statistics.pending, 44u);
  EXPECT_FALSE(status.why.empty());
}

TEST(Robot, ARegularExpressionThatIsNoneIsRefused) {
  RobotStage stage;
  TaskSpec spec = stage.spec();
  spec.include = {"("};
  EXPECT_FALSE(stage.robot().submit(spec));
  EXPECT_TRUE(stage.robot().list().empty());
}

TEST(Robot, TheInvariantsHoldWheneverSomebodyLooks) {
  RobotStage stage;
  for (int i = 0; i < 400; ++i)
    stage.origin.on(
        fmt::format("/{}", i),
        html(fmt::format("<a href=/{}>a</a><a href=/{}>b</a><a href=/no/{}>c</a><a rel=nofollow href=/n>d</a>",
                         (i * 7 + 1) % 400, (i * 3 + 2) % 400, i)));
  const TaskId task = stage.submit(stage.spec("/0"));
  std::atomic<bool> ended = false;
  std::vector<std::thread> lookers;
  std::atomic<int> looks = 0;
  for (int i = 0; i < 3; ++i)
    lookers.emplace_back([&] {
      while (!ended) {
        ++looks;
        EXPECT_TRUE(stage.robot().status(task)->statistics.holds());
        for (const TaskStatus& each : stage.robot().list()) EXPECT_TRUE(each.statistics.holds());
      }
    });
  stage.finish(task);
  ended = true;
  for (std::thread& looker : lookers) looker.join();
  EXPECT_GT(looks, 0);
}

}  // namespace
}  // namespace outrider::testing
