#include "plugins/linkcheck/linkcheck.hpp"

#include "plugins/api/plugin.hpp"
#include "tests/support/plugin_ports.hpp"
#include "tests/support/scripted_memory.hpp"
#include "tests/support/web_robot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider {
namespace {

namespace json = boost::json;
using test::WebRobot;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct SiteSwitches final : PluginSwitch {
  bool everywhere = true;
  std::string elsewhere;  // one site where it is not as everywhere
  bool is_on(std::string_view site) const override { return (site == elsewhere && !site.empty()) != everywhere; }
  Result<void> turn(std::string_view, bool) override { return {}; }
};

struct LinkcheckTest : ::testing::Test {
  SiteSwitches switches;
  WebRobot robot;
  test::StoreInMemory store;
  test::EventList events;
  FakeClock clock;
  test::ScriptedMemory memory;
  std::shared_ptr<Plugin> plugin;

  LinkcheckTest() {
    robot.web["http://p/"].links = {WebRobot::link("http://p/gone", "=cmd<script>")};
    robot.web["http://p/gone"].status = 404;
    start();
  }
  void start(bool with_robot = true) {
    plugin = make_linkcheck_plugin();
    PluginPorts ports;
    ports.clock = &clock;
    ports.robot = with_robot ? &robot : nullptr;
    ports.memory = &memory;
    ports.store = &store;
    ports.events = &events;
    ports.own_switch = &switches;
    plugin->start(ports);
  }
  PluginAnswer ask(Method method, const std::string& path, const std::string& body = "", const std::string& user = "",
                   bool local = true) {
    PluginDocumentRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    request.user = user;
    request.local = local;
    return plugin->on_document(request);
  }
  PluginAnswer get(const std::string& path) { return ask(Method::get, path); }
  json::value reports() { return json::parse(get("/reports").body).at("reports"); }
  void finish() {
    for (int i = 0; i < 10; ++i) plugin->on_timer();
  }
};

TEST_F(LinkcheckTest, PageIsForgotten_ReportGoesWithIt_AlsoAfterARestart) {
  ask(Method::post, "/check", "url=http%3A%2F%2Fp%2F");
  for (int i = 0; i < 60; ++i) plugin->on_timer();
  EXPECT_EQ(reports().as_array().size(), 1U);  // the memory has never known the page
  Node node;
  node.url = "http://p/";
  memory.nodes.push_back(node);
  for (int i = 0; i < 60; ++i) plugin->on_timer();
  EXPECT_EQ(reports().as_array().size(), 1U);
  plugin->stop();
  memory.nodes.clear();
  start();
  for (int i = 0; i < 60; ++i) plugin->on_timer();
  EXPECT_EQ(reports().as_array().size(), 0U);
  EXPECT_EQ(get("/reports/1.json").status, 404);
}

TEST_F(LinkcheckTest, Check_EndsInAReportAsJsonAndCsv) {
  const PluginAnswer begun = ask(Method::post, "/check", "url=http%3A%2F%2Fp%2F%23part");
  EXPECT_EQ(begun.status, 202);
  EXPECT_EQ(json::parse(begun.body).at("url").as_string(), "http://p/");
  finish();
  EXPECT_EQ(reports().at(0).at("state").as_string(), "finished");
  EXPECT_EQ(reports().at(0).at("counts").at("dead").to_number<int>(), 1);
  const PluginAnswer full = get("/reports/1.json");
  EXPECT_EQ(json::parse(full.body).at("links").at(0).at("verdict").as_string(), "dead");
  const PluginAnswer csv = get("/reports/1.csv");
  EXPECT_THAT(csv.content_type, StartsWith("text/csv"));
  EXPECT_THAT(csv.body, HasSubstr(",'=cmd<script>\r\n"));
  ASSERT_EQ(events.published.size(), 1u);
  EXPECT_EQ(events.published[0].first, "finished");
}

TEST_F(LinkcheckTest, Reports_SurviveARestart) {
  ask(Method::post, "/check", "url=http://p/");
  finish();
  robot.holds = true;
  ask(Method::post, "/check", "url=http://p/&site=on");
  EXPECT_EQ(robot.list().size(), 1u);
  plugin.reset();  // killed, not stopped
  start();
  ASSERT_EQ(reports().as_array().size(), 2u);
  EXPECT_EQ(reports().at(0).at("state").as_string(), "interrupted");
  EXPECT_EQ(reports().at(1).at("state").as_string(), "finished");
  EXPECT_TRUE(robot.list().empty()) << "the robot does not go on for nobody";
  ask(Method::post, "/check", "url=http://p/");
  EXPECT_EQ(reports().at(0).at("id").to_number<int>(), 3) << "numbers are not given twice";
}

TEST_F(LinkcheckTest, StopEndsTheTask) {
  robot.holds = true;
  ask(Method::post, "/check", "url=http://p/");
  plugin->stop();
  EXPECT_TRUE(robot.list().empty());
  EXPECT_THAT(store.values.at("report-1"), HasSubstr("interrupted"));
}

TEST_F(LinkcheckTest, StopAndRemove_AreForTheOwner) {
  robot.holds = true;
  EXPECT_EQ(ask(Method::post, "/check", "url=http://p/", "anna", false).status, 202);
  EXPECT_EQ(ask(Method::post, "/stop", "id=1", "bert", false).status, 404);
  EXPECT_EQ(ask(Method::get, "/reports/1.json", "", "bert", false).status, 404);
  EXPECT_THAT(ask(Method::get, "/reports", "", "bert", false).body, StartsWith("{\"reports\":[]}"));
  EXPECT_THAT(ask(Method::post, "/stop", "id=1", "anna", false).body, HasSubstr("\"stopped\""));
  EXPECT_EQ(ask(Method::post, "/remove", "id=1", "anna", false).status, 200);
  EXPECT_TRUE(store.values.empty());
}

TEST_F(LinkcheckTest, Strangers_SeeNothing) {
  EXPECT_EQ(ask(Method::get, "/", "", "", false).status, 403);
  EXPECT_EQ(ask(Method::post, "/check", "url=http://p/", "", false).status, 403);
  EXPECT_TRUE(robot.submitted.empty());
}

TEST_F(LinkcheckTest, AGetChangesNothing) {
  EXPECT_EQ(get("/check?url=http://p/").status, 404);
  EXPECT_TRUE(robot.submitted.empty());
}

TEST_F(LinkcheckTest, Address_IsChecked) {
  EXPECT_EQ(ask(Method::post, "/check", "url=javascript:alert(1)").status, 400);
  EXPECT_EQ(ask(Method::post, "/check", "").status, 400);
  EXPECT_EQ(ask(Method::post, "/check", "url=file:///etc/passwd").status, 400);
  EXPECT_EQ(ask(Method::post, "/check", "url=" + std::string(5000, 'x')).status, 400);
  EXPECT_THAT(ask(Method::post, "/check", "url=user:secret%40p/x").body, HasSubstr("\"url\":\"https://p/x\""));
}

TEST_F(LinkcheckTest, TwoAtOnce_IsTheMost) {
  robot.holds = true;
  EXPECT_EQ(ask(Method::post, "/check", "url=http://p/").status, 202);
  EXPECT_EQ(ask(Method::post, "/check", "url=http://q/").status, 202);
  EXPECT_EQ(ask(Method::post, "/check", "url=http://r/").status, 429);
}

TEST_F(LinkcheckTest, WithoutARobot_ItSaysSo) {
  start(false);
  EXPECT_EQ(ask(Method::post, "/check", "url=http://p/").status, 503);
}

TEST_F(LinkcheckTest, SwitchedOff_NothingBegins_AndWhatWasBegunEnds) {
  robot.holds = true;
  EXPECT_EQ(ask(Method::post, "/check", "url=http://p/").status, 202);
  switches.everywhere = false;
  switches.elsewhere = "q";
  EXPECT_EQ(ask(Method::post, "/check", "url=http://p/").status, 503);
  EXPECT_EQ(ask(Method::post, "/check", "url=http://q:8080/").status, 202) << "there it is on";
  EXPECT_EQ(ask(Method::post, "/stop", "id=1").status, 200);
}

TEST_F(LinkcheckTest, Events_ComeWhenSomethingIsNew) {
  const std::string first = get("/events").body;
  EXPECT_THAT(first, HasSubstr("data: {\"reports\":[]}"));
  PluginDocumentRequest again;
  again.path = "/events";
  again.local = true;
  again.headers.add("Last-Event-ID",
                    first.substr(first.find("id: ") + 4, first.find("\ndata") - first.find("id: ") - 4));
  EXPECT_EQ(plugin->on_document(again).body, "retry: 1000\n\n");
  ask(Method::post, "/check", "url=http://p/");
  EXPECT_THAT(plugin->on_document(again).body, HasSubstr("http://p/"));
}

TEST_F(LinkcheckTest, Page_IsThere) {
  EXPECT_THAT(get("/").body, HasSubstr("<title>Link check"));
  EXPECT_EQ(get("/page.js").content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(get("/page.css").content_type, "text/css; charset=utf-8");
  EXPECT_EQ(get("/../x").status, 404);
}

}  // namespace
}  // namespace outrider
