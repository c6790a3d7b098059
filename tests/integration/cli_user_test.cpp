// outrider user …: the file that it writes is the one that the proxy reads.
#include "proxy/password_hash.hpp"
#include "proxy/user_file.hpp"
#include "tests/support/process.hpp"
#include "tests/support/secret_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider {
namespace {

using ::testing::HasSubstr;
using testing_support::ProcessOptions;
using testing_support::ProcessResult;

struct CliUser : ::testing::Test {
  testing::SecretFolder folder;
  std::string file = folder.file("users");

  ProcessResult run(std::vector<std::string> arguments, const std::string& input = "") const {
    ProcessOptions options;
    options.environment = {{"HOME", folder.path()}, {"PATH", "/usr/bin:/bin"}};
    options.input = input;
    arguments.insert(arguments.begin(), "user");
    return testing_support::run_process(OUTRIDER_BINARY, arguments, options);
  }
};

TEST_F(CliUser, AddListTokenRemove) {
  ASSERT_EQ(run({"add", "ann", "--file", file}, "pass word:1\n").exit_code, 0);
  EXPECT_EQ(folder.mode("users"), 0600U);
  EXPECT_TRUE(verify_password("pass word:1", load_users(file).value().at(0).hash));
  EXPECT_THAT(run({"add", "ann", "--file", file}, "other").out, HasSubstr("new password"));
  EXPECT_TRUE(verify_password("other", load_users(file).value().at(0).hash));

  const ProcessResult token = run({"token", "ann", "--file", file});
  ASSERT_EQ(token.exit_code, 0) << token.err;
  EXPECT_EQ(load_users(file).value().at(1).token, sha256(token.out.substr(0, token.out.size() - 1)));
  EXPECT_THAT(run({"list", "--file", file}).out, ::testing::MatchesRegex("ann +password, 1 token\n"));

  EXPECT_EQ(run({"remove", "ann", "--file", file}).exit_code, 0);
  EXPECT_EQ(run({"list", "--file", file}).out, "");
  const ProcessResult again = run({"remove", "ann", "--file", file});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.err, "outrider: " + file + ": there is no user \"ann\"\n");
}

TEST_F(CliUser, TokenOfAnUnknownUser_IsOnlyMadeOnRequest) {
  ASSERT_EQ(run({"add", "ann", "--file", file}, "secret\n").exit_code, 0);
  const ProcessResult misspelt = run({"token", "anne", "--file", file});
  EXPECT_EQ(misspelt.exit_code, 1);
  EXPECT_EQ(misspelt.out, "");
  EXPECT_THAT(misspelt.err, HasSubstr("there is no user \"anne\"; outrider user add makes one"));
  EXPECT_EQ(load_users(file).value().size(), 1U);
  EXPECT_EQ(run({"token", "bot", "--new", "--file", file}).exit_code, 0);
  EXPECT_THAT(run({"list", "--file", file}).out, HasSubstr("no password, 1 token\n"));
  EXPECT_EQ(run({"token", "bot", "--file", file}).exit_code, 0) << "known by the token";
}

TEST_F(CliUser, FileOfTheConfiguration_IsTheDefault) {
  ASSERT_EQ(run({"add", "ann", "--set", "access.users_file=" + file}, "secret\n").exit_code, 0);
  EXPECT_EQ(load_users(file).value().size(), 1U);
  const ProcessResult nowhere = run({"add", "ann"}, "secret\n");
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("access.users_file"));
}

TEST_F(CliUser, Mistakes_AreOneLine_AndChangeNothing) {
  const auto expect = [&](std::vector<std::string> arguments, const std::string& input, int code,
                          const std::string& message) {
    arguments.insert(arguments.end(), {"--file", file});
    const ProcessResult result = run(arguments, input);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  expect({"add", "ann"}, "", 2, "no password");
  expect({"add", "ann"}, "\n", 2, "empty password");
  expect({"add", "a:b"}, "secret\n", 2, "colon");
  expect({"add"}, "secret\n", 2, "name is required");
  expect({"list"}, "", 1, "cannot open it");
  EXPECT_EQ(folder.count(), 0U);
  folder.write("users", "ann:plain\n", 0644);
  expect({"list"}, "", 1, "chmod 640");
  folder.write("users", "ann:plain\n", 0600);
  expect({"list"}, "", 2, "line 1");
}

}  // namespace
}  // namespace outrider
