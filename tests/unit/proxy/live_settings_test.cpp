#include "proxy/live_settings.hpp"

#include "proxy/settings.hpp"
#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <fstream>

namespace outrider {
namespace {

namespace json = boost::json;

struct LiveSettingsTest : ::testing::Test {
  outrider::testing::SecretFolder folder;
  ConfigSources sources;
  std::unique_ptr<LiveSettings> settings;
  int applied = 0;
  bool refuse = false;

  void open() {
    ConfigSchema schema;
    schema.add<TimeoutSettings>();
    settings = LiveSettings::open(load_config(schema, sources).value(), sources, folder.path() / "settings.json");
    settings->set_apply([this](const Config&, const Config&) -> Result<void> {
      if (refuse) return Error{ErrorKind::invalid_argument, Side::self, "no"};
      ++applied;
      return {};
    });
  }
  std::string value(const char* key) { return std::string{settings->all().at(key).at("value").as_string()}; }
  ErrorKind refusal(const json::object& change) {
    const Result<void> changed = settings->change(change);
    return changed ? ErrorKind::internal : changed.error().kind;
  }
};

TEST_F(LiveSettingsTest, AChange_CountsAtOnce_AndInTheNextRun) {
  open();
  ASSERT_TRUE(settings->change({{"timeouts.drain", "7s"}}));
  EXPECT_EQ(applied, 1);
  EXPECT_EQ(value("timeouts.drain"), "7s");
  open();
  EXPECT_EQ(value("timeouts.drain"), "7s");
  EXPECT_NE(settings->all().at("timeouts.drain").at("source").as_string().find("the monitor"), json::string::npos);
}

// As at the start: whoever made the mistake is told where it is.
TEST_F(LiveSettingsTest, MistakeInTheFile_IsReportedWithItsPlace) {
  sources.file = folder.path() / "outrider.toml";
  std::ofstream{*sources.file} << "[timeouts]\n";
  open();
  std::ofstream{*sources.file} << "[timeouts]\n\ndrian = \"7s\"\n";
  const Result<void> reloaded = settings->reload();
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().detail,
            sources.file->string() + ":3:1: timeouts.drian: unknown key, did you mean \"timeouts.drain\"?");
  std::filesystem::remove(*sources.file);
  EXPECT_TRUE(settings->reload().error().detail.starts_with(sources.file->string() + ": "));
}

TEST_F(LiveSettingsTest, Null_TakesTheChangeBack) {
  open();
  const std::string before = value("timeouts.drain");
  ASSERT_TRUE(settings->change({{"timeouts.drain", "7s"}}));
  ASSERT_TRUE(settings->change({{"timeouts.drain", nullptr}}));
  EXPECT_EQ(value("timeouts.drain"), before);
}

TEST_F(LiveSettingsTest, WhoListens_HearsWhichKeysHaveChanged_AndMayAskWhatTheyAre) {
  open();
  std::vector<std::string> heard;
  std::shared_ptr<void> listening = settings->on_change([&](const std::vector<std::string>& keys) {
    for (const std::string& key : keys) heard.push_back(key + "=" + value(key.c_str()));
  });
  ASSERT_TRUE(settings->change({{"timeouts.drain", "7s"}}));
  ASSERT_TRUE(settings->change({{"timeouts.drain", "7s"}}));  // where it comes from may have changed
  EXPECT_EQ(heard, (std::vector<std::string>{"timeouts.drain=7s", "timeouts.drain=7s"}));
  (void)settings->change({{"timeouts.drain", "soon"}});
  ASSERT_TRUE(settings->reload());
  EXPECT_EQ(heard.size(), 2U) << "nothing has changed";
  listening.reset();
  ASSERT_TRUE(settings->change({{"timeouts.drain", "8s"}}));
  EXPECT_EQ(heard.size(), 2U) << "nobody listens";
}

TEST_F(LiveSettingsTest, WhatCannotChange_IsRefused_AndNothingChanges) {
  sources.overrides.push_back({"timeouts.connect", "3s", "--set"});
  open();
  EXPECT_EQ(refusal({{"timeouts.origin_keep_alive", "7s"}}), ErrorKind::rule_denied);  // needs a restart
  EXPECT_EQ(refusal({{"timeouts.connect", "7s"}}), ErrorKind::rule_denied);  // the command line says otherwise
  EXPECT_EQ(refusal({{"timeouts.nonsense", "7s"}}), ErrorKind::not_found);
  EXPECT_EQ(refusal({{"timeouts.drain", "soon"}}), ErrorKind::invalid_argument);
  EXPECT_EQ(refusal({{"timeouts.drain", json::array{1}}}), ErrorKind::invalid_argument);
  EXPECT_EQ(refusal({{"timeouts.drain", "7s"}, {"timeouts.total", "x"}}), ErrorKind::invalid_argument);
  EXPECT_EQ(applied, 0);
  EXPECT_NE(value("timeouts.drain"), "7s");
}

TEST_F(LiveSettingsTest, WhatTheRestRefuses_IsNotKept) {
  open();
  refuse = true;
  EXPECT_FALSE(settings->change({{"timeouts.drain", "7s"}}));
  open();
  EXPECT_NE(value("timeouts.drain"), "7s");
}

TEST_F(LiveSettingsTest, ADamagedFile_IsNoReasonNotToStart) {
  open();
  ASSERT_TRUE(settings->change({{"timeouts.drain", "7s"}, {"timeouts.keep_alive", "9s"}}));
  folder.write("settings.json", "{\"timeouts.drain\":\"\\\"7s\\\"\",\"timeouts.keep_alive\":\"soon\",\"gone\":\"1\"}");
  open();
  EXPECT_EQ(value("timeouts.drain"), "7s");
  EXPECT_NE(value("timeouts.keep_alive"), "9s");
  folder.write("settings.json", "{{");
  open();
  EXPECT_NE(value("timeouts.drain"), "7s");
}

}  // namespace
}  // namespace outrider
