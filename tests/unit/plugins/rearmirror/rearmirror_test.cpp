#include "plugins/rearmirror/rearmirror.hpp"

#include "base/config_loader.hpp"
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
using ::testing::Not;

const std::string kPng = "\x89PNG\r\n\x1a\n bytes";

struct SiteSwitches final : PluginSwitch {
  bool everywhere = true;
  std::string elsewhere;  // one site where it is not as everywhere
  bool is_on(std::string_view site) const override { return (site == elsewhere && !site.empty()) != everywhere; }
  Result<void> turn(std::string_view, bool) override { return {}; }
};

struct RearMirrorTest : ::testing::Test {
  SiteSwitches switches;
  test::ScriptedMemory memory;
  WebRobot robot;
  test::StoreInMemory store;
  FakeClock clock;
  std::shared_ptr<Plugin> plugin;

  RearMirrorTest() {
    visit(1, "https://page.org/a");
    add_page("https://page.org/a", "The page");
    add_page("https://x.net/", "X & <b>Y</b>").page.image = "https://x.net/i.png";
    KnownLink known;
    known.source = "https://x.net/";
    known.link.target = "https://page.org/a";
    known.link.text = "look <there>";
    memory.links = {known};
    robot.web["https://x.net/i.png"].source = kPng;
    start();
  }
  void visit(VisitId id, const std::string& url) {
    Visit seen;
    seen.id = id;
    seen.url = url;
    memory.visited.push_back(seen);
  }
  Node& add_page(const std::string& url, const std::string& title) {
    Node node;
    node.url = url;
    node.page.title = title;
    node.status = 200;
    node.mime = "text/html";
    node.fetched_by = FetchedBy::browser;
    memory.nodes.push_back(node);
    return memory.nodes.back();
  }
  void start(const std::string& settings = "") {
    if (plugin) plugin->stop();
    plugin = make_rearmirror_plugin();
    ConfigSchema schema;
    plugin->describe_settings(schema);
    const auto config = load_config_text(schema, "[plugins.rearmirror]\nrenderer = \"none\"\n" + settings, "test");
    ASSERT_FALSE(config.has_error());
    plugin->configure(*config);
    PluginPorts ports;
    ports.clock = &clock;
    ports.memory = &memory;
    ports.robot = &robot;
    ports.store = &store;
    ports.own_switch = &switches;
    plugin->start(ports);
  }
  PluginAnswer ask(Method method, const std::string& path, const std::string& query = "",
                   const std::string& body = "") {
    PluginDocumentRequest request;
    request.method = method;
    request.path = path;
    request.query = query;
    request.body = body;
    request.local = true;
    request.own_page = own_page;
    return plugin->on_document(request);
  }
  bool own_page = true;
  json::value mirror(const std::string& url = "https%3A%2F%2Fpage.org%2Fa") {
    const PluginAnswer answer = ask(Method::get, "/mirror", "url=" + url);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body);
  }
  std::string picture() { return std::string{mirror().at("hits").at(0).at("picture").as_string()}; }
};

const std::string kSearch = "search = \"ask\"\nsearch_url = \"https://search.example/?q={url}\"\n";

TEST_F(RearMirrorTest, Events_TellThePageInFrontOfThePerson) {
  visit(2, "http://outrider.internal/plugins/rearmirror/");
  const std::string first = ask(Method::get, "/events").body;
  EXPECT_THAT(first, HasSubstr("\"url\":\"https://page.org/a\"")) << "our own pages are not meant";
  PluginDocumentRequest again;
  again.path = "/events";
  again.local = again.own_page = true;
  const std::size_t at = first.find("id: ") + 4;
  again.headers.add("Last-Event-ID", first.substr(at, first.find('\n', at) - at));
  EXPECT_THAT(plugin->on_document(again).body, Not(HasSubstr("data:")));
  MemoryEvent of_another;
  of_another.kind = MemoryEventKind::visit;
  of_another.user = "ben";
  plugin->on_visit(of_another);
  EXPECT_THAT(plugin->on_document(again).body, Not(HasSubstr("data:"))) << "what others do is not noticed here";
  visit(3, "https://other.org/#x");
  EXPECT_THAT(plugin->on_document(again).body, HasSubstr("\"url\":\"https://other.org/\""));
}

TEST_F(RearMirrorTest, Mirror_ShowsWhoLinks) {
  const json::value shown = mirror();
  EXPECT_EQ(shown.at("title").as_string(), "The page");
  ASSERT_EQ(shown.at("hits").as_array().size(), 1u);
  EXPECT_EQ(shown.at("hits").at(0).at("url").as_string(), "https://x.net/");
  EXPECT_EQ(shown.at("hits").at(0).at("text").as_string(), "look <there>");
  EXPECT_EQ(ask(Method::get, "/mirror", "url=javascript:1").status, 400);
  EXPECT_EQ(ask(Method::get, "/mirror", "").status, 400);
}

TEST_F(RearMirrorTest, WithoutARenderer_ThePagesOwnPictureIsShown) {
  EXPECT_EQ(picture(), "coming");
  plugin->on_timer();
  EXPECT_EQ(picture(), "ready");
  const PluginAnswer answer = ask(Method::get, "/picture", "url=https://x.net/");
  EXPECT_EQ(answer.content_type, "image/png");
  EXPECT_EQ(answer.body, kPng);
  ASSERT_EQ(robot.submitted.size(), 1u);
  EXPECT_TRUE(robot.submitted[0].need_source);
  EXPECT_TRUE(robot.submitted[0].check_memory);
}

TEST_F(RearMirrorTest, PageThatNamesNoPicture_TheIconOfItsSiteIsShown) {
  memory.nodes[1].page.image.clear();
  robot.web["https://x.net/favicon.ico"].source = kPng;
  EXPECT_EQ(picture(), "coming");
  plugin->on_timer();
  EXPECT_EQ(picture(), "ready");
}

TEST_F(RearMirrorTest, WhatIsNoPicture_IsNotShown) {
  robot.web["https://x.net/i.png"].source = "<html><script>alert(1)</script>";
  picture();
  plugin->on_timer();
  EXPECT_EQ(picture(), "none");
  EXPECT_EQ(ask(Method::get, "/picture", "url=https://x.net/").status, 404);
  EXPECT_EQ(robot.submitted.size(), 1u) << "not asked for again";
}

// HOSTILE, privacy.
TEST_F(RearMirrorTest, PrivatePages_HaveNoPictureAndKeepNone) {
  memory.nodes[1].storage = StorageClass::personal;
  EXPECT_EQ(picture(), "none");
  memory.nodes[1].storage = StorageClass::open;
  picture();
  plugin->on_timer();
  EXPECT_EQ(picture(), "ready");
  memory.nodes.erase(memory.nodes.begin() + 1);  // the person wants it forgotten
  EXPECT_EQ(ask(Method::get, "/picture", "url=https://x.net/").status, 404);
  for (int i = 0; i < 5; ++i) plugin->on_timer();
  for (const auto& [key, value] : store.values) {
    EXPECT_THAT(value, Not(HasSubstr("x.net")));
    EXPECT_NE(value, kPng);
  }
}

// It tells somebody what is read: off unless it is wanted.
TEST_F(RearMirrorTest, Search_IsOff) {
  EXPECT_EQ(mirror().at("search").at("mode").as_string(), "off");
  EXPECT_EQ(ask(Method::post, "/search", "", "url=https://page.org/a").status, 403);
  for (const TaskSpec& spec : robot.submitted) EXPECT_THAT(spec.start.front(), Not(HasSubstr("page.org")));
}

TEST_F(RearMirrorTest, Search_NeedsAnEngine) {
  ConfigSchema schema;
  plugin->describe_settings(schema);
  EXPECT_TRUE(load_config_text(schema, "[plugins.rearmirror]\nsearch = \"ask\"\n", "test").has_error());
  EXPECT_TRUE(
      load_config_text(schema, "[plugins.rearmirror]\nsearch_url = \"https://{host}/{url}\"\n", "test").has_error());
}

TEST_F(RearMirrorTest, Search_AddsWhatTheMemoryDoesNotKnow) {
  start(kSearch);
  const std::string results = "https://search.example/?q=https%3A%2F%2Fpage.org%2Fa";
  robot.web[results].links = {WebRobot::link("https://x.net/", "known"), WebRobot::link("https://new.net/", "New")};
  robot.web["https://new.net/"].links = {WebRobot::link("https://page.org/a", "here")};
  EXPECT_EQ(mirror().at("search").at("stage").as_string(), "");
  EXPECT_EQ(ask(Method::get, "/search", "url=https://page.org/a").status, 404) << "looking asks nobody";
  switches.everywhere = false;
  EXPECT_EQ(ask(Method::post, "/search", "", "url=https%3A%2F%2Fpage.org%2Fa").status, 503);
  switches.everywhere = true;
  EXPECT_EQ(ask(Method::post, "/search", "", "url=https%3A%2F%2Fpage.org%2Fa").status, 202);
  for (int i = 0; i < 5; ++i) plugin->on_timer();
  const json::value search = mirror().at("search");
  EXPECT_EQ(search.at("stage").as_string(), "done");
  EXPECT_EQ(search.at("engine").as_string(), "search.example");
  ASSERT_EQ(search.at("hits").as_array().size(), 1u);
  EXPECT_EQ(search.at("hits").at(0).at("url").as_string(), "https://new.net/");
  EXPECT_TRUE(search.at("hits").at(0).at("links").as_bool());
}

TEST_F(RearMirrorTest, Forgotten_WhatASearchFoundGoesToo) {
  start(kSearch);
  const std::string results = "https://search.example/?q=https%3A%2F%2Fpage.org%2Fa";
  robot.web[results].links = {WebRobot::link("https://new.net/", "New")};
  EXPECT_EQ(ask(Method::post, "/search", "", "url=https%3A%2F%2Fpage.org%2Fa").status, 202);
  for (int i = 0; i < 5; ++i) plugin->on_timer();
  ASSERT_EQ(mirror().at("search").at("hits").as_array().size(), 1u);
  ++memory.forgotten;
  EXPECT_EQ(mirror().at("search").at("stage").as_string(), "");
  EXPECT_EQ(mirror().at("search").at("hits").as_array().size(), 0u);
  EXPECT_EQ(ask(Method::post, "/search", "", "url=https%3A%2F%2Fpage.org%2Fa").status, 202);
  ++memory.forgotten;  // while it is asked for
  plugin->on_timer();
  for (int i = 0; i < 5; ++i) plugin->on_timer();
  EXPECT_EQ(mirror().at("search").at("stage").as_string(), "");
}

// HOSTILE, privacy: a search engine is not told about a page that is somebody's own.
TEST_F(RearMirrorTest, Search_IsNotToldOfPrivatePages) {
  start(kSearch);
  memory.nodes[0].storage = StorageClass::personal;
  EXPECT_EQ(ask(Method::post, "/search", "", "url=https://page.org/a").status, 403);
  EXPECT_EQ(ask(Method::post, "/search", "", "url=https://never-kept.org/").status, 403);
  EXPECT_FALSE(mirror().at("search").at("open").as_bool());
  EXPECT_TRUE(std::none_of(robot.submitted.begin(), robot.submitted.end(), [](const TaskSpec& spec) {
    return spec.start.front().find("search.example") != std::string::npos;
  }));
}

TEST_F(RearMirrorTest, Strangers_SeeNothing) {
  PluginDocumentRequest request;
  request.path = "/events";
  EXPECT_EQ(plugin->on_document(request).status, 403);
}

// They could not read it, but see how long it takes, and have pictures made.
TEST_F(RearMirrorTest, ForeignPages_LoadNothingThatIsKnown) {
  own_page = false;
  for (const char* path : {"/events", "/mirror", "/picture"})
    EXPECT_EQ(ask(Method::get, path, "url=https%3A%2F%2Fpage.org%2Fa").status, 403) << path;
  EXPECT_EQ(memory.asked, 0U);
  EXPECT_EQ(ask(Method::get, "/").status, 200);
}

TEST_F(RearMirrorTest, Page_IsThere) {
  EXPECT_THAT(ask(Method::get, "/").body, HasSubstr("<title>Rear mirror"));
  EXPECT_EQ(ask(Method::get, "/page.js").status, 200);
  EXPECT_EQ(ask(Method::get, "/page.css").status, 200);
}

}  // namespace
}  // namespace outrider
