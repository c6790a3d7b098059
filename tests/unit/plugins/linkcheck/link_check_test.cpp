#include "plugins/linkcheck/link_check.hpp"

#include "tests/support/web_robot.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using test::WebRobot;
using Requests = std::vector<std::string>;

struct NotingRobot : WebRobot {
  std::string robots_words;   // why robots.txt forbids what it forbids
  std::size_t impatient = 0;  // tasks

  Result<TaskId> submit(TaskSpec spec, TaskCompany company = {}) override {
    if (company.impatient) ++impatient;
    return WebRobot::submit(std::move(spec), std::move(company));
  }
  Result<UrlFate> why_not(TaskId task, std::string_view url) const override {
    Result<UrlFate> fate = WebRobot::why_not(task, url);
    if (fate) fate->detail = robots_words;
    return fate;
  }
};

struct LinkCheckTest : ::testing::Test {
  NotingRobot robot;
  FakeClock clock;
  LinkCheckLimits limits;

  LinkReport run(const std::string& url, bool site = false) {
    LinkReport report;
    report.id = 1;
    report.url = url;
    report.site = site;
    LinkCheck check{std::move(report), limits, robot, clock};
    check.begin();
    for (int i = 0; i < 10 && !check.over(); ++i) check.advance();
    EXPECT_TRUE(check.over());
    EXPECT_TRUE(robot.list().empty()) << "its tasks are gone";
    return check.report();
  }
  static const CheckedLink& link(const LinkReport& report, const std::string& url) {
    for (const CheckedLink& link : report.links)
      if (link.url == url) return link;
    ADD_FAILURE() << "no link " << url;
    static const CheckedLink none;
    return none;
  }
};

TEST_F(LinkCheckTest, EachAddressIsAskedForOnceByHead) {
  robot.web["http://p/"].links = {WebRobot::link("http://p/a", "A"), WebRobot::link("http://p/a#x", "A again"),
                                  WebRobot::link("http://q/b"), WebRobot::link("mailto:x@y")};
  robot.web["http://q/b"].status = 404;
  const LinkReport report = run("http://p/");
  EXPECT_EQ(report.state, LinkReport::State::finished);
  EXPECT_EQ(robot.requests, (Requests{"GET http://p/", "HEAD http://p/a", "HEAD http://q/b", "GET http://q/b"}));
  EXPECT_EQ(report.pages, 1u);
  ASSERT_EQ(report.links.size(), 2u);
  EXPECT_EQ(link(report, "http://p/a").count, 2u);
  EXPECT_EQ(link(report, "http://p/a").places.front().text, "A");
  EXPECT_EQ(link(report, "http://q/b").verdict, LinkVerdict::dead);
}

// RFC 9110 section 9.3.2: a server should answer HEAD like GET, and many do not.
TEST_F(LinkCheckTest, WhatHeadDoesNotAnswer_IsAskedForByGet) {
  robot.web["http://p/"].links = {WebRobot::link("http://p/a")};
  robot.web["http://p/a"].head_status = 405;
  const LinkReport report = run("http://p/");
  EXPECT_EQ(link(report, "http://p/a").verdict, LinkVerdict::ok);
  ASSERT_EQ(robot.submitted.size(), 3u);
  EXPECT_EQ(robot.submitted[2].first_bytes, 1024u) << "not the whole of it";
  for (const TaskSpec& spec : robot.submitted) {
    EXPECT_TRUE(spec.obey_robots);
    EXPECT_FALSE(spec.check_memory);
    EXPECT_EQ(spec.owner, LinkCheck::kOwner);
  }
}

TEST_F(LinkCheckTest, MovedAndForbidden_AreTold) {
  robot.web["http://p/"].links = {WebRobot::link("http://p/old"), WebRobot::link("http://p/secret")};
  robot.moved("http://p/old", "http://p/new");
  robot.web["http://p/secret"].robots_forbid = true;
  const LinkReport report = run("http://p/");
  EXPECT_EQ(link(report, "http://p/old").verdict, LinkVerdict::moved);
  EXPECT_EQ(link(report, "http://p/old").leads_to, "http://p/new");
  EXPECT_EQ(link(report, "http://p/secret").verdict, LinkVerdict::unchecked);
  EXPECT_EQ(link(report, "http://p/secret").note, "robots.txt does not allow a robot to look");
}

TEST_F(LinkCheckTest, Site_IsReadFromWhereItsAddressLeads) {
  robot.moved("http://p/", "https://www.p/");
  robot.web["https://www.p/"].links = {WebRobot::link("https://www.p/a"), WebRobot::link("http://other/")};
  robot.web["https://www.p/a"].links = {WebRobot::link("https://www.p/gone")};
  robot.web["https://www.p/gone"].status = 410;
  limits.pages = 17;
  const LinkReport report = run("http://p/", true);
  EXPECT_EQ(report.pages, 2u);
  ASSERT_GE(robot.submitted.size(), 2u);
  EXPECT_EQ(robot.submitted[1].start, Requests{"https://www.p/"});
  EXPECT_EQ(robot.submitted[1].restriction, Restriction::internal);
  EXPECT_EQ(robot.submitted[1].max_documents, 17u);
  EXPECT_EQ(link(report, "https://www.p/gone").verdict, LinkVerdict::dead);
  EXPECT_EQ(link(report, "https://www.p/gone").places.front().page, "https://www.p/a");
  EXPECT_TRUE(link(report, "http://other/").insecure);
  EXPECT_EQ(std::count(robot.requests.begin(), robot.requests.end(), "GET https://www.p/gone"), 1)
      << "a GET that failed is not repeated";
}

TEST_F(LinkCheckTest, Limit_LeavesOutAndSaysSo) {
  limits.links = 2;
  for (int i = 0; i < 5; ++i) robot.web["http://p/"].links.push_back(WebRobot::link("http://p/" + std::to_string(i)));
  const LinkReport report = run("http://p/");
  EXPECT_EQ(report.links.size(), 2u);
  EXPECT_EQ(report.left_out, 3u);
}

TEST_F(LinkCheckTest, Limit_IsOfAddresses_NotOfLinks) {
  limits.links = 2;
  std::vector<Link>& links = robot.web["http://p/"].links;
  for (int i = 0; i < 100; ++i) links.push_back(WebRobot::link("http://p/a"));
  links.push_back(WebRobot::link("http://p/dead"));
  robot.web["http://p/dead"].status = 404;
  const LinkReport report = run("http://p/");
  ASSERT_EQ(report.links.size(), 2u);
  EXPECT_EQ(link(report, "http://p/a").count, 100u);
  EXPECT_EQ(link(report, "http://p/dead").verdict, LinkVerdict::dead);
  EXPECT_EQ(report.left_out, 0u);
}

TEST_F(LinkCheckTest, LinksThatNobodyLookedAt_AreLeftOutAndCounted) {
  robot.web["http://p/"].links.assign(60'000, WebRobot::link("http://p/a"));
  const LinkReport report = run("http://p/");
  EXPECT_EQ(link(report, "http://p/a").count + report.left_out, 60'000u);
}

// RFC 9309 section 2.3.1.4. Whose host is not there is another matter: the robot says so (robot_unreachable_test.cpp).
TEST_F(LinkCheckTest, RobotsTxtThatFails_IsNotCalledARule) {
  robot.web["http://p/"].links = {WebRobot::link("http://q/a")};
  robot.web["http://q/a"].robots_forbid = true;
  robot.robots_words = "robots: robots.txt is answered with 503";
  const LinkReport report = run("http://p/");
  EXPECT_EQ(link(report, "http://q/a").verdict, LinkVerdict::unchecked);
  EXPECT_EQ(link(report, "http://q/a").note, "robots.txt is answered with 503");
}

TEST_F(LinkCheckTest, DeadHosts_AreNotWaitedFor) {
  robot.web["http://p/"].links = {WebRobot::link("http://q/a")};
  robot.web["http://q/a"].error = NodeError::connect;
  const LinkReport report = run("http://p/");
  EXPECT_EQ(link(report, "http://q/a").verdict, LinkVerdict::dead);
  EXPECT_EQ(robot.impatient, robot.submitted.size());
}

TEST_F(LinkCheckTest, PageThatCannotBeRead_IsAFailure) {
  robot.web["http://p/"].status = 503;
  LinkReport report = run("http://p/");
  EXPECT_EQ(report.state, LinkReport::State::failed);
  EXPECT_EQ(report.why, "the page cannot be read: status 503");
  robot.web["http://p/"].robots_forbid = true;
  report = run("http://p/");
  EXPECT_EQ(report.why, "the page cannot be read: robots.txt does not allow a robot to look");
  robot.refuses = true;
  EXPECT_EQ(run("http://p/").why, "the disk is full");
}

TEST_F(LinkCheckTest, Stopped_KeepsWhatIsKnown) {
  robot.web["http://p/"].links = {WebRobot::link("http://p/a")};
  LinkReport begun;
  begun.url = "http://p/";
  LinkCheck check{begun, limits, robot, clock};
  check.begin();
  robot.holds = true;  // the HEAD requests
  check.advance();
  EXPECT_FALSE(check.over());
  EXPECT_EQ(robot.list().size(), 1u);
  check.end(LinkReport::State::stopped);
  EXPECT_TRUE(robot.list().empty());
  EXPECT_EQ(check.report().links.at(0).verdict, LinkVerdict::unchecked);
}

TEST_F(LinkCheckTest, TasksOfOthers_AreNotMixedIn) {
  robot.web["http://p/"].links = {WebRobot::link("http://p/a")};
  robot.web["http://other/"].links = {WebRobot::link("http://other/x")};
  LinkReport begun;
  begun.url = "http://p/";
  LinkCheck check{begun, limits, robot, clock};
  robot.holds = true;
  check.begin();
  TaskSpec other;
  other.start = {"http://other/"};
  other.depth = 0;
  robot.run(*robot.submit(other));
  check.advance();
  EXPECT_FALSE(check.over());
  EXPECT_EQ(check.report().links.size(), 0u);
}

}  // namespace
}  // namespace outrider
