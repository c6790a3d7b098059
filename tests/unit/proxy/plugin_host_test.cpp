#include "proxy/plugin_host.hpp"

#include "base/config_loader.hpp"
#include "tests/support/scripted_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <future>
#include <latch>
#include <thread>

namespace outrider {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

struct Named : Plugin {
  explicit Named(std::string n, Hooks hooks = {Hook::page}) : name(std::move(n)), uses(hooks) {}
  PluginInfo info() const override { return {name, "T", version, "D", uses}; }
  void start(const PluginPorts& given) override { ports = given; }
  void on_timer() override { throw std::runtime_error("no time"); }
  std::string name;
  std::string version = "1";
  Hooks uses;
  std::vector<PluginResource> resources() const override { return {{"x.js", "text/javascript", "of " + name}}; }
  PluginPorts ports;
};

struct PluginHostTest : ::testing::Test {
  PluginHostTest()
      : folder(std::filesystem::temp_directory_path() / ("outrider-plugins-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~PluginHostTest() override { std::filesystem::remove_all(folder); }

  std::unique_ptr<PluginHost> host_with(std::vector<std::shared_ptr<Plugin>> plugins) {
    auto host = std::make_unique<PluginHost>(settings, folder, metrics, PluginHost::Ports{});
    for (std::shared_ptr<Plugin>& plugin : plugins) host->add({std::move(plugin), "built in", false});
    ConfigSchema schema;
    schema.add<PluginSettings>();
    host->start(*load_config_text(schema, "", "test"));
    return host;
  }
  static json::object first(const PluginHost& host) { return host.list().at(0).as_object(); }

  const std::filesystem::path folder;
  PluginSettings settings;
  Metrics metrics;
};

TEST_F(PluginHostTest, Hooks_AreWantedByThoseWhoSaySo) {
  const auto host = host_with({std::make_shared<Named>("a", Hooks{Hook::page})});
  EXPECT_TRUE(host->wants(Hook::page));
  EXPECT_FALSE(host->wants(Hook::request));
  EXPECT_EQ(host->select(Hook::page, "example.com").size(), 1U);
}

TEST_F(PluginHostTest, Resources_AreThereWhateverTheSwitchesSay) {
  const auto host = host_with({std::make_shared<Named>("a"), std::make_shared<Named>("b")});
  EXPECT_TRUE(host->turn("b", "", false));
  ASSERT_NE(host->resource("b/x.js"), nullptr);
  EXPECT_EQ(host->resource("b/x.js")->body, "of b");
  EXPECT_EQ(host->resource("b/y.js"), nullptr);
  EXPECT_EQ(host->resource("x.js"), nullptr);
}

TEST_F(PluginHostTest, Plugin_TurnsItsOwnSwitch) {
  const auto plugin = std::make_shared<Named>("a"), other = std::make_shared<Named>("b");
  const auto host = host_with({plugin, other});
  EXPECT_TRUE(plugin->ports.own_switch->turn("shop.example", false));
  EXPECT_FALSE(plugin->ports.own_switch->is_on("shop.example"));
  EXPECT_TRUE(plugin->ports.own_switch->is_on(""));
  EXPECT_TRUE(other->ports.own_switch->is_on("shop.example"));
}

TEST_F(PluginHostTest, WorkOfItsOwn_IsDoneByThePluginsThread_AndCountsAsACall) {
  const auto plugin = std::make_shared<Named>("a");
  const auto host = host_with({plugin});
  std::promise<std::thread::id> worker;
  EXPECT_TRUE(plugin->ports.own_thread->post([&worker] { worker.set_value(std::this_thread::get_id()); }));
  EXPECT_NE(worker.get_future().get(), std::this_thread::get_id());
  for (int i = 0; i < 3; ++i) plugin->ports.own_thread->post([] { throw std::runtime_error("no"); });
  while (first(*host).at("state") != "set aside") std::this_thread::yield();
  EXPECT_FALSE(plugin->ports.own_thread->post([] {}));
}

TEST_F(PluginHostTest, Switches_ForSitesAndEverywhere_SurviveARestart) {
  {
    const auto host = host_with({std::make_shared<Named>("a")});
    EXPECT_TRUE(host->turn("a", "Shop.Example", false));
    EXPECT_TRUE(host->turn("a", "www.shop.example", true));
  }
  const auto host = host_with({std::make_shared<Named>("a")});
  EXPECT_EQ(host->select(Hook::page, "shop.example").size(), 0U);
  EXPECT_EQ(host->select(Hook::page, "b.shop.example").size(), 0U);
  EXPECT_EQ(host->select(Hook::page, "www.shop.example").size(), 1U);
  EXPECT_EQ(host->select(Hook::page, "workshop.example").size(), 1U);
  EXPECT_TRUE(host->forget_site("a", "shop.example"));
  EXPECT_EQ(host->select(Hook::page, "shop.example").size(), 1U);
  EXPECT_TRUE(host->turn("a", "", false));
  EXPECT_EQ(host->select(Hook::page, "other.example").size(), 0U);
  EXPECT_EQ(host->select(Hook::page, "www.shop.example").size(), 1U);  // the most specific decides
  EXPECT_FALSE(host->turn("nobody", "", false));
  EXPECT_FALSE(host->turn("a", "not a host/", false));
}

TEST_F(PluginHostTest, Configuration_SaysHowItBegins) {
  settings.off = {"a"};
  settings.off_sites = {"b shop.example"};
  const auto host = host_with({std::make_shared<Named>("a"), std::make_shared<Named>("b")});
  EXPECT_EQ(host->select(Hook::page, "x.example").size(), 1U);
  EXPECT_EQ(host->select(Hook::page, "shop.example").size(), 0U);
  EXPECT_TRUE(host->turn("a", "", true));
  EXPECT_EQ(host->select(Hook::page, "x.example").size(), 2U);
}

TEST_F(PluginHostTest, ThreeFailures_SetItAside) {
  const auto host = host_with({std::make_shared<Named>("a")});
  PluginRecord& record = *host->find("a");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(record.running());
    EXPECT_FALSE(record.guarded("on_page", [] { throw std::runtime_error("broken"); }));
  }
  EXPECT_FALSE(record.running());
  EXPECT_TRUE(host->select(Hook::page, "").empty());
  EXPECT_EQ(first(*host).at("state").as_string(), "set aside");
  EXPECT_EQ(first(*host).at("problem").as_string(), "on_page threw: broken");
  EXPECT_THAT(metrics.to_prometheus(), HasSubstr("outrider_plugin_failures_total{kind=\"exception\",plugin=\"a\"} 3"));
  EXPECT_TRUE(host->turn("a", "", true));  // a person wants to try again
  EXPECT_TRUE(record.running());
  EXPECT_EQ(first(*host).at("problem").as_string(), "");
}

TEST_F(PluginHostTest, PluginThatCannotStart_IsSetAsideForGood) {
  struct Broken : Named {
    using Named::Named;
    void start(const PluginPorts&) override { throw std::runtime_error("no way"); }
  };
  const auto host = host_with({std::make_shared<Broken>("a")});
  EXPECT_FALSE(host->wants(Hook::page));
  EXPECT_EQ(first(*host).at("problem").as_string(), "start threw: no way");
  EXPECT_FALSE(host->turn("a", "", true));
  EXPECT_TRUE(host->select(Hook::page, "").empty());
}

TEST_F(PluginHostTest, PluginThatRefusesItsSettings_IsSetAside) {
  struct Picky : Named {
    using Named::Named;
    void configure(const Config&) override {
      if (configured++ != 0) throw std::runtime_error("not these");
    }
    int configured = 0;
  };
  const auto host = host_with({std::make_shared<Picky>("a")});
  EXPECT_TRUE(host->find("a")->running());
  ConfigSchema schema;
  schema.add<PluginSettings>();
  host->reload(*load_config_text(schema, "", "test"));
  EXPECT_FALSE(host->find("a")->running());
}

TEST_F(PluginHostTest, Card_IsWhatThePluginShows) {
  struct Shown : Named {
    using Named::Named;
    boost::json::object card() override { return {{"a", 1}}; }
  };
  const auto host = host_with({std::make_shared<Shown>("a", Hooks{Hook::card}), std::make_shared<Named>("b")});
  EXPECT_EQ(json::serialize(*host->card("a")), "{\"a\":1}");
  EXPECT_EQ(host->card("b").error().kind, ErrorKind::not_found);
}

TEST_F(PluginHostTest, Overruns_CountAsFailures) {
  settings.budget = std::chrono::milliseconds{1};
  const auto host = host_with({std::make_shared<Named>("a")});
  PluginRecord& record = *host->find("a");
  for (int i = 0; i < 3; ++i) record.took("on_page", std::chrono::milliseconds{2});
  EXPECT_FALSE(record.running());
  EXPECT_EQ(first(*host).at("overruns").to_number<int>(), 3);
  record.took("on_page", std::chrono::microseconds{900});
  EXPECT_EQ(first(*host).at("overruns").to_number<int>(), 3);
}

TEST_F(PluginHostTest, Mark_NamesWhoChangesThePage) {
  auto b = std::make_shared<Named>("b");
  b->version = "2";
  const auto host = host_with({std::make_shared<Named>("a"), b});
  const PageMark both = host->mark_of(host->select(Hook::page, ""), "a.example");
  EXPECT_NE(both, 0U);
  EXPECT_TRUE(host->turn("b", "", false));
  EXPECT_NE(host->mark_of(host->select(Hook::page, ""), "a.example"), both);
  EXPECT_EQ(host->mark_of({}, "a.example"), 0U);
}

struct OwnSettings {
  std::string word = "one";
  static constexpr std::string_view kSection = "plugins.a_b";
  static void describe(SectionSchema<OwnSettings>& s) { s.key("word", &OwnSettings::word, "A word.", Change::live); }
};
struct OtherSettings : OwnSettings {
  static constexpr std::string_view kSection = "plugins.a";
  static void describe(SectionSchema<OtherSettings>& s) {
    s.key("word", &OtherSettings::word, "A word.", Change::live);
  }
};

// Else a browser that comes back would be told that the page which it has is still right.
TEST_F(PluginHostTest, Mark_ChangesWithTheSettingsOfWhoChangesThePage) {
  ConfigSchema schema;
  schema.add<PluginSettings>();
  schema.add<OwnSettings>();
  schema.add<OtherSettings>();
  const auto host = host_with({std::make_shared<Named>("a-b")});
  const auto mark_with = [&](std::string_view text) {
    host->reload(*load_config_text(schema, std::string{text}, "test"));
    return host->mark_of(host->select(Hook::page, ""), "a.example");
  };
  const PageMark one = mark_with("");
  EXPECT_EQ(mark_with("[plugins.a_b]\nword = \"one\"\n"), one);
  EXPECT_NE(mark_with("[plugins.a_b]\nword = \"two\"\n"), one);
  EXPECT_EQ(mark_with("[plugins.a]\nword = \"two\"\n"), one);  // somebody else's
}

// A page can read its own validator. What it finds there must not be a fingerprint of the plugins, and no two sites
// must find the same.
TEST_F(PluginHostTest, Mark_SaysNothingToPages) {
  const auto host = host_with({std::make_shared<Named>("a")});
  const PluginHost::Records records = host->select(Hook::page, "");
  const PageMark mark = host->mark_of(records, "a.example");
  EXPECT_EQ(host->mark_of(records, "a.example"), mark);
  EXPECT_NE(host->mark_of(records, "b.example"), mark);
  const auto same_elsewhere = host_with({std::make_shared<Named>("a")});
  EXPECT_NE(same_elsewhere->mark_of(same_elsewhere->select(Hook::page, ""), "a.example"), mark);
}

// More than a batch, and all of it arrives, in order.
TEST_F(PluginHostTest, NewsOfTheMemory_ArrivesInOrder) {
  struct Listening : Named {
    using Named::Named;
    void on_visit(const MemoryEvent& event) override {
      heard.push_back(event.cursor);
      done.count_down();
    }
    std::vector<EventCursor> heard;
    std::latch done{100};
  };
  struct Written : test::ScriptedMemory {
    EventCursor newest_event() const override { return 0; }  // of the start
    std::shared_ptr<void> on_events(std::function<void()> wake) override {
      wake();
      return {};
    }
  };
  Written memory;
  for (EventCursor i = 1; i <= 700; ++i) {
    MemoryEvent& event = memory.written.emplace_back();
    event.cursor = i;
    // For a long time nothing that it wants to hear of.
    event.kind = i > 600 ? MemoryEventKind::visit : MemoryEventKind::node_new;
  }
  auto listening = std::make_shared<Listening>("a", Hooks{Hook::visit});
  PluginHost::Ports ports;
  ports.memory = &memory;
  ports.news = [&memory](EventCursor after, std::size_t limit) { return memory.everybodys_events(after, limit); };
  PluginHost host{settings, folder, metrics, ports};
  host.add({listening, "built in", false});
  ConfigSchema schema;
  schema.add<PluginSettings>();
  host.start(*load_config_text(schema, "", "test"));
  listening->done.wait();
  EXPECT_TRUE(std::is_sorted(listening->heard.begin(), listening->heard.end()));
  EXPECT_EQ(listening->heard.size(), 100U);
}

TEST_F(PluginHostTest, NewsOfTheMemory_EachToTheHookThatItIsFor) {
  struct Listening : Named {
    using Named::Named;
    void on_node(const MemoryEvent& event) override { heard("node " + event.url); }
    void on_visit(const MemoryEvent& event) override { heard(event.user + "'s visit " + event.url); }
    void heard(std::string what) {
      news.push_back(std::move(what));
      done.count_down();
    }
    std::vector<std::string> news;
    std::latch done{4};
  };
  struct Written : test::ScriptedMemory {
    EventCursor newest_event() const override { return 0; }
    std::shared_ptr<void> on_events(std::function<void()> wake) override {
      wake();
      return {};
    }
  };
  Written memory;
  using What = MemoryEventKind;
  for (const What kind :
       {What::node_new, What::link_new, What::node_changed, What::error, What::visit, What::node_gone}) {
    MemoryEvent& event = memory.written.emplace_back();
    event.cursor = memory.written.size();
    event.kind = kind;
    event.url = std::string{to_string(kind)};
  }
  memory.written[4].user = "ann";  // whose visit only she may see; a plugin is told whose it is
  auto listening = std::make_shared<Listening>("a", Hooks{Hook::node, Hook::visit});
  PluginHost::Ports ports;
  ports.memory = &memory;
  ports.news = [&memory](EventCursor after, std::size_t limit) { return memory.everybodys_events(after, limit); };
  PluginHost host{settings, folder, metrics, ports};
  host.add({listening, "built in", false});
  ConfigSchema schema;
  schema.add<PluginSettings>();
  host.start(*load_config_text(schema, "", "test"));
  listening->done.wait();
  host.stop();
  const auto words = [](What kind) { return std::string{to_string(kind)}; };
  EXPECT_THAT(listening->news,
              ::testing::ElementsAre("node " + words(What::node_new), "node " + words(What::node_changed),
                                     "ann's visit " + words(What::visit), "node " + words(What::node_gone)));
}

// Its documents are answered all the same, and what it began in them must end.
TEST_F(PluginHostTest, TimersRun_WhateverTheSwitchesSay) {
  struct Ticking : Named {
    using Named::Named;
    void on_timer() override { done.count_down(); }
    std::latch done{1};
  };
  settings.off = {"a"};
  auto ticking = std::make_shared<Ticking>("a", Hooks{Hook::timer});
  const auto host = host_with({ticking});
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (!ticking->done.try_wait() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_TRUE(ticking->done.try_wait());
}

TEST_F(PluginHostTest, NewsOfTheMemory_FromSitesWhereItIsOn) {
  struct Listening : Named {
    using Named::Named;
    void on_visit(const MemoryEvent& event) override {
      heard.push_back(event.url);
      done.count_down();
    }
    std::vector<std::string> heard;
    std::latch done{1};
  };
  struct Written : test::ScriptedMemory {
    EventCursor newest_event() const override { return 0; }
    std::shared_ptr<void> on_events(std::function<void()> wake) override {
      wake();
      return {};
    }
  };
  Written memory;
  for (const char* url : {"http://off.example/", "https://on.example:8080/a"}) {
    MemoryEvent& event = memory.written.emplace_back();
    event.cursor = memory.written.size();
    event.kind = MemoryEventKind::visit;
    event.url = url;
  }
  settings.off = {"a"};
  auto listening = std::make_shared<Listening>("a", Hooks{Hook::visit});
  PluginHost::Ports ports;
  ports.memory = &memory;
  ports.news = [&memory](EventCursor after, std::size_t limit) { return memory.everybodys_events(after, limit); };
  PluginHost host{settings, folder, metrics, ports};
  host.add({listening, "built in", false});
  ASSERT_TRUE(host.turn("a", "on.example", true));
  ConfigSchema schema;
  schema.add<PluginSettings>();
  host.start(*load_config_text(schema, "", "test"));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (!listening->done.try_wait() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  host.stop();
  EXPECT_THAT(listening->heard, ::testing::ElementsAre("https://on.example:8080/a"));
}

TEST_F(PluginHostTest, TwoOfOneName_TheSecondIsRefused) {
  const auto host = host_with({std::make_shared<Named>("a"), std::make_shared<Named>("a")});
  const json::array all = host->list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].at("state").as_string(), "refused");
}

TEST_F(PluginHostTest, PrivateData_IsKeptInAFolderOfItsOwn) {
  auto a = std::make_shared<Named>("a");
  const auto host = host_with({a});
  PluginStore& store = *a->ports.store;
  EXPECT_EQ(*store.get("x"), std::nullopt);
  ASSERT_TRUE(store.put("../x y", "1"));
  ASSERT_TRUE(store.put("A", std::string_view{"\0b", 2}));
  EXPECT_EQ(*store.get("../x y"), "1");
  EXPECT_EQ(**store.get("A"), std::string("\0b", 2));
  EXPECT_EQ(*store.keys(), (std::vector<std::string>{"../x y", "A"}));
  ASSERT_TRUE(store.remove("A"));
  EXPECT_EQ(store.keys()->size(), 1U);
  EXPECT_FALSE(store.put("", "x"));
  EXPECT_EQ(std::filesystem::status(folder / "plugins" / "a").permissions(), std::filesystem::perms::owner_all);
}

TEST_F(PluginHostTest, PublishedEvents_CanBeReadFromACursor) {
  auto a = std::make_shared<Named>("a");
  const auto host = host_with({a});
  a->ports.events->publish("one", {{"x", 1}});
  a->ports.events->publish("two", {});
  EXPECT_EQ(host->events(0).at("events").as_array().size(), 2U);
  const json::object rest = host->events(1);
  ASSERT_EQ(rest.at("events").as_array().size(), 1U);
  EXPECT_EQ(rest.at("events").as_array()[0].at("kind").as_string(), "two");
  EXPECT_EQ(rest.at("next").to_number<int>(), 2);
}

}  // namespace
}  // namespace outrider
