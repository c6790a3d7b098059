#include "base/config_loader.hpp"

#include "tests/unit/base/config_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace outrider {
namespace {

using config_samples::Colour;
using config_samples::LimitSettings;
using config_samples::ProxySettings;
using config_samples::schema;
using testing::HasSubstr;
using namespace std::chrono_literals;
using namespace size_literals;
using namespace std::literals;

ConfigResult load(std::string_view toml) {
  return load_config_text(schema(), toml, "c.toml");
}

std::vector<std::string> problems(const ConfigResult& result) {
  std::vector<std::string> lines;
  if (result.has_error()) {
    for (const ConfigProblem& problem : result.error()) lines.push_back(problem.to_string());
  }
  return lines;
}

// The only problem of a text; fails the test if there are none or more.
std::string problem(std::string_view toml) {
  const auto lines = problems(load(toml));
  EXPECT_EQ(lines.size(), 1u) << toml << "\n" << testing::PrintToString(lines);
  return lines.empty() ? "" : lines.front();
}

std::string source_of(const Config& config, std::string_view key) {
  return config.source(*config.schema().find(key)).to_string();
}

TEST(ConfigLoader, EmptyText_GivesTheDefaults) {
  const Config config = load("").value();
  EXPECT_EQ(config.get<ProxySettings>().listen, "127.0.0.1:8282");
  EXPECT_EQ(config.get<LimitSettings>().depth, 3);
  EXPECT_EQ(source_of(config, "proxy.listen"), "default");
}

TEST(ConfigLoader, EveryKindOfValue_IsRead) {
  const Config config = load(R"(
[proxy]
listen = "[::1]:9"
header_timeout = "250s"
header_limit = "128KiB"
allow = ["10.0.0.0/8", "::1"]
verbose = true
colour = "dark_green"
workers = 8
port = 65535
ratio = 1
password = 'p"q'
[proxy.limits]
depth = -2
)")
                            .value();
  const auto& proxy = config.get<ProxySettings>();
  EXPECT_EQ(proxy.listen, "[::1]:9");
  EXPECT_EQ(proxy.header_timeout, Duration(250s));
  EXPECT_EQ(proxy.header_limit, 128_KiB);
  EXPECT_THAT(proxy.allow, testing::ElementsAre("10.0.0.0/8", "::1"));
  EXPECT_TRUE(proxy.verbose);
  EXPECT_EQ(proxy.colour, Colour::dark_green);
  EXPECT_EQ(proxy.workers, 8);
  EXPECT_EQ(proxy.port, 65535);
  EXPECT_EQ(proxy.ratio, 1.0) << "a whole number is a number";
  EXPECT_EQ(proxy.password, "p\"q");
  EXPECT_EQ(config.get<LimitSettings>().depth, -2);
  EXPECT_EQ(source_of(config, "proxy.colour"), "file c.toml:8");
}

TEST(ConfigLoader, OtherSpellingsOfTablesMeanTheSame) {
  EXPECT_EQ(load("proxy.limits.depth = 7").value().get<LimitSettings>().depth, 7);
  EXPECT_EQ(load("proxy = { limits = { depth = 7 } }").value().get<LimitSettings>().depth, 7);
  EXPECT_EQ(load("[proxy]\r\nlimits.depth = 7\r\n").value().get<LimitSettings>().depth, 7);
  EXPECT_EQ(load("\xEF\xBB\xBF[proxy.limits]\ndepth = 7").value().get<LimitSettings>().depth, 7) << "byte order mark";
}

TEST(ConfigLoader, UnknownNames_AreErrorsWithPlaceAndNearestName) {
  EXPECT_EQ(problem("[proxy]\n  listn = \"x:1\"\n"),
            "c.toml:2:3: proxy.listn: unknown key, did you mean \"proxy.listen\"?");
  EXPECT_EQ(problem("\n[poxy]\nlisten = \"x:1\"\n"), "c.toml:2:2: poxy: unknown section, did you mean \"proxy\"?");
  EXPECT_EQ(problem("listen = \"x:1\""), "c.toml:1:1: listen: unknown key, did you mean \"proxy.listen\"?");
  EXPECT_EQ(problem("[proxy.limitz]\n"), "c.toml:1:8: proxy.limitz: unknown section, did you mean \"proxy.limits\"?");
  EXPECT_EQ(problem("[banana]\nsplit = 1"), "c.toml:1:2: banana: unknown section");
  EXPECT_THAT(problem("[proxy]\nLISTEN = \"x:1\""), HasSubstr("did you mean \"proxy.listen\"?"));
  EXPECT_THAT(problem("\"proxy.listen\" = \"x:1\""), HasSubstr("\"proxy.listen\": unknown key"))
      << "quoted: not a path";
  EXPECT_THAT(problem("\"\" = 1"), HasSubstr("unknown key"));
}

TEST(ConfigLoader, SectionsAndKeys_AreNotInterchangeable) {
  EXPECT_THAT(problem("proxy = 1"), HasSubstr("c.toml:1:1: proxy: is a section: write [proxy]"));
  EXPECT_THAT(problem("[[proxy]]\nworkers = 1"), HasSubstr("write [proxy]"));
  EXPECT_THAT(problem("[proxy.listen]\nx = 1"), HasSubstr("expected a string, found a table"));
}

TEST(ConfigLoader, WrongTypes_SayWhatWasExpected) {
  EXPECT_EQ(problem("[proxy]\nverbose = \"yes\""),
            "c.toml:2:11: proxy.verbose: expected true or false, found a string");
  EXPECT_THAT(problem("[proxy]\nworkers = 1.5"), HasSubstr("expected a whole number, found a number with a fraction"));
  EXPECT_THAT(problem("[proxy]\nworkers = \"8\""), HasSubstr("expected a whole number, found a string"));
  EXPECT_THAT(problem("[proxy]\nlisten = 8282"), HasSubstr("expected a string, found a whole number"));
  EXPECT_THAT(problem("[proxy]\nlisten = 1979-05-27"), HasSubstr("found a date or time"));
  EXPECT_THAT(problem("[proxy]\nallow = \"a\""),
              HasSubstr("expected a list of strings such as [\"a\", \"b\"], found a string"));
  EXPECT_THAT(problem("[proxy]\nallow = [\"a\", 2]"), HasSubstr("item 2 is not a string"));
  EXPECT_THAT(problem("[proxy]\nratio = true"), HasSubstr("expected a number, found true or false"));
  EXPECT_THAT(problem("[proxy]\nratio = nan"), HasSubstr("finite"));
  EXPECT_THAT(problem("[proxy]\nheader_timeout = 10"), HasSubstr("has no unit"));
  EXPECT_THAT(problem("[proxy]\nheader_timeout = true"), HasSubstr("expected a duration such as \"10s\""));
  EXPECT_THAT(problem("[proxy]\nheader_limit = [\"1\"]"), HasSubstr("expected a size such as \"64KiB\", found a list"));
}

TEST(ConfigLoader, WrongValues_SayWhatIsAllowed) {
  EXPECT_EQ(problem("[proxy]\nworkers = 65"), "c.toml:2:11: proxy.workers: 65 is outside 1 to 64");
  EXPECT_THAT(problem("[proxy]\nport = 65536"), HasSubstr("65536 is not between 0 and 65535"));
  EXPECT_THAT(problem("[proxy]\nport = -1"), HasSubstr("-1 is not between 0 and 65535"));
  EXPECT_THAT(problem("[proxy]\nheader_timeout = \"1h\""), HasSubstr("1h is outside 1s to 5m"));
  EXPECT_THAT(problem("[proxy]\nheader_limit = \"2MiB\""), HasSubstr("2MiB is outside 1KiB to 1MiB"));
  EXPECT_THAT(problem("[proxy]\nlisten = \"nowhere\""), HasSubstr("proxy.listen: has no port"));
  EXPECT_THAT(problem("[proxy]\ncolour = \"dark_gren\""),
              HasSubstr("\"dark_gren\" is unknown, expected one of red, dark_green, did you mean \"dark_green\"?"));
  EXPECT_THAT(problem("[proxy]\nlisten = \"a:1\\u0000b\""), HasSubstr("control or invisible character"));
  EXPECT_THAT(problem("[proxy]\nallow = [\"a\\nb\"]"), HasSubstr("control or invisible character"));
  EXPECT_EQ(problem("[proxy]\nworkers = 40\nverbose = true"), "proxy: more than 32 workers cannot be verbose");
}

TEST(ConfigLoader, AllMistakes_AreReportedInTheOrderOfTheFile) {
  const auto lines =
      problems(load("[zoo]\n[proxy]\nworkers = 0\nlistn = 1\ncolour = \"blue\"\n[proxy.limits]\ndepth = \"x\"\n"));
  ASSERT_EQ(lines.size(), 5u) << testing::PrintToString(lines);
  EXPECT_THAT(lines[0], HasSubstr("c.toml:1:2: zoo"));
  EXPECT_THAT(lines[1], HasSubstr("c.toml:3:11: proxy.workers"));
  EXPECT_THAT(lines[2], HasSubstr("c.toml:4:1: proxy.listn"));
  EXPECT_THAT(lines[3], HasSubstr("c.toml:5:10: proxy.colour"));
  EXPECT_THAT(lines[4], HasSubstr("c.toml:7:9: proxy.limits.depth"));
}

TEST(ConfigLoader, SyntaxErrors_DoNotHideOtherMistakes) {
  const auto lines = problems(load("[proxy]\nworkers = 0\nport = = 1\nlistn = 1\n[proxy.limits]\ndepth = 'x\n[zoo]\n"));
  ASSERT_EQ(lines.size(), 4u) << testing::PrintToString(lines);
  EXPECT_THAT(lines[0], HasSubstr("c.toml:2:11: proxy.workers: 0 is outside"));
  EXPECT_THAT(lines[1], HasSubstr("c.toml:3:8: not valid TOML"));
  EXPECT_THAT(lines[2], HasSubstr("c.toml:6:")) << "the next section is read again";
  EXPECT_THAT(lines[3], HasSubstr("c.toml:7:2: zoo: unknown section"));
}

TEST(ConfigLoader, SyntaxErrors_HelpWithTheUsualSlip) {
  EXPECT_THAT(problem("[proxy]\nheader_timeout = 10s\n"), HasSubstr("in quotes, like \"10s\""));
  EXPECT_THAT(problem("[proxy]\nworkers = 1\nworkers = 2\n"), HasSubstr("c.toml:3:"));
  EXPECT_THAT(problem("[proxy\n"), HasSubstr("c.toml:1:"));
}

TEST(ConfigLoader, TextThatIsNoText_IsRefused) {
  EXPECT_THAT(problem("[proxy]\n# \0\n"sv), HasSubstr("c.toml:2:3: contains a NUL byte"));
  EXPECT_THAT(problem("[proxy]\nlisten = \"\xFF:1\"\n"), HasSubstr("utf-8"));
}

// toml++ recurses over dotted keys without a limit; unchecked, this text overflows the stack.
TEST(ConfigLoader, DeeplyNestedKeys_AreRefused) {
  std::string deep;
  for (int i = 0; i < 300'000; ++i) deep += "a.";
  EXPECT_THAT(problem(deep + "a = 1"), HasSubstr("key with more than 16 parts"));
  EXPECT_THAT(problem("[" + deep + "a]"), HasSubstr("key with more than 16 parts"));
  EXPECT_THAT(problem("x = { " + deep + "a = 1 }"), HasSubstr("key with more than 16 parts"));
  EXPECT_THAT(problem("x = " + std::string(300'000, '[')), HasSubstr("c.toml:1:"));
}

TEST(ConfigLoader, DotsInValuesAndComments_AreNotNesting) {
  const std::string dots(200, '.');
  EXPECT_TRUE(load("[proxy]\nlisten = \"" + dots + ":1\" # " + dots + "\npassword = '" + dots + "'\n"));
  EXPECT_TRUE(load("[proxy]\nlisten = \"\"\"\\\"" + dots + ":1\"\"\"\npassword = '''" + dots + "'''\n"));
}

TEST(ConfigLoader, ManyMistakes_AreCounted) {
  std::string text = "[proxy]\n";
  for (int i = 0; i < 50'000; ++i) text += "x" + std::to_string(i) + " = 1\n";
  const auto lines = problems(load(text));
  ASSERT_EQ(lines.size(), kMostConfigProblems + 1);
  EXPECT_EQ(lines.back(), "and 49900 more mistakes");
}

TEST(ConfigLoader, Messages_CannotForgeALine) {
  EXPECT_THAT(problem("\"a\\nb\\u001b[31m\" = 1"), HasSubstr(R"("a\nb\x1b[31m": unknown key)"));
  EXPECT_THAT(problem("[proxy]\ncolour = \"x\\ny\""), testing::Not(HasSubstr("\n")));
}

TEST(ConfigLoader, Secrets_DoNotAppearInMessages) {
  EXPECT_EQ(problem("[proxy]\npassword = \"short\""),
            "c.toml:2:12: proxy.password: the value is not valid (not shown: it is a secret)");
  ConfigSources sources;
  sources.overrides = {{"proxy.password", "\"unclosed secret"}};
  EXPECT_THAT(problems(load_config(schema(), sources)),
              testing::ElementsAre("--set: proxy.password: the value is not valid (not shown: it is a secret)"));
}

// ---- files ----

class ConfigFile : public testing::Test {
 protected:
  ConfigFile() {
    char pattern[] = "/tmp/outrider-config-XXXXXX";
    directory_ = mkdtemp(pattern);
  }
  ~ConfigFile() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path write(std::string_view text) {
    const auto path = directory_ / "outrider.toml";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static ConfigResult load_file(const std::filesystem::path& path) {
    ConfigSources sources;
    sources.file = path;
    return load_config(schema(), sources);
  }

  std::filesystem::path directory_;
};

TEST_F(ConfigFile, IsReadWithItsPathInMessages) {
  EXPECT_EQ(load_file(write("[proxy]\nworkers = 5\n")).value().get<ProxySettings>().workers, 5);
  const auto lines = problems(load_file(write("[proxy]\nworkers = 0\n")));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], (directory_ / "outrider.toml").string() + ":2:11: proxy.workers: 0 is outside 1 to 64");
}

TEST_F(ConfigFile, MissingOrUnreadable_SaysWhy) {
  EXPECT_THAT(problems(load_file(directory_ / "none.toml")),
              testing::ElementsAre(HasSubstr("none.toml: cannot be opened: No such file or directory")));
  EXPECT_THAT(problems(load_file(directory_)), testing::ElementsAre(HasSubstr("is a directory, not a file")));
  EXPECT_THAT(problems(load_file(write(std::string(kLargestConfigFile + 1, '#')))),
              testing::ElementsAre(HasSubstr("is larger than 1 MiB")));
  EXPECT_THAT(problems(load_file("/dev/zero")), testing::ElementsAre(HasSubstr("is larger than 1 MiB")));
  if (geteuid() != 0) {  // root may read everything
    const auto path = write("");
    chmod(path.c_str(), 0);
    EXPECT_THAT(problems(load_file(path)), testing::ElementsAre(HasSubstr("Permission denied")));
  }
}

TEST_F(ConfigFile, LargestSize_IsAccepted) {
  std::string text = "[proxy]\nworkers = 5\n#";
  text.resize(kLargestConfigFile, 'x');
  EXPECT_TRUE(load_file(write(text)));
}

TEST_F(ConfigFile, LaterSources_Win) {
  ConfigSources sources;
  sources.file = write("[proxy]\nworkers = 5\nport = 5\nverbose = true\n");
  sources.environment = {{"OUTRIDER__PROXY__WORKERS", "6"}, {"OUTRIDER__PROXY__PORT", "6"}};
  sources.overrides = {{"proxy.workers", "7"}, {"proxy.workers", "8"}};
  const Config config = load_config(schema(), sources).value();
  EXPECT_EQ(config.get<ProxySettings>().workers, 8) << "of the same option the last counts";
  EXPECT_EQ(config.get<ProxySettings>().port, 6);
  EXPECT_TRUE(config.get<ProxySettings>().verbose);
  EXPECT_EQ(source_of(config, "proxy.workers"), "--set");
  EXPECT_EQ(source_of(config, "proxy.port"), "environment OUTRIDER__PROXY__PORT");
  EXPECT_EQ(source_of(config, "proxy.verbose"), "file " + sources.file->string() + ":4");
  EXPECT_EQ(source_of(config, "proxy.listen"), "default");
}

TEST_F(ConfigFile, MistakesOfAllSources_AreReported) {
  ConfigSources sources;
  sources.file = write("[proxy]\nworkers = 0\n");
  sources.environment = {{"OUTRIDER__PROXY__PORT", "x"}};
  sources.overrides = {{"proxy.colour", "blue"}};
  EXPECT_EQ(problems(load_config(schema(), sources)).size(), 3u);
}

// ---- environment and --set ----

ConfigResult load_environment(std::vector<std::pair<std::string, std::string>> variables) {
  ConfigSources sources;
  sources.environment = std::move(variables);
  return load_config(schema(), sources);
}

ConfigResult load_set(std::string_view argument) {
  const auto parsed = parse_override(argument);
  ConfigSources sources;
  sources.overrides = {parsed.value.value()};
  return load_config(schema(), sources);
}

TEST(ConfigEnvironment, NamesAreCaseBlindAndValuesAreText) {
  const Config config = load_environment({{"OUTRIDER__PROXY__LISTEN", "\"x\":1"},
                                          {"outrider__Proxy__Header_Timeout", "20s"},
                                          {"OUTRIDER__PROXY__ALLOW", "10.0.0.0/8, ::1"},
                                          {"OUTRIDER__PROXY__VERBOSE", "true"},
                                          {"OUTRIDER__PROXY__LIMITS__DEPTH", "-5"},
                                          {"OUTRIDER_TEST_DATA", "somewhere"},
                                          {"PATH", "/bin"}})
                            .value();
  EXPECT_EQ(config.get<ProxySettings>().listen, "\"x\":1") << "no quoting rules beside those of the shell";
  EXPECT_EQ(config.get<ProxySettings>().header_timeout, Duration(20s));
  EXPECT_THAT(config.get<ProxySettings>().allow, testing::ElementsAre("10.0.0.0/8", "::1"));
  EXPECT_TRUE(config.get<ProxySettings>().verbose);
  EXPECT_EQ(config.get<LimitSettings>().depth, -5);
}

TEST(ConfigEnvironment, ListsMayBeEmptyOrHaveCommasInside) {
  EXPECT_TRUE(load_environment({{"OUTRIDER__PROXY__ALLOW", ""}}).value().get<ProxySettings>().allow.empty());
  EXPECT_THAT(load_environment({{"OUTRIDER__PROXY__ALLOW", "[\"a,b\"]"}}).value().get<ProxySettings>().allow,
              testing::ElementsAre("a,b"));
}

TEST(ConfigEnvironment, WrongNamesAndValues_AreErrors) {
  EXPECT_THAT(problems(load_environment({{"OUTRIDER__PROXY__LISTN", "x:1"}})),
              testing::ElementsAre(
                  "environment OUTRIDER__PROXY__LISTN: proxy.listn: unknown key, did you mean \"proxy.listen\"?"));
  EXPECT_THAT(problems(load_environment({{"OUTRIDER__PROXY", "1"}})), testing::ElementsAre(HasSubstr("is a section")));
  EXPECT_THAT(problems(load_environment({{"OUTRIDER__", "1"}})), testing::ElementsAre(HasSubstr("unknown key")));
  EXPECT_THAT(problems(load_environment({{"OUTRIDER__PROXY___PORT", "1"}})),
              testing::ElementsAre(HasSubstr("unknown key")));
  EXPECT_THAT(problems(load_environment({{"OUTRIDER__PROXY__VERBOSE", "yes"}})),
              testing::ElementsAre(HasSubstr("expected true or false, found \"yes\"")));
  EXPECT_THAT(problems(load_environment({{"OUTRIDER__PROXY__WORKERS", "1\nother = 2"}})),
              testing::ElementsAre(HasSubstr("expected a whole number")));
  EXPECT_THAT(problems(load_environment({{"OUTRIDER__PROXY__WORKERS", ""}})),
              testing::ElementsAre(HasSubstr("expected a whole number")));
  EXPECT_THAT(problems(load_environment({{"OUTRIDER__PROXY__PORT", "1"}, {"outrider__proxy__port", "2"}})),
              testing::ElementsAre(HasSubstr("is also set by OUTRIDER__PROXY__PORT")));
}

TEST(ConfigSet, TakesTomlOrBareText) {
  const auto proxy = [](std::string_view argument) { return load_set(argument).value().get<ProxySettings>(); };
  EXPECT_EQ(proxy("proxy.listen=a:1").listen, "a:1");
  EXPECT_EQ(proxy("proxy.listen=\"a:1\"").listen, "a:1");
  EXPECT_EQ(proxy("proxy.listen=a:1=b").listen, "a:1=b") << "only the first equals sign separates";
  EXPECT_EQ(proxy("proxy.password=123").password, "123") << "a string key takes anything as its text";
  EXPECT_EQ(proxy("proxy.header_timeout=20s").header_timeout, Duration(20s));
  EXPECT_EQ(proxy("proxy.header_timeout='20s'").header_timeout, Duration(20s));
  EXPECT_EQ(proxy("proxy.workers = 9").workers, 9);
  EXPECT_EQ(proxy("proxy.colour=dark_green").colour, Colour::dark_green);
  EXPECT_THAT(proxy("proxy.allow=[\"a\", \"b\"]").allow, testing::ElementsAre("a", "b"));
  EXPECT_THAT(proxy("proxy.allow=a,b").allow, testing::ElementsAre("a", "b"));
  EXPECT_TRUE(proxy("proxy.allow=").allow.empty());
}

TEST(ConfigSet, WrongArguments_AreErrors) {
  for (const char* wrong : {"", "proxy.listen", "=x", "="}) {
    EXPECT_FALSE(parse_override(wrong).value) << wrong;
    EXPECT_THAT(parse_override(wrong).problem, HasSubstr("section.key=value"));
  }
  EXPECT_THAT(problems(load_set("proxy.listn=a:1")),
              testing::ElementsAre("--set: proxy.listn: unknown key, did you mean \"proxy.listen\"?"));
  EXPECT_THAT(problems(load_set("proxy.workers=many")),
              testing::ElementsAre("--set: proxy.workers: expected a whole number, found \"many\""));
  EXPECT_THAT(problems(load_set("proxy.allow=[1]")), testing::ElementsAre(HasSubstr("item 1 is not a string")));
  EXPECT_THAT(problems(load_set("proxy.header_timeout=10")), testing::ElementsAre(HasSubstr("has no unit")));
  std::string deep = "proxy.allow=[{";
  for (int i = 0; i < 100'000; ++i) deep += "a.";
  EXPECT_FALSE(load_set(deep + "a=1}]"));
}

}  // namespace
}  // namespace outrider
