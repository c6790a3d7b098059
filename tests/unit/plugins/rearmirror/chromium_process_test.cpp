// With stand-ins for Chromium: shell scripts that speak by the same pipes.
#include "plugins/rearmirror/chromium_process.hpp"

#include "plugins/rearmirror/thumbnail_maker.hpp"
#include "tests/support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct ChromiumProcessTest : ::testing::Test {
  testing_support::TemporaryDirectory directory;

  ChromiumOptions script(const std::string& text) {
    const std::filesystem::path path = directory.path() / "chromium";
    std::ofstream{path} << "#!/bin/sh\n" << text;
    ::chmod(path.c_str(), 0755);
    ChromiumOptions options;
    options.program = path;
    options.proxy = "127.0.0.1:8282";
    options.without_sandbox = true;
    return options;
  }
};

TEST_F(ChromiumProcessTest, MessagesGoThroughThePipes) {
  auto made = ChromiumProcess::start(script("cat <&3 >&4"));
  ASSERT_TRUE(made) << made.error().detail;
  const Deadline minute = Deadline::after(60s);
  ASSERT_TRUE((*made)->send("{\"id\":1}", minute));
  ASSERT_TRUE((*made)->send("second", minute));
  EXPECT_EQ(*(*made)->receive(minute), "{\"id\":1}");
  EXPECT_EQ(*(*made)->receive(minute), "second");
}

// A shell script leaves no secrets to Chromium.
TEST_F(ChromiumProcessTest, EnvironmentAndFilesOfOurs_AreNotHandedOn) {
  ::setenv("OUTRIDER_TEST_SECRET", "canary", 1);
  auto made = ChromiumProcess::start(script("env >&4; ls /proc/self/fd >&4; printf '\\0' >&4; cat <&3 >/dev/null"));
  ASSERT_TRUE(made);
  const Result<std::string> told = (*made)->receive(Deadline::after(60s));
  ASSERT_TRUE(told) << told.error().detail;
  EXPECT_THAT(*told, Not(HasSubstr("canary")));
  EXPECT_THAT(*told, HasSubstr("HOME="));
  ::unsetenv("OUTRIDER_TEST_SECRET");
}

TEST_F(ChromiumProcessTest, OneThatEnds_IsAnError) {
  auto made = ChromiumProcess::start(script("exit 1"));
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->receive(Deadline::after(60s)).error().kind, ErrorKind::closed_early);
}

TEST_F(ChromiumProcessTest, OneThatTalksTooMuch_IsAnError) {
  auto made = ChromiumProcess::start(script("exec tr '\\0' x </dev/zero >&4"));
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->receive(Deadline::after(60s)).error().kind, ErrorKind::body_too_large);
}

TEST_F(ChromiumProcessTest, OneThatSaysNothing_IsNotWaitedForAfterTheDeadlineOrWhenNobodyWaits) {
  std::atomic<bool> cancelled{false};
  ChromiumOptions options = script("sleep 600");
  options.cancelled = &cancelled;
  auto made = ChromiumProcess::start(options);
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->receive(Deadline{SteadyTime{}}).error().kind, ErrorKind::timeout);
  cancelled = true;
  EXPECT_EQ((*made)->receive(Deadline::after(600s)).error().kind, ErrorKind::cancelled);
}

TEST_F(ChromiumProcessTest, ItsFolderGoesWithIt) {
  auto made = ChromiumProcess::start(script("printf '%s\\0' \"$HOME\" >&4; cat <&3 >/dev/null"));
  ASSERT_TRUE(made);
  const std::string folder = *(*made)->receive(Deadline::after(60s));
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  const pid_t pid = (*made)->pid();
  made->reset();
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(ChromiumProcessTest, Arguments_LeaveOnlyTheProxyAsAWayOut) {
  const ChromiumOptions options{"/usr/bin/chromium", "127.0.0.1:8282", "abc=", false};
  const std::vector<std::string> arguments = chromium_arguments(options, "/tmp/x");
  EXPECT_THAT(arguments, Contains("--proxy-server=http://127.0.0.1:8282"));
  EXPECT_THAT(arguments, Contains("--proxy-bypass-list=<-loopback>"));
  EXPECT_THAT(arguments, Contains("--remote-debugging-pipe"));
  EXPECT_THAT(arguments, Contains("--ignore-certificate-errors-spki-list=abc="));
  EXPECT_THAT(arguments, Not(Contains("--no-sandbox")));
  EXPECT_THAT(arguments, Not(Contains(HasSubstr("remote-debugging-port"))));
}

TEST_F(ChromiumProcessTest, WithoutSandboxRootGetsNone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has no sandbox";
  ChromiumOptions options = script("cat <&3 >&4");
  options.without_sandbox = false;
  EXPECT_EQ(ChromiumProcess::start(options).error().kind, ErrorKind::unsupported);
}

TEST(FindChromium, SettingDecides) {
  EXPECT_EQ(find_chromium("none"), "");
  EXPECT_EQ(find_chromium("/nonexistent/chromium"), "");
  EXPECT_EQ(find_chromium("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_chromium("/tmp"), "") << "a folder is no program";
}

TEST(SpkiDigest, WhatIsNoCertificate_HasNone) {
  EXPECT_EQ(spki_digest(""), "");
  EXPECT_EQ(spki_digest("-----BEGIN CERTIFICATE-----\nxxxx\n-----END CERTIFICATE-----\n"), "");
}

// Three times is enough: then pages get their pictures elsewhere.
TEST_F(ChromiumProcessTest, AChromiumThatDoesNotWork_IsGivenUp) {
  ThumbnailMaker maker{script("exit 1"), 5s};
  std::size_t done = 0;
  const SteadyTime until = Clock::system().steady() + 60s;
  for (int page = 0; done < 3 && Clock::system().steady() < until; ++page) {
    maker.want("https://p/" + std::to_string(page));
    for (const ThumbnailMaker::Done& each : maker.take()) {
      EXPECT_FALSE(each.picture);
      ++done;
    }
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_GE(done, 3u);
  EXPECT_NE(maker.state(), "");
  EXPECT_FALSE(maker.want("https://p/more"));
}

}  // namespace
}  // namespace outrider
