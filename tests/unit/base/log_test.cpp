#include "base/log.hpp"

#include "base/config_loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <thread>

namespace outrider::log {
namespace {

using testing::HasSubstr;

// The log is one for the process, so each test puts it back as it found it.
class LogTest : public testing::Test {
 protected:
  LogTest() {
    char pattern[] = "/tmp/outrider-log-XXXXXX";
    directory_ = mkdtemp(pattern);
    settings_.file = directory_ / "outrider.log";
  }
  ~LogTest() override {
    EXPECT_TRUE(configure(LogSettings{}));
    std::filesystem::remove_all(directory_);
  }

  std::vector<std::string> lines(const std::filesystem::path& path) const {
    std::ifstream in(path);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  std::vector<std::string> lines() const { return lines(settings_.file); }

  std::filesystem::path directory_;
  LogSettings settings_;
};

TEST_F(LogTest, Events_AreAppendedToAFileOnlyWeCanRead) {
  ASSERT_TRUE(configure(settings_));
  info(Room::proxy, "listening", {{"port", 8282}});
  error(Room::tls, "handshake_failed");
  const auto written = lines();
  ASSERT_EQ(written.size(), 2u);
  EXPECT_THAT(written[0], testing::EndsWith("Z info proxy listening port=8282"));
  EXPECT_THAT(written[1], testing::EndsWith("Z error tls handshake_failed"));
  struct stat info {};
  ASSERT_EQ(stat(settings_.file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(LogTest, Levels_AreSetPerRoom) {
  settings_.level = Level::warn;
  settings_.rooms = {"robot=debug", "net=off"};
  ASSERT_TRUE(configure(settings_));
  EXPECT_FALSE(enabled(Room::proxy, Level::info));
  EXPECT_TRUE(enabled(Room::proxy, Level::warn));
  EXPECT_TRUE(enabled(Room::robot, Level::debug));
  EXPECT_FALSE(enabled(Room::robot, Level::trace));
  EXPECT_FALSE(enabled(Room::net, Level::error));
  info(Room::proxy, "hidden");
  trace(Room::robot, "hidden");
  error(Room::net, "hidden");
  debug(Room::robot, "shown");
  warn(Room::proxy, "shown");
  EXPECT_EQ(lines().size(), 2u);
  for (const std::string& line : lines()) EXPECT_THAT(line, HasSubstr("shown"));
}

TEST_F(LogTest, JsonFormat_IsOneObjectPerLine) {
  settings_.format = Format::json;
  ASSERT_TRUE(configure(settings_));
  info(Room::cache, "stored", {{"url", "http://example.com/"}, {"bytes", 5u}});
  ASSERT_EQ(lines().size(), 1u);
  const auto object = boost::json::parse(lines()[0]);
  EXPECT_EQ(object.at("room"), "cache");
  EXPECT_EQ(object.at("bytes"), 5);
}

TEST_F(LogTest, Reopen_FollowsARotatedFile) {
  ASSERT_TRUE(configure(settings_));
  info(Room::base, "before");
  std::filesystem::rename(settings_.file, directory_ / "outrider.log.1");
  info(Room::base, "still_old");
  ASSERT_TRUE(reopen());
  info(Room::base, "after");
  EXPECT_EQ(lines(directory_ / "outrider.log.1").size(), 2u);
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_THAT(lines()[0], HasSubstr("after"));
}

TEST_F(LogTest, FileThatCannotBeOpened_LeavesTheOldOutput) {
  ASSERT_TRUE(configure(settings_));
  LogSettings wrong = settings_;
  wrong.file = directory_ / "missing" / "outrider.log";
  wrong.level = Level::trace;
  const auto failed = configure(wrong);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::io);
  EXPECT_THAT(failed.error().detail, HasSubstr("No such file or directory"));
  EXPECT_FALSE(enabled(Room::base, Level::trace)) << "nothing of the wrong settings is in effect";
  info(Room::base, "still_here");
  EXPECT_EQ(lines().size(), 1u);
}

TEST_F(LogTest, UnwritableOutput_IsCountedNotFatal) {
  settings_.file = "/dev/full";
  ASSERT_TRUE(configure(settings_));
  const auto before = lost_lines();
  info(Room::base, "nowhere");
  EXPECT_EQ(lost_lines(), before + 1);
}

TEST_F(LogTest, Tail_KeepsTheNewestRecords) {
  ASSERT_TRUE(configure(settings_));
  for (int i = 0; i < 1234; ++i) info(Room::robot, "fetched", {{"number", i}, {"title", "a b"}});
  const auto records = tail();
  ASSERT_EQ(records.size(), kTailLength);
  EXPECT_EQ(records.front().fields, "number=734 title=\"a b\"");
  EXPECT_EQ(records.back().fields, "number=1233 title=\"a b\"");
  EXPECT_EQ(records.back().event, "fetched");
  EXPECT_EQ(records.back().room, Room::robot);
  EXPECT_EQ(records.back().level, Level::info);
  EXPECT_EQ(records.back().number, newest());
  const auto last = tail(newest() - 2);
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(last.front().fields, "number=1232 title=\"a b\"");
  EXPECT_TRUE(tail(newest()).empty());
}

TEST_F(LogTest, ManyThreads_WriteWholeLinesWhileReconfiguring) {
  ASSERT_TRUE(configure(settings_));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 500; ++i) info(Room::proxy, "working", {{"thread", t}, {"number", i}});
    });
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(reopen());
    EXPECT_TRUE(configure(settings_));
    EXPECT_LE(tail().size(), kTailLength);
  }
  for (auto& thread : threads) thread.join();
  const auto written = lines();
  EXPECT_EQ(written.size(), 2000u);
  for (const std::string& line : written) {
    EXPECT_THAT(line, testing::MatchesRegex("....-..-..T..:..:..[.]...Z info proxy working thread=. number=[0-9]+"));
  }
}

// GCC 12 miscompiles several patterns of temporaries in coroutines; a log call is not one of them.
TEST_F(LogTest, InACoroutine_TemporariesLiveLongEnough) {
  ASSERT_TRUE(configure(settings_));
  boost::asio::io_context context;
  const auto coroutine = [](int number) -> boost::asio::awaitable<void> {
    info(Room::proxy, "in_coroutine", {{"text", std::string(100, 'x') + std::to_string(number)}, {"number", number}});
    co_return;
  };
  boost::asio::co_spawn(context, coroutine(7), [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
  context.run();
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_THAT(lines()[0], HasSubstr("text=" + std::string(100, 'x') + "7 number=7"));
}

TEST_F(LogTest, Settings_AreValidated) {
  ConfigSchema schema;
  schema.add<LogSettings>();
  const auto load = [&](std::string_view toml) { return load_config_text(schema, toml, "c"); };
  EXPECT_EQ(load("[log]\nlevel = \"debug\"\nformat = \"json\"").value().get<LogSettings>().level, Level::debug);
  EXPECT_TRUE(load("[log]\nrooms = [\"robot=debug\", \"net=off\"]"));
  const auto problem = [&](std::string_view toml) { return load(toml).error().at(0).to_string(); };
  EXPECT_THAT(problem("[log]\nlevel = \"wran\""), HasSubstr("did you mean \"warn\"?"));
  EXPECT_THAT(problem("[log]\nrooms = [\"robt=debug\"]"), HasSubstr("did you mean \"robot\"?"));
  EXPECT_THAT(problem("[log]\nrooms = [\"robot=debg\"]"), HasSubstr("did you mean \"debug\"?"));
  EXPECT_THAT(problem("[log]\nrooms = [\"robot\"]"), HasSubstr("not of the form room=level"));
}

// STYLE: no credentials and no query strings in logs.
TEST(SafeUrl, HasNeitherUserNorQueryNorFragment) {
  EXPECT_EQ(safe_url("https://user:secret@example.com:8443/a/b?token=1#frag"), "https://example.com:8443/a/b");
  EXPECT_EQ(safe_url("https://example.com/a@b/c"), "https://example.com/a@b/c") << "an @ in the path is no user";
  EXPECT_EQ(safe_url("https://a@b@example.com/"), "https://example.com/");
  EXPECT_EQ(safe_url("http://user:secret@[::1]:80/x"), "http://[::1]:80/x");
  EXPECT_EQ(safe_url("http://[2001:db8::1]/x"), "http://[2001:db8::1]/x");
  EXPECT_EQ(safe_url("/path?secret"), "/path");
  EXPECT_EQ(safe_url("/path@x"), "/path@x");
  EXPECT_EQ(safe_url("example.com:443"), "example.com:443");
  EXPECT_EQ(safe_url("user:secret@example.com:443"), "example.com:443");
  EXPECT_EQ(safe_url("//user:secret@example.com/x"), "//example.com/x");
  EXPECT_EQ(safe_url("?secret"), "");
  EXPECT_EQ(safe_url(""), "");
}

TEST(SafeUrl, SpellingsThatAUrlParserForgives_DoNotLeak) {
  EXPECT_EQ(safe_url("http:user:secret@example.com/"), "http:example.com/");
  EXPECT_EQ(safe_url("http:/user:secret@example.com/"), "http:/example.com/");
  EXPECT_EQ(safe_url("http:\\\\user:secret@example.com\\x"), "http:\\\\example.com\\x");
  EXPECT_EQ(safe_url("ht\ntp://user:sec\tret@example.com/"), "http://example.com/");
  EXPECT_EQ(safe_url("  http://user:secret@example.com/"), "http://example.com/");
  EXPECT_EQ(safe_url("HTTP:////user:secret@example.com/"), "HTTP:////example.com/");
}

TEST(SafeUrl, PasswordsCutInTwo_DoNotLeakTheirHalves) {
  for (const char* url : {"http://user:sec/ret@example.com/", "http://user:sec?ret@example.com/",
                          "http://user:sec#ret@example.com/", "http://user:sec\\ret@example.com/"}) {
    EXPECT_EQ(safe_url(url).find("sec"), std::string::npos) << url;
    EXPECT_EQ(safe_url(url).find("ret"), std::string::npos) << url;
  }
}

TEST(SafeUrl, ContentIsNotAnAddress) {
  EXPECT_EQ(safe_url("data:text/plain,secret"), "data:");
  EXPECT_EQ(safe_url("JavaScript:alert(1)"), "JavaScript:");
}

}  // namespace
}  // namespace outrider::log
