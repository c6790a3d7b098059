// The command line of the real program: what it prints, where, and with which exit code.
#include "tests/support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <boost/json.hpp>

#include <fcntl.h>

namespace outrider {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::CoProcess;
using testing_support::ProcessOptions;
using testing_support::ProcessResult;
using testing_support::read_text;
using testing_support::TemporaryDirectory;

class Cli : public testing::Test {
 protected:
  Cli() { options_.environment = {{"HOME", home_.path()}, {"PATH", "/usr/bin:/bin"}}; }

  ProcessResult run(const std::vector<std::string>& arguments) const {
    return testing_support::run_process(OUTRIDER_BINARY, arguments, options_);
  }

  // One line on standard error, nothing on standard output, the exit code.
  void expect_error(const std::vector<std::string>& arguments, int code, const std::string& message) const {
    const ProcessResult result = run(arguments);
    const std::string shown = testing::PrintToString(arguments);
    EXPECT_EQ(result.exit_code, code) << shown << result.err;
    EXPECT_EQ(result.out, "") << shown;
    EXPECT_EQ(result.err, "outrider: " + message + "\n") << shown;
  }

  TemporaryDirectory home_;
  ProcessOptions options_;
};

TEST_F(Cli, Version_IsPrinted) {
  const ProcessResult result = run({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, testing::MatchesRegex("outrider [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  const ProcessResult verbose = run({"--version", "--verbose"});
  EXPECT_EQ(verbose.exit_code, 0);
  for (const char* part : {"outrider ", "\nbuild ", "\nBoost ", "\nOpenSSL ", "\nllhttp "})
    EXPECT_THAT(verbose.out, HasSubstr(part));
}

TEST_F(Cli, Help_OfEveryCommandHasAnExample) {
  const std::vector<std::vector<std::string>> commands = {{},
                                                          {"serve"},
                                                          {"inspect"},
                                                          {"inspect", "url"},
                                                          {"config"},
                                                          {"config", "show"},
                                                          {"config", "check"},
                                                          {"config", "default"},
                                                          {"search"},
                                                          {"user"},
                                                          {"user", "add"},
                                                          {"user", "remove"},
                                                          {"user", "list"},
                                                          {"user", "token"}};
  for (std::vector<std::string> command : commands) {
    std::string name = "outrider";
    for (const std::string& word : command) name += " " + word;
    command.push_back("--help");
    const ProcessResult result = run(command);
    EXPECT_EQ(result.exit_code, 0) << name;
    EXPECT_EQ(result.err, "") << name;
    EXPECT_THAT(result.out, HasSubstr("Usage: " + name)) << name;
    EXPECT_THAT(result.out, HasSubstr("Example")) << name;
  }
}

TEST_F(Cli, WrongCommandsAndOptions_AreUsageErrors) {
  expect_error({}, 2,
               "a command is missing: serve, inspect, config, browser, ca, cache, user, node, links, search, history, "
               "forget, stats, crawl, watch, linkcheck, tasks, top, completion, man (see outrider --help)");
  expect_error({"sreve"}, 2, "unknown command \"sreve\", did you mean \"serve\"? (see outrider --help)");
  expect_error({"banana"}, 2, "unknown command \"banana\" (see outrider --help)");
  expect_error({"--vresion"}, 2, "unknown option \"--vresion\", did you mean \"--version\"? (see outrider --help)");
  expect_error({"serve", "--lisen", "x"}, 2,
               "unknown option \"--lisen\", did you mean \"--listen\"? (see outrider serve --help)");
  expect_error({"serve", "--listen"}, 2, "--listen needs a value (see outrider serve --help)");
  expect_error({"serve", "--config", "a", "--config", "b"}, 2,
               "--config may be given only once (see outrider serve --help)");
  expect_error({"serve", "now"}, 2, "unexpected argument \"now\" (see outrider serve --help)");
  expect_error({"serve", "--data", ""}, 2, "--data: the name is empty");
  expect_error({"serve", "--config", ""}, 2, "--config: the file name is empty");
  expect_error({"config"}, 2, "a command is missing: show, check, default (see outrider config --help)");
  expect_error({"config", "shwo"}, 2, "unknown command \"shwo\", did you mean \"show\"? (see outrider config --help)");
  expect_error({"inspect", "url"}, 2, "a URL is missing (see outrider inspect url --help)");
  expect_error({"x\n\x1b[31m"}, 2, "unknown command \"x\\n\\x1b[31m\" (see outrider --help)");
}

TEST_F(Cli, NumbersOutOfRange_AreUsageErrors) {
  expect_error({"history", "--limit", "-1"}, 2, "--limit: \"-1\" is below zero (see outrider history --help)");
  expect_error({"history", "--limit", "0"}, 2,
               "--limit: \"0\" is too few, 1 is the least (see outrider history --help)");
  expect_error({"top", "--count", "0"}, 2, "--count: \"0\" is too few, 1 is the least (see outrider top --help)");
  expect_error({"tasks", "show", "abc"}, 2,
               "id: \"abc\" is no task number; outrider tasks list shows them (see outrider tasks show --help)");
}

TEST_F(Cli, Forget_WantsOneThingAtATime) {
  expect_error({"forget", "a.example", "--all"}, 2, "\"a.example\" and --all were given together: give one of them");
  EXPECT_THAT(run({"forget"}).err, HasSubstr("say what"));
}

TEST_F(Cli, Watch_EndsWhereNothingIsWatched) {
  const std::string data = home_.path() / "data";
  expect_error({"watch", "--data", data, "--address", "127.0.0.1:1"}, 1, "nothing is watched; give an address");
  const ProcessResult list = run({"watch", "--list", "--data", data, "--address", "127.0.0.1:1"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_EQ(list.out, "Nothing is watched.\n");
  EXPECT_EQ(run({"watch", "--list", "--json", "--data", data, "--address", "127.0.0.1:1"}).out, "");
}

TEST_F(Cli, CrawlOfOneself_NamesTheSettingThatAllowsIt) {
  const std::string data = home_.path() / "data", url = "http://127.0.0.1:18999/";
  EXPECT_EQ(run({"crawl", url, "--data", data}).exit_code, 1);
  EXPECT_THAT(run({"crawl", "--why", url, "--data", data}).out,
              HasSubstr("127.0.0.1 is a loopback address, and those are not allowed here (destinations.robot_allow)"));
}

TEST_F(Cli, WrongSettings_AreUsageErrors) {
  expect_error({"serve", "--set", "log.levle=debug"}, 2, "--set: log.levle: unknown key, did you mean \"log.level\"?");
  expect_error({"serve", "--set", "log.level=loud"}, 2,
               "--set: log.level: \"loud\" is unknown, expected one of trace, debug, info, warn, error, off");
  expect_error({"serve", "--set", "log.level"}, 2, "--set: \"log.level\" is not of the form section.key=value");
  expect_error(
      {"serve", "--listen", "8282"}, 2,
      "--listen: proxy.listen: \"8282\" has no port, expected HOST:PORT such as \"127.0.0.1:8282\" or \"[::1]:8282\"");
  expect_error({"serve", "--config", "/does/not/exist"}, 2,
               "/does/not/exist: cannot be opened: No such file or directory");
  expect_error({"serve", "--config", home_.path()}, 2, home_.path().string() + ": is a directory, not a file");
  options_.environment["OUTRIDER__LOG__LEVLE"] = "debug";
  expect_error({"config", "show"}, 2,
               "environment OUTRIDER__LOG__LEVLE: log.levle: unknown key, did you mean \"log.level\"?");
}

TEST_F(Cli, EveryMistakeInAFile_IsALine) {
  const std::string file = home_.write("my.toml", "[log]\nlevl = \"debug\"\nformat = \"xml\"\n[lgo]\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"serve"}, {"serve", "--check-config"}, {"config", "check"}, {"config", "show"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--config", file});
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "outrider: " + file + ":2:1: log.levl: unknown key, did you mean \"log.level\"?\n" +  //
                              "outrider: " + file +
                              ":3:10: log.format: \"xml\" is unknown, expected one of text, json\n" +
                              "outrider: " + file + ":4:2: lgo: unknown section, did you mean \"log\"?\n");
  }
}

TEST_F(Cli, ConfigCheck_SaysWhatIsRight) {
  EXPECT_EQ(run({"config", "check"}).out, "the configuration is correct (no file was read)\n");
  const std::string file = home_.write("my.toml", "[log]\nlevel = \"debug\"\n");
  const ProcessResult good = run({"config", "check", "--config", file});
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_EQ(good.out, "the configuration is correct (" + file + ")\n");
  EXPECT_EQ(run({"serve", "--check-config", "--config", file}).exit_code, 0);
}

// What a start or a reload would refuse, they refuse too: otherwise nobody needed them.
TEST_F(Cli, ConfigCheck_RefusesWhatAStartRefuses) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"proxy.listen=[\"0.0.0.0:0\"]", "open proxy"},
      {"access.allow=[\"192.168.1.0/99\"]", "access.allow"},
      {"access.users_file=\"/does/not/exist\"", "/does/not/exist"},
      {"destinations.block=[\"*bad*\"]", "*bad*"},
      {"parents.default=\"ftp://x\"", "parents.default"},
      {"tls.never_intercept=[\"*bad*\"]", "*bad*"},
      {"tls.ca_key=\"/does/not/exist\"", "need each other"},
      {"tls.origin_ca_file=\"/does/not/exist\"", "/does/not/exist"},
      {"memory.never_keep=[\"*bad*\"]", "*bad*"},
      {"log.file=\"/does/not/exist\"", "--set: log.file: cannot write to /does/not/exist: No such file or directory"},
      {"log.file=\"/proc\"", "log.file: cannot write to /proc: Is a directory"}};
  for (const auto& [set, words] : wrong) {
    const ProcessResult checked = run({"config", "check", "--set", set});
    EXPECT_EQ(checked.exit_code, 2) << set;
    EXPECT_THAT(checked.err, HasSubstr(words)) << set;
    EXPECT_EQ(checked.out, "") << set;
    const ProcessResult served = run({"serve", "--check-config", "--set", set});
    EXPECT_EQ(served.exit_code, 2) << set;
    EXPECT_EQ(served.err, checked.err) << set;
  }
}

TEST_F(Cli, ConfigCheck_LooksAtLogsWithoutMakingThem) {
  const std::string file = home_.write("my.toml", "[access_log]\nformat = \"json\"\nfile = \"/does/not/exist\"\n");
  expect_error({"config", "check", "--config", file}, 2,
               file + ":3: access_log.file: cannot write to /does/not/exist: No such file or directory");
  EXPECT_EQ(run({"config", "check", "--config", file, "--set", "access_log.format=off"}).exit_code, 0);
  const std::string log = home_.path() / "log";
  EXPECT_EQ(run({"config", "check", "--set", "log.file=" + log}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(log));
}

TEST_F(Cli, ConfigCheck_WarnsOfMisspeltPlugins) {
  const ProcessResult result =
      run({"config", "check", "--set", "plugins.off=[\"hyperscuot\", \"away\", \"rearmirror\"]"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err,
            "outrider: warning: plugins.off: there is no plugin \"hyperscuot\", did you mean \"hyperscout\"?\n");
}

TEST_F(Cli, ConfigCheck_AsJsonListsTheProblems) {
  const std::string file = home_.write("my.toml", "[log]\nlevl = 1\n");
  const ProcessResult result = run({"config", "check", "--json", "--config", file});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "");
  const auto problems = boost::json::parse(result.out).at("problems");
  ASSERT_EQ(problems.as_array().size(), 1u);
  EXPECT_EQ(problems.at(0).at("line"), 2);
  EXPECT_EQ(problems.at(0).at("key"), "log.levl");
}

TEST_F(Cli, ConfigShow_PrintsValuesWithTheirSource) {
  const std::string file = home_.write("my.toml", "[log]\nlevel = \"debug\"\n");
  options_.environment["OUTRIDER__LOG__FORMAT"] = "json";
  const ProcessResult result =
      run({"config", "show", "--config", file, "--set", "log.rooms=[\"net=warn\", \"tls=off\"]"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::ContainsRegex("log.level = \"debug\" +# file " + file + ":2\n"));
  EXPECT_THAT(result.out, testing::ContainsRegex("log.format = \"json\" +# environment OUTRIDER__LOG__FORMAT\n"));
  EXPECT_THAT(result.out, testing::ContainsRegex("log.rooms = \\[\"net=warn\", \"tls=off\"\\] +# --set\n"));
  EXPECT_THAT(result.out, testing::ContainsRegex("log.file = \"\" +# default\n"));
}

TEST_F(Cli, ConfigShow_AsJson) {
  const ProcessResult result = run({"config", "show", "--json", "--set", "log.level=warn"});
  EXPECT_EQ(result.exit_code, 0);
  const auto json = boost::json::parse(result.out);
  EXPECT_EQ(json.at("log.level").at("value"), "warn");
  EXPECT_EQ(json.at("log.level").at("default"), "info");
  EXPECT_EQ(json.at("log.level").at("source"), "--set");
}

TEST_F(Cli, DefaultConfiguration_IsTheFileInConf) {
  const ProcessResult result = run({"config", "default"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, read_text(OUTRIDER_SOURCE_DIR "/conf/outrider.toml"))
      << "settings have changed; write the file anew: outrider config default > conf/outrider.toml";
  const std::string file = home_.write("default.toml", result.out);
  EXPECT_EQ(run({"config", "check", "--config", file}).exit_code, 0);
}

TEST_F(Cli, ConfigurationFile_IsFoundInTheUsualPlaces) {
  const auto shown = [&] { return run({"config", "check"}).out; };
  home_.write(".config/outrider/outrider.toml", "");
  EXPECT_THAT(shown(), HasSubstr(home_.path() / ".config/outrider/outrider.toml"));
  home_.write("xdg/outrider/outrider.toml", "");
  options_.environment["XDG_CONFIG_HOME"] = home_.path() / "xdg";
  EXPECT_THAT(shown(), HasSubstr(home_.path() / "xdg/outrider/outrider.toml"));
  options_.environment["XDG_CONFIG_HOME"] = "relative";
  EXPECT_THAT(shown(), HasSubstr(home_.path() / ".config/outrider/outrider.toml"))
      << "the XDG specification ignores relative paths";
  options_.environment.erase("HOME");
  options_.environment.erase("XDG_CONFIG_HOME");
  EXPECT_THAT(shown(), testing::Not(HasSubstr(home_.path())));
}

TEST_F(Cli, Serve_NeedsADataDirectoryItCanWriteTo) {
  const std::string file = home_.write("file", "");
  EXPECT_EQ(run({"serve", "--data", file}).exit_code, 1);
  expect_error({"serve", "--data", file}, 1, "data directory " + file + " cannot be used: it is not a directory");
  expect_error({"serve", "--data", file + "/x"}, 1, "data directory " + file + "/x cannot be created: Not a directory");
  expect_error({"serve", "--data", "/proc/self/fdinfo"}, 1,
               "data directory /proc/self/fdinfo is not writable: No such file or directory");
}

TEST_F(Cli, Serve_RefusesADataDirectoryInUse) {
  const std::string lock = home_.write("data/lock", "");
  const int fd = ::open(lock.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  const std::string data = home_.path() / "data";
  expect_error({"serve", "--data", data}, 1, "data directory " + data + " is in use: another outrider runs with it");
  ::close(fd);
}

TEST_F(Cli, Serve_NeedsALogFileItCanOpen) {
  expect_error({"serve", "--data", home_.path() / "data", "--set", "log.file=/does/not/exist/log"}, 1,
               "cannot open the log file /does/not/exist/log: No such file or directory");
}

TEST_F(Cli, InspectUrl_PrintsPartsOrFails) {
  const ProcessResult text = run({"inspect", "url", "https://example.com/a?b#c"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, testing::ContainsRegex("(^|\n)href +https://example.com/a\\?b#c\n"));
  const ProcessResult json = run({"inspect", "url", "--json", "https://example.com/a"});
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_EQ(boost::json::parse(json.out).at("href"), "https://example.com/a");

  const ProcessResult wrong = run({"inspect", "url", "no url"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(wrong.out, "");
  EXPECT_THAT(wrong.err, StartsWith("outrider: \"no url\" is not a valid URL"));
  const ProcessResult wrong_json = run({"inspect", "url", "--json", "no url"});
  EXPECT_EQ(wrong_json.exit_code, 1);
  EXPECT_EQ(boost::json::parse(wrong_json.out).at("failure"), true);
  EXPECT_EQ(run({"inspect", "url", ""}).exit_code, 1) << "an empty argument is a URL that is not valid";
}

TEST_F(Cli, InspectLinks_SaysWhatNeedsAnAddress) {
  const std::string file = home_.write("page.html", "<a href=b>b</a><a href=/c>c</a><a href=https://z.example/>z</a>");
  const ProcessResult without = run({"inspect", "links", file});
  EXPECT_EQ(without.exit_code, 0);
  EXPECT_EQ(without.err, "outrider: 2 relative links left out: give --url\n");
  EXPECT_THAT(without.out, HasSubstr("https://z.example/"));
  const ProcessResult with = run({"inspect", "links", file, "--url", "https://a.example/"});
  EXPECT_EQ(with.err, "");
  EXPECT_THAT(with.out, HasSubstr("https://a.example/b"));
}

TEST_F(Cli, InspectUrl_NdjsonTakesNoOtherArguments) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"http://a/"}, {"--json"}, {"--base", "http://a/"}}) {
    std::vector<std::string> arguments = {"inspect", "url", "--ndjson"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments).exit_code, 2);
  }
}

TEST_F(Cli, InspectUrl_NdjsonAnswersEachLineOfAFile) {
  std::string expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::string url = "http://example.com/" + std::to_string(i);
    options_.input += R"({"input":")" + url + "\"}" + (i % 3 == 0 ? "\r\n" : i % 3 == 1 ? "\n\n" : "\n");
    expected += url + "\n";
  }
  options_.input += R"({"input":"http://example.com/last"})";  // without a line end
  expected += "http://example.com/last\n";
  const ProcessResult result = run({"inspect", "url", "--ndjson"});
  EXPECT_EQ(result.exit_code, 0);
  std::string hrefs;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);)
    hrefs += std::string(boost::json::parse(line).at("href").as_string()) + "\n";
  EXPECT_EQ(hrefs, expected);
}

TEST_F(Cli, InspectUrl_NdjsonSurvivesAnEndlessLine) {
  options_.input =
      std::string((1 << 20) + 1, 'x') + "\n" + R"({"input":"http://example.com/"})" + "\n" + std::string(3 << 20, 'y');
  const ProcessResult result = run({"inspect", "url", "--ndjson"});
  EXPECT_EQ(result.exit_code, 0);
  std::vector<std::string> lines;
  std::istringstream in(result.out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(boost::json::parse(lines[0]).at("failure"), true);
  EXPECT_EQ(boost::json::parse(lines[1]).at("href"), "http://example.com/");
  EXPECT_EQ(boost::json::parse(lines[2]).at("failure"), true);
}

TEST_F(Cli, InspectUrl_NdjsonWorksAsACoProcess) {
  CoProcess process(OUTRIDER_BINARY, {"inspect", "url", "--ndjson"});
  for (int i = 0; i < 3; ++i) {
    const std::string url = "http://example.com/" + std::to_string(i);
    process.write(R"({"input":)");
    process.write("\"" + url + "\"}\n");
    const std::string line = process.read_line();  // answered although the input is still open
    ASSERT_FALSE(line.empty());
    EXPECT_EQ(boost::json::parse(line).at("href").as_string(), url);
  }
  process.close_input();
  EXPECT_EQ(process.wait(), 0);
}

TEST_F(Cli, ReaderThatLeaves_IsNoError) {
  CoProcess process(OUTRIDER_BINARY, {"inspect", "url", "--ndjson"});
  process.close_output();
  process.write("{\"input\":\"http://example.com/\"}\n");
  EXPECT_EQ(process.wait(), 0) << "neither a signal nor a complaint";
}

TEST_F(Cli, OutputThatCannotBeWritten_IsAFailure) {
  options_.stdout_path = "/dev/full";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"--version"}, {"--help"}, {"config", "default"}}) {
    const ProcessResult result = run(command);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err, "outrider: cannot write to standard output: No space left on device\n");
  }
}

}  // namespace
}  // namespace outrider
