// The plugin as the proxy sees it: what it serves, to whom.
#include "plugins/hyperscout/hyperscout.hpp"

#include "base/config_loader.hpp"
#include "plugins/api/plugin.hpp"
#include "proxy/rewriter.hpp"
#include "tests/support/asked_robot.hpp"
#include "tests/support/plugin_ports.hpp"
#include "tests/support/scripted_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <map>

namespace outrider {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Switches final : PluginSwitch {
  std::map<std::string, bool, std::less<>> sites;
  bool is_on(std::string_view site) const override {
    const auto found = sites.find(site);
    return found == sites.end() || found->second;
  }
  Result<void> turn(std::string_view site, bool on) override {
    sites[std::string{site}] = on;
    return {};
  }
};

struct HyperScoutTest : ::testing::Test {
  HyperScoutTest() {
    configure("");
    PluginPorts ports;
    ports.clock = &clock;
    ports.memory = &memory;
    ports.own_switch = &switches;
    ports.robot = &robot;
    ports.own_thread = &thread;
    scout->start(ports);
  }
  ~HyperScoutTest() override { scout->stop(); }
  void configure(const std::string& text) {
    ConfigSchema schema;
    scout->describe_settings(schema);
    scout->configure(*load_config_text(schema, text, "test"));
  }
  PluginAnswer get(std::string path) {
    PluginDocumentRequest request;
    const std::size_t question = path.find('?');
    request.path = path.substr(0, question);
    if (question != std::string::npos) request.query = path.substr(question + 1);
    return scout->on_document(request);
  }
  PluginAnswer post(std::string path, std::string body, bool own_page = true) {
    PluginDocumentRequest request;
    request.path = std::move(path);
    request.method = Method::post;
    request.body = std::move(body);
    request.own_page = own_page;
    request.local = local;
    request.user = user;
    return scout->on_document(request);
  }
  // A page that passes, with a link in it; how many links the robot was sent to.
  std::size_t looks(const PluginRequest& request, const PluginResponse& response) {
    PageRewriter::Filters filters;
    filters.push_back(scout->on_page(request, response));
    PageRewriter rewriter{std::move(filters), {}};
    rewriter.feed("<body><a href=/there>some words</a>");
    rewriter.finish();
    EXPECT_TRUE(robot.tasks.empty());  // not by the thread that the page passes by
    if (!thread.run()) return 0;
    while (robot.tasks.empty()) thread.run_next();  // it goes in its own time
    const std::size_t found = robot.tasks.size();
    robot.tasks.clear();
    return found;
  }
  static std::string field(const PluginAnswer& answer, std::string_view name) {
    for (const auto& [key, value] : answer.headers)
      if (key == name) return value;
    return {};
  }

  bool local = true;
  std::string user;
  FakeClock clock;
  test::ScriptedMemory memory;
  Switches switches;
  test::AskedRobot robot;
  test::ThreadByHand thread;
  const std::shared_ptr<Plugin> scout = make_hyperscout_plugin();
};

// What somebody has read, who he is, and whether his page is looked at in advance is not to be read off the page.
TEST_F(HyperScoutTest, TwoReaders_GetTheSameBytes) {
  Node read;
  read.url = "http://a.example/there";
  read.storage = StorageClass::personal;
  read.owner = "ann";
  memory.nodes.push_back(read);
  Visit visit;
  visit.id = 1;
  visit.user = "ann";
  visit.url = read.url;
  memory.visited.push_back(visit);
  const auto shown = [this](const PluginRequest& request, bool for_everybody) {
    PluginResponse response{200, {}, for_everybody};
    std::unique_ptr<PageFilter> filter = scout->on_page(request, response);
    filter->on_head(response.headers);
    PageRewriter::Filters filters;
    filters.push_back(std::move(filter));
    PageRewriter rewriter{std::move(filters), {}};
    std::string out{rewriter.feed("<head></head><body><a href=/there>some words</a>")};
    out += rewriter.finish();
    while (thread.run()) {
    }
    return out;
  };
  const PluginRequest ann{"http://a.example/", Method::get, {}, "ann", true, true};
  PluginRequest ben{"http://a.example/", Method::get, {}, "ben", true, false};
  const std::string bytes = shown(ann, true);
  EXPECT_THAT(bytes, HasSubstr("scout.js"));
  EXPECT_EQ(shown(ben, true), bytes);
  EXPECT_EQ(shown(ben, false), bytes);
  ben.headers.add("Save-Data", "on");
  ben.headers.add("Cookie", "who=ben");
  EXPECT_EQ(shown(ben, true), bytes);
}

TEST_F(HyperScoutTest, ScriptForPages_IsSmall) {
  const std::vector<PluginResource> resources = scout->resources();
  ASSERT_EQ(resources.size(), 1U);
  EXPECT_EQ(resources[0].file, "scout.js");
  EXPECT_GT(resources[0].body.size(), 1000U);
  EXPECT_LE(resources[0].body.size(), 12U * 1024);
}

TEST_F(HyperScoutTest, Card_IsTheSameWhateverIsAsked_AndMayBeFramed) {
  const PluginAnswer card = get("/card");
  EXPECT_EQ(card.status, 200);
  EXPECT_EQ(card.body, get("/card?url=http://a.example/").body);
  EXPECT_THAT(field(card, "Content-Security-Policy"), HasSubstr("frame-ancestors http: https:"));
  EXPECT_THAT(field(card, "Content-Security-Policy"), Not(HasSubstr("unsafe")));
}

TEST_F(HyperScoutTest, PageWithSwitches_CannotBeFramed) {
  const PluginAnswer page = get("/?site=a.example");
  EXPECT_THAT(field(page, "Content-Security-Policy"), HasSubstr("frame-ancestors 'none'"));
  EXPECT_EQ(get("/switches.css").status, 200);  // keeps its buttons from an unexpected second click
  EXPECT_THAT(page.body, HasSubstr("a.example"));
}

TEST_F(HyperScoutTest, MarkupInTheNameOfASite_IsInert) {
  EXPECT_THAT(get("/?site=%3Cscript%3E%22").body, Not(HasSubstr("<script>")));
}

TEST_F(HyperScoutTest, ForeignPages_AreToldNothingAndSwitchNothing) {
  for (const char* path : {"/look", "/dead", "/copy", "/switch"})
    EXPECT_EQ(post(path, "site=a.example&on=0", false).status, 403) << path;
  EXPECT_TRUE(switches.sites.empty());
}

// Of this machine, but another account; and where nobody logs in the proxy gives those of other machines a name.
TEST_F(HyperScoutTest, OtherPeople_AreToldNothingAndSwitchNothing) {
  local = false;
  for (const char* path : {"/look", "/dead", "/copy", "/switch"})
    EXPECT_EQ(post(path, "site=a.example&on=0").status, 403) << path;
  user = "@192.168.1.7";
  EXPECT_EQ(post("/look", R"({"url":"http://a.example/"})").status, 200);
  EXPECT_EQ(post("/switch", "site=a.example&on=0").status, 403);
  EXPECT_TRUE(switches.sites.empty());
  user = "ann";
  EXPECT_EQ(post("/switch", "site=a.example&on=0").status, 204);
}

TEST_F(HyperScoutTest, WhatIsInFrames_WaitsForNothing) {
  std::vector<std::string> paths;
  for (const PluginDocument& document : scout->documents()) {
    paths.push_back(document.path);
    EXPECT_EQ(document.answer.body, get(document.path).body);
  }
  EXPECT_THAT(paths, ::testing::ElementsAre("/card", "/card.css", "/card.js", "/marks", "/marks.css", "/marks.js"));
}

TEST_F(HyperScoutTest, Switch_IsTurned) {
  EXPECT_EQ(post("/switch", "site=a.example&on=0").status, 204);
  EXPECT_FALSE(switches.is_on("a.example"));
  EXPECT_EQ(post("/switch", "site=a.example&on=maybe").status, 400);
}

TEST_F(HyperScoutTest, Look_StreamsLines) {
  const PluginAnswer answer = post("/look", R"({"url":"http://a.example/","text":"x"})");
  ASSERT_TRUE(answer.stream);
  thread.run_next();  // it was read beside the plugin's thread …
  EXPECT_EQ(answer.stream->take().text, "{\"looking\":true}\n");
  EXPECT_TRUE(robot.tasks.empty());
  thread.run_next();  // … and the robot goes in its own time
  EXPECT_EQ(robot.tasks.size(), 1U);
  EXPECT_EQ(post("/look", "{}").status, 400);
  EXPECT_EQ(post("/look", "[").status, 400);
  EXPECT_EQ(post("/look", R"({"url":"file:///etc/passwd"})").status, 400);
}

TEST_F(HyperScoutTest, DeadLinks_AreNamedIfThatIsWanted) {
  EXPECT_EQ(post("/dead", "[]").status, 403);
  configure("[plugins.hyperscout]\nmark_dead_links = true\n");
  Node gone;
  gone.url = "http://a.example/gone";
  gone.status = 410;
  memory.nodes.push_back(gone);
  const PluginAnswer answer =
      post("/dead", R"(["http://a.example/gone#x","http://a.example/",1,"http://a.example/gone"])");
  ASSERT_TRUE(answer.stream);
  EXPECT_EQ(test::all_of(*answer.stream),  // it is told when its time is over
            R"({"http://a.example/gone#x":"410","http://a.example/gone":"410"})");
  EXPECT_EQ(memory.asked, 2U);  // each address once
}

TEST_F(HyperScoutTest, Copy_IsTextAndNothingElse) {
  Node node;
  node.url = "http://a.example/";
  node.page.title = "<b>Title";
  node.page.text = "One <script>\nTwo";
  memory.nodes.push_back(node);
  const PluginAnswer copy = post("/copy", "url=http%3A%2F%2Fa.example%2F");
  EXPECT_THAT(copy.body, HasSubstr("<h1>&lt;b&gt;Title</h1>"));
  EXPECT_THAT(copy.body, HasSubstr("<p>One &lt;script&gt;</p>\n<p>Two</p>"));
  EXPECT_THAT(copy.body, HasSubstr("as it was last seen.")) << "nobody knows when";
  memory.nodes.back().page_at = WallTime{std::chrono::seconds{1'700'000'000}};
  memory.nodes.back().last_fetched = WallTime{std::chrono::seconds{1'800'000'000}};  // in vain
  EXPECT_THAT(post("/copy", "url=http%3A%2F%2Fa.example%2F").body, HasSubstr("as it was seen on 2023-11-14."));
  EXPECT_EQ(post("/copy", "url=http://unknown.example/").status, 404);
}

TEST_F(HyperScoutTest, PassingPage_ItsLinksAreLookedAtUnlessSomethingSpeaksAgainstIt) {
  const PluginRequest request{"http://a.example/", Method::get, {}, "", true, true};
  PluginRequest saving = request;
  saving.headers.add("Save-Data", "on");
  const PluginResponse page{200, {}, true}, personal{200, {}, false};
  PluginResponse unwilling = page;
  unwilling.headers.add("X-Robots-Tag", "nofollow");
  EXPECT_EQ(looks(request, page), 1U);
  EXPECT_EQ(looks(request, personal), 0U);
  EXPECT_EQ(looks(request, unwilling), 0U);
  EXPECT_EQ(looks(saving, page), 0U);
  configure("[plugins.hyperscout]\nquiet_links = 0\n");
  EXPECT_EQ(looks(request, page), 0U);
}

TEST_F(HyperScoutTest, ScriptForPages_IsNoDocument) {
  EXPECT_EQ(get("/scout.js").status, 404);
  EXPECT_EQ(get("/nothing").status, 404);
}

}  // namespace
}  // namespace outrider
