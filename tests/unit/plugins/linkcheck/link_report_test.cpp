#include "plugins/linkcheck/link_report.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using Answers = std::map<std::string, LinkAnswer, std::less<>>;

LinkAnswer status(int code, std::string location = "", Duration took = 10ms) {
  LinkAnswer answer;
  answer.status = code;
  answer.error = code >= 400 ? NodeError::http : NodeError::none;
  answer.redirects_to = std::move(location);
  answer.took = took;
  return answer;
}

CheckedLink judged(const Answers& answers, std::string url = "https://x/", std::string page = "https://page/") {
  CheckedLink link;
  link.url = std::move(url);
  link.places = {{std::move(page), "text", LinkKind::anchor}};
  judge_link(link, answers, 3s);
  return link;
}

TEST(LinkReport, Status_DecidesTheVerdict) {
  EXPECT_EQ(judged({{"https://x/", status(200)}}).verdict, LinkVerdict::ok);
  EXPECT_EQ(judged({{"https://x/", status(206)}}).verdict, LinkVerdict::ok);
  EXPECT_EQ(judged({{"https://x/", status(416)}}).verdict, LinkVerdict::ok) << "an empty file has no first bytes";
  EXPECT_EQ(judged({{"https://x/", status(404)}}).verdict, LinkVerdict::dead);
  EXPECT_EQ(judged({{"https://x/", status(500)}}).verdict, LinkVerdict::dead);
  EXPECT_EQ(judged({{"https://x/", status(403)}}).verdict, LinkVerdict::closed);
  EXPECT_EQ(judged({{"https://x/", status(429)}}).verdict, LinkVerdict::closed);
  EXPECT_EQ(judged({}).verdict, LinkVerdict::waiting);
}

TEST(LinkReport, NoAnswer_IsDeadAndSaysWhy) {
  LinkAnswer answer;
  answer.error = NodeError::dns;
  answer.error_text = "the name does not exist";
  const CheckedLink link = judged({{"https://x/", answer}});
  EXPECT_EQ(link.verdict, LinkVerdict::dead);
  EXPECT_EQ(link.note, "the name does not exist");
  EXPECT_FALSE(link.insecure);
}

TEST(LinkReport, LaterAnswers_LeaveNothingOfEarlierJudgements) {
  Answers answers{{"https://x/", status(301, "https://y/")}};
  CheckedLink link = judged(answers);
  EXPECT_EQ(link.note, "its new address was not looked at");
  answers["https://y/"] = status(404);
  judge_link(link, answers, 3s);
  EXPECT_EQ(link.verdict, LinkVerdict::dead);
  answers["https://y/"] = status(200);  // by GET
  judge_link(link, answers, 3s);
  EXPECT_EQ(link.verdict, LinkVerdict::moved);
  EXPECT_EQ(link.note, "");
  answers["https://x/"] = status(200);
  judge_link(link, answers, 3s);
  EXPECT_EQ(link.verdict, LinkVerdict::ok);
  EXPECT_EQ(link.leads_to, "");
}

// RFC 9110 section 15.4: 301 and 308 are for good.
TEST(LinkReport, Redirects_AreFollowedToTheirEnd) {
  const CheckedLink moved =
      judged({{"https://x/", status(301, "https://y/#top", 1s)}, {"https://y/", status(200, "", 1500ms)}});
  EXPECT_EQ(moved.verdict, LinkVerdict::moved);
  EXPECT_EQ(moved.leads_to, "https://y/");
  EXPECT_TRUE(moved.for_good);
  EXPECT_EQ(moved.took, 2500u);
  EXPECT_FALSE(moved.slow);
  const CheckedLink for_now = judged({{"https://x/", status(302, "https://y/")}, {"https://y/", status(200)}});
  EXPECT_FALSE(for_now.for_good);
  const CheckedLink dead = judged({{"https://x/", status(301, "https://y/")}, {"https://y/", status(404)}});
  EXPECT_EQ(dead.verdict, LinkVerdict::dead);
  EXPECT_EQ(dead.status, 404);
  EXPECT_EQ(judged({{"https://x/", status(301, "https://y/")}}).verdict, LinkVerdict::moved);
  EXPECT_EQ(judged({{"https://x/", status(302, "https://x/")}}).note, "it redirects for ever");
  EXPECT_EQ(judged({{"https://x/", status(302, "javascript:alert(1)")}}).verdict, LinkVerdict::dead);
}

TEST(LinkReport, Insecure_IsLessProtectedThanItsPage) {
  const Answers plain{{"http://x/", status(200)}};
  EXPECT_TRUE(judged(plain, "http://x/").insecure);
  EXPECT_FALSE(judged(plain, "http://x/", "http://page/").insecure);
  EXPECT_TRUE(judged({{"https://x/", status(302, "http://y/")}, {"http://y/", status(200)}}).insecure);
  LinkAnswer untrusted;
  untrusted.error = NodeError::tls;
  EXPECT_TRUE(judged({{"https://x/", untrusted}}).insecure);
}

TEST(LinkReport, Slow_IsTheSumOfAllSteps) {
  EXPECT_TRUE(judged({{"https://x/", status(200, "", 3001ms)}}).slow);
  EXPECT_TRUE(judged({{"https://x/", status(301, "https://y/", 2s)}, {"https://y/", status(200, "", 2s)}}).slow);
}

TEST(LinkReport, OnlyWhatHeadDidNotAnswerWell_IsAskedForByGet) {
  LinkAnswer answer = status(405);
  EXPECT_FALSE(wants_get(answer)) << "it was a GET";
  answer.by_head = true;
  EXPECT_TRUE(wants_get(answer));
  answer.status = 200;
  answer.error = NodeError::none;
  EXPECT_FALSE(wants_get(answer));
  answer.status = 0;
  answer.error = NodeError::dns;
  EXPECT_FALSE(wants_get(answer));
  answer.error = NodeError::protocol;
  EXPECT_TRUE(wants_get(answer));
  answer.error = NodeError::timeout;
  EXPECT_TRUE(wants_get(answer));
  answer.by_head = false;
  EXPECT_FALSE(wants_get(answer)) << "once is enough";
}

// OWASP: CSV injection. RFC 4180 section 2 for quotes.
TEST(LinkReport, Cells_AreNoFormulas) {
  EXPECT_EQ(csv_cell("=HYPERLINK(\"http://evil/\")"), "\"'=HYPERLINK(\"\"http://evil/\"\")\"");
  EXPECT_EQ(csv_cell("+1"), "'+1");
  EXPECT_EQ(csv_cell("-1"), "'-1");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a\r\n=b").find('\n'), std::string::npos) << "one line stays one line";
  EXPECT_EQ(csv_cell("\t=1").find('\t'), std::string::npos);
}

LinkReport sample() {
  LinkReport report;
  report.id = 3;
  report.user = "anna";
  report.url = "https://page/";
  report.site = true;
  report.state = LinkReport::State::finished;
  report.began = WallTime{std::chrono::seconds{1'700'000'000}};
  report.ended = report.began + 5s;
  report.pages = 2;
  CheckedLink link = judged({{"https://x/", status(301, "https://y/")}, {"https://y/", status(200)}});
  link.count = 4;
  link.places.front().text = "=<b>\"é\"";
  report.links = {link, judged({{"https://z/", status(404)}}, "https://z/")};
  return report;
}

TEST(LinkReport, Json_RoundTrips) {
  const LinkReport report = sample();
  const std::string text = boost::json::serialize(to_json(report));
  const Result<LinkReport> again = report_from_json(text);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(boost::json::serialize(to_json(*again)), text);
  EXPECT_EQ(again->links.at(0).places.at(0).text, "=<b>\"é\"");
  EXPECT_EQ(again->user, "anna");
}

TEST(LinkReport, WhatIsNoReport_IsRefused) {
  const std::string text = boost::json::serialize(to_json(sample()));
  for (std::size_t cut = 0; cut < text.size(); cut += 7) EXPECT_FALSE(report_from_json(text.substr(0, cut)));
  EXPECT_FALSE(report_from_json("[]"));
  EXPECT_FALSE(report_from_json("{\"id\":\"x\"}"));
}

TEST(LinkReport, Csv_HasALineForEveryLink) {
  EXPECT_EQ(to_csv(sample()),
            "url,verdict,status,insecure,slow,took_ms,leads_to,note,links,page,text\r\n"
            "https://x/,moved,200,no,no,20,https://y/,,4,https://page/,\"'=<b>\"\"é\"\"\"\r\n"
            "https://z/,dead,404,no,no,10,,status 404,0,https://page/,text\r\n");
}

TEST(LinkReport, Counts_TellEachKind) {
  const LinkReport::Counts counts = sample().counts();
  EXPECT_EQ(counts.all, 2u);
  EXPECT_EQ(counts.moved, 1u);
  EXPECT_EQ(counts.dead, 1u);
  EXPECT_EQ(counts.done, 2u);
}

}  // namespace
}  // namespace outrider
