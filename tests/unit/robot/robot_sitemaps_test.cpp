// https://www.sitemaps.org/protocol.html: sitemaps of robots.txt and /sitemap.xml, indexes, .gz
#include "base/content_encoder.hpp"
#include "tests/support/robot_stage.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider::testing {
namespace {

std::string xml(const std::string& body) {
  return page(body, "Content-Type: application/xml\r\n");
}
std::string urlset(const std::vector<std::string>& urls) {
  std::string text = "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">";
  for (const std::string& url : urls) text += fmt::format("<url><loc>{}</loc></url>", url);
  return text + "</urlset>";
}

TEST(RobotSitemaps, PagesThatNobodyLinksToAreFound) {
  RobotStage stage;
  stage.origin.on("/", html("no links"));
  stage.origin.on("/island", html("<a href=/beach>b</a>"));
  stage.origin.on("/beach", html("x"));
  stage.origin.on("/sitemap.xml", xml(urlset({stage.origin.url("/island"), "http://elsewhere.example/x"})));
  TaskSpec spec = stage.spec();
  spec.sitemaps = true;
  const TaskId task = stage.submit(spec);
  const TaskStatus status = stage.finish(task);
  EXPECT_EQ(status.statistics.pages, 3u) << "the sitemap itself is none";
  EXPECT_EQ(stage.why_not(task, "/beach").state, UrlFate::State::fetched);
  EXPECT_EQ(stage.why_not(task, "http://elsewhere.example/x").reason, Reason::restriction);
}

// The lines of robots.txt are there for everybody, whether /sitemap.xml may be asked for or not.
TEST(RobotSitemaps, TheLinesOfRobotsTxtCountWhereItForbidsTheUsualPlaceOrIsNotObeyed) {
  for (const bool obey : {true, false}) {
    RobotStage stage;
    stage.origin.on("/robots.txt",
                    page("User-agent: *\nDisallow: /sitemap.xml\nSitemap: " + stage.origin.url("/list.xml") + "\n",
                         "Content-Type: text/plain\r\n"));
    stage.origin.on("/", html("x"));
    stage.origin.on("/island", html("x"));
    stage.origin.on("/list.xml", xml(urlset({stage.origin.url("/island")})));
    TaskSpec spec = stage.spec();
    spec.sitemaps = true;
    spec.obey_robots = obey;
    const TaskId task = stage.submit(spec);
    stage.finish(task);
    EXPECT_EQ(stage.why_not(task, "/island").state, UrlFate::State::fetched) << obey;
    EXPECT_EQ(stage.origin.count("/sitemap.xml"), obey ? 0u : 1u);
  }
}

TEST(RobotSitemaps, WithoutTheParameterNothingIsAskedFor) {
  RobotStage stage;
  stage.origin.on("/", html("x"));
  stage.run(stage.spec());
  EXPECT_EQ(stage.origin.count("/sitemap.xml"), 0u);
}

TEST(RobotSitemaps, TheLinesOfRobotsTxtAndIndexesAndGzAreFollowed) {
  RobotStage stage;
  stage.origin.on("/robots.txt",
                  page("User-agent: *\nDisallow: /private\nSitemap: " + stage.origin.url("/index.xml") + "\n",
                       "Content-Type: text/plain\r\n"));
  stage.origin.on("/", html("x"));
  stage.origin.on("/index.xml", xml("<sitemapindex><sitemap><loc>" + stage.origin.url("/part.xml.gz") +
                                    "</loc></sitemap></sitemapindex>"));
  const std::string packed =
      encode_content(ContentCoding::gzip, urlset({stage.origin.url("/a"), stage.origin.url("/private/b")}));
  stage.origin.on("/part.xml.gz", page(packed, "Content-Type: application/gzip\r\n"));
  stage.origin.on("/a", html("a"));
  TaskSpec spec = stage.spec();
  spec.sitemaps = true;
  const TaskId task = stage.submit(spec);
  stage.finish(task);
  EXPECT_EQ(stage.why_not(task, "/a").state, UrlFate::State::fetched);
  EXPECT_EQ(stage.why_not(task, "/private/b").reason, Reason::robots);
  EXPECT_EQ(stage.origin.count("/sitemap.xml"), 1u);
  EXPECT_EQ(stage.origin.count("/index.xml"), 1u);
}

TEST(RobotSitemaps, ATaskThatIsRepeatedReadsThoseOfRobotsTxtAgain) {
  RobotStage stage;
  stage.origin.on("/robots.txt",
                  page("Sitemap: " + stage.origin.url("/named.xml") + "\n", "Content-Type: text/plain\r\n"));
  stage.origin.on("/", html("x"));
  stage.origin.on("/named.xml", xml(urlset({stage.origin.url("/a")})));
  stage.origin.on("/a", html("a"));
  TaskSpec spec = stage.spec();
  spec.sitemaps = true;
  spec.check_memory = false;
  spec.repeat = std::chrono::seconds{1};
  const TaskId task = stage.submit(spec);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (stage.origin.count("/named.xml") < 2 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  EXPECT_GE(stage.origin.count("/named.xml"), 2u);
  EXPECT_TRUE(stage.robot().remove(task));
}

// Sitemaps that name sitemaps, without an end.
TEST(RobotSitemaps, EndlessIndexesEnd) {
  RobotStage stage;
  stage.origin.on("/", html("x"));
  for (int i = 0; i <= 1100; ++i) {
    const std::string next = stage.origin.url(fmt::format("/map/{}", i));
    const std::string text = "<sitemapindex><sitemap><loc>" + next + "</loc></sitemap></sitemapindex>";
    stage.origin.on(i == 0 ? "/sitemap.xml" : fmt::format("/map/{}", i - 1), xml(text));
  }
  TaskSpec spec = stage.spec();
  spec.sitemaps = true;
  const TaskStatus status = stage.run(spec);
  EXPECT_EQ(status.state, TaskState::finished);
  EXPECT_EQ(status.statistics.rejected[static_cast<std::size_t>(Reason::limit)], 1u);
}

}  // namespace
}  // namespace outrider::testing
