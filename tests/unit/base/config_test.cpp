#include "base/config.hpp"

#include "base/config_loader.hpp"
#include "tests/unit/base/config_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <stdexcept>

namespace outrider {
namespace {

using config_samples::ProxySettings;
using config_samples::schema;
using namespace std::chrono_literals;

Config load(std::string_view toml) {
  return load_config_text(schema(), toml, "test.toml").value();
}

TEST(Config, UnknownSettingsStruct_IsALogicError) {
  struct Unknown {};
  EXPECT_THROW(load("").get<Unknown>(), std::logic_error);
}

TEST(Config, SharedSection_OutlivesItsConfig) {
  std::shared_ptr<const ProxySettings> kept;
  {
    const Config config = load("[proxy]\nworkers = 9\n");
    kept = config.share<ProxySettings>();
  }
  EXPECT_EQ(kept->workers, 9);
}

TEST(Config, Diff_NamesWhatChangedAndWhetherItTakesARestart) {
  const Config before = load("[proxy]\nworkers = 9\nheader_timeout = \"60s\"\npassword = \"one\"\n");
  const Config after = load("[proxy]\nlisten = \"[::1]:1\"\nheader_timeout = \"1m\"\npassword = \"two\"\n");
  const auto changes = diff(before, after);
  ASSERT_EQ(changes.size(), 3u) << "60s and 1m are the same";
  EXPECT_EQ(changes[0].key, "proxy.listen");
  EXPECT_EQ(changes[0].change, Change::needs_restart);
  EXPECT_EQ(changes[0].before, "\"127.0.0.1:8282\"");
  EXPECT_EQ(changes[0].after, "\"[::1]:1\"");
  EXPECT_EQ(changes[1].key, "proxy.workers");
  EXPECT_EQ(changes[2].key, "proxy.password");
  EXPECT_EQ(changes[2].change, Change::live);
  EXPECT_EQ(changes[2].after, "\"***\"");
  EXPECT_TRUE(diff(before, before).empty());
}

TEST(Config, Json_HasEveryKeyWithValueDefaultAndSource) {
  const Config config = load("[proxy]\nworkers = 9\nallow = [\"a\", \"b\"]\n");
  const boost::json::value json = to_json(config);
  const auto& workers = json.at("proxy.workers");
  EXPECT_EQ(workers.at("value"), 9);
  EXPECT_EQ(workers.at("default"), 4);
  EXPECT_EQ(workers.at("source"), "file test.toml:2");
  EXPECT_EQ(workers.at("change"), "restart");
  EXPECT_EQ(workers.at("type"), "integer");
  EXPECT_EQ(workers.at("allowed"), "1 to 64");
  EXPECT_EQ(workers.at("description"), "Threads.");
  EXPECT_EQ(workers.at("environment"), "OUTRIDER__PROXY__WORKERS");
  EXPECT_EQ(json.at("proxy.listen").at("source"), "default");
  EXPECT_EQ(json.at("proxy.allow").at("value"), boost::json::parse(R"(["a","b"])"));
  EXPECT_EQ(json.at("proxy.header_timeout").at("value"), "10s");
  EXPECT_EQ(json.at("proxy.colour").at("choices"), boost::json::parse(R"(["red","dark_green"])"));
  EXPECT_EQ(json.at("proxy.limits.depth").at("change"), "live");
  EXPECT_EQ(json.as_object().size(), 11u);
}

TEST(Config, Secrets_AreNeverShown) {
  const Config set = load("[proxy]\npassword = \"hunter2\"\n");
  EXPECT_EQ(set.get<ProxySettings>().password, "hunter2");
  EXPECT_EQ(boost::json::serialize(to_json(set)).find("hunter2"), std::string::npos);
  EXPECT_EQ(to_json(set).at("proxy.password").at("value"), "***");
  EXPECT_EQ(to_json(load("")).at("proxy.password").at("value"), "") << "that it is not set is no secret";
}

TEST(Config, SecretList_IsShownIfItIsEmpty) {
  KeySchema key;
  key.secret = true;
  const std::vector<std::string> nothing, something{"hunter2"};
  EXPECT_EQ(shown_value(key, nothing), ConfigValue{nothing});
  EXPECT_EQ(shown_value(key, something), ConfigValue{std::string{"***"}});
}

TEST(Config, DefaultFile_ExplainsEveryKey) {
  const std::string text = describe_as_toml(schema());
  EXPECT_THAT(text, testing::HasSubstr("\n# The part that browsers talk to.\n[proxy]\n"));
  EXPECT_THAT(
      text, testing::HasSubstr("\n# Time for a request's header.\n# Allowed: 1s to 5m.\n#header_timeout = \"10s\"\n"));
  EXPECT_THAT(text,
              testing::HasSubstr("\n# Threads.\n# Allowed: 1 to 64; takes effect after a restart.\n#workers = 4\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n# Paint.\n# One of red, dark_green.\n#colour = \"red\"\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n[proxy.limits]\n"));
}

// With the # removed the file must say exactly what is in effect without it.
TEST(Config, DefaultFile_ReadBackIsTheDefault) {
  std::string text = describe_as_toml(schema());
  EXPECT_TRUE(diff(load(""), load(text)).empty());
  for (std::size_t at = text.find("\n#"); at != std::string::npos; at = text.find("\n#", at + 1)) {
    if (at + 2 < text.size() && text[at + 2] >= 'a' && text[at + 2] <= 'z') text.erase(at + 1, 1);
  }
  const Config active = load(text);
  EXPECT_TRUE(diff(load(""), active).empty());
  EXPECT_EQ(active.source(*active.schema().find("proxy.ratio")).kind, ValueSource::Kind::file) << text;
}

struct Wordy {
  int n = 1;
  static constexpr std::string_view kSection = "wordy";
  static void describe(SectionSchema<Wordy>& s) {
    static const std::string text = [] {
      std::string words;
      for (int i = 0; i < 80; ++i) words += "word ";
      return words + "end.";
    }();
    s.key("n", &Wordy::n, text, Change::live);
  }
};

TEST(Config, LongComments_AreWrapped) {
  ConfigSchema wordy;
  wordy.add<Wordy>();
  const std::string text = describe_as_toml(wordy);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 100u) << text.substr(at, end - at);
    at = end + 1;
  }
}

}  // namespace
}  // namespace outrider
