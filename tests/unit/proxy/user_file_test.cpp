#include "proxy/user_file.hpp"

#include "proxy/password_hash.hpp"
#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using testing::SecretFolder;

const std::string kHash = "$2b$05$98OLbf3vpVU/G3mM/QkmN.O6JfkNHMYcrWabKzLZJMobDwDw71fCG";  // "secret"
const std::string kDigest(64, 'a');

std::string problem(const std::string& text) {
  const auto users = parse_users(text);
  return users ? "" : users.error().detail;
}

TEST(ParseUsers, PasswordsTokensCommentsAndBlankLines) {
  const auto users =
      parse_users("# people\n\nann:" + kHash + "\r\n  \nbob:" + kDigest + "\nann:" + std::string(64, 'B') + ":laptop")
          .value();
  ASSERT_EQ(users.size(), 3U);
  EXPECT_EQ(users[0].name, "ann");
  EXPECT_EQ(users[0].hash, kHash);
  EXPECT_TRUE(users[1].is_token());
  EXPECT_EQ(users[1].token[0], 0xaa);
  EXPECT_EQ(users[2].token[31], 0xbb);
  EXPECT_TRUE(parse_users("").value().empty());
}

TEST(ParseUsers, MistakesNameTheLine_AndNeverTheHash) {
  EXPECT_NE(problem("ann:" + kHash + "\nbob").find("line 2: has no colon"), std::string::npos);
  EXPECT_NE(problem(":" + kHash).find("line 1: has no valid name"), std::string::npos);
  EXPECT_NE(problem("a\tb:" + kHash).find("has no valid name"), std::string::npos);
  EXPECT_NE(problem("ann:" + kHash + "\nann:" + kHash).find("line 2: \"ann\" has a password already"),
            std::string::npos);
  EXPECT_NE(problem("ann:").find("is missing"), std::string::npos);
  EXPECT_NE(problem(std::string{"ann:x\0y", 7}), "");
  const std::string plain = problem("ann:hunter2");
  EXPECT_NE(plain.find("plain text is not accepted"), std::string::npos);
  EXPECT_EQ(plain.find("hunter2"), std::string::npos);
}

TEST(NameProblem, NamesArePlainText) {
  for (const char* good : {"ann", "Ann Other", "ann@example.com", "j\xc3\xbcrgen"})
    EXPECT_EQ(name_problem(good), "") << good;
  for (const std::string& bad :
       {std::string{}, std::string{"a:b"}, std::string{"#a"}, std::string{"a\nb"}, std::string{"a\x1b[0m"},
        std::string{"a\0b", 3}, std::string{" a"}, std::string{"a "}, std::string(129, 'a'), std::string{"\xff"},
        std::string{"\xe2\x80\xae"
                    "evil"}})
    EXPECT_NE(name_problem(bad), "") << bad;
}

TEST(UserCommands, AddListRemove) {
  const SecretFolder folder;
  const std::string file = folder.file("users");
  EXPECT_EQ(add_user(file, "ann", "first").value(), Added::created);
  EXPECT_EQ(folder.mode("users"), 0600U);
  EXPECT_EQ(add_user(file, "bob", "with:colon").value(), Added::created);
  EXPECT_EQ(add_user(file, "ann", "second").value(), Added::replaced);
  const auto users = load_users(file).value();
  ASSERT_EQ(users.size(), 2U);
  EXPECT_TRUE(verify_password("second", users[0].hash));
  EXPECT_TRUE(verify_password("with:colon", users[1].hash));
  ASSERT_TRUE(remove_user(file, "ann").has_value());
  EXPECT_EQ(remove_user(file, "ann").error().kind, ErrorKind::not_found);
  const auto list = list_users(file).value();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].name, "bob");
  EXPECT_TRUE(list[0].has_password);
}

TEST(UserCommands, Token_IsShownOnceAndKeptAsHash) {
  const SecretFolder folder;
  const std::string file = folder.file("users");
  ASSERT_TRUE(add_user(file, "ann", "password").has_value());
  const std::string first = add_token(file, "ann").value();
  const std::string second = add_token(file, "ann").value();
  EXPECT_NE(first, second);
  EXPECT_GE(first.size(), 64U);
  EXPECT_EQ(folder.read("users").find(first), std::string::npos);
  const auto users = load_users(file).value();
  ASSERT_EQ(users.size(), 3U);
  EXPECT_EQ(users[1].token, sha256(first));
  EXPECT_EQ(add_user(file, "ann", "other").value(), Added::replaced) << "a new password keeps the tokens";
  EXPECT_EQ(list_users(file).value().at(0).tokens, 2U);
  ASSERT_TRUE(remove_user(file, "ann").has_value());
  EXPECT_TRUE(load_users(file).value().empty()) << "removing takes the tokens along";
}

TEST(UserCommands, CommentsAndOtherLinesStay) {
  const SecretFolder folder;
  const std::string file = folder.write("users", "# ann:left\nann:" + kHash + "\n\nbob:" + kHash);
  ASSERT_TRUE(add_user(file, "ann", "new").has_value());
  const std::string text = folder.read("users");
  EXPECT_TRUE(text.starts_with("# ann:left\nann:$y$")) << text;
  EXPECT_TRUE(text.ends_with("\n\nbob:" + kHash + "\n")) << text;
}

TEST(UserCommands, BadInput_ChangesNothing) {
  const SecretFolder folder;
  const std::string file = folder.file("users");
  EXPECT_FALSE(add_user(file, "a:b", "password").has_value());
  EXPECT_FALSE(add_user(file, "ann\nroot", "password").has_value());
  EXPECT_FALSE(add_user(file, "", "password").has_value());
  EXPECT_FALSE(add_user(file, "ann", "").has_value());
  EXPECT_FALSE(add_token(file, "").has_value());
  EXPECT_FALSE(remove_user(file, "ann").has_value());
  EXPECT_EQ(list_users(file).error().kind, ErrorKind::not_found);
  EXPECT_EQ(folder.count(), 0U);
  folder.write("users", "broken line\n");
  EXPECT_FALSE(add_user(file, "ann", "password").has_value()) << "a file that would not load is not written";
  EXPECT_EQ(folder.read("users"), "broken line\n");
}

// A weak hash is no dead end: setting a new password for that user repairs the file.
TEST(UserCommands, WeakHash_IsReplacedByAdd) {
  const SecretFolder folder;
  const std::string file = folder.write("users", "ann:Du9YFiGmJyfzo\n");
  EXPECT_FALSE(load_users(file).has_value());
  EXPECT_EQ(add_user(file, "ann", "new").value(), Added::replaced);
  EXPECT_TRUE(load_users(file).has_value());
}

TEST(Sha256, KnownAnswer) {  // FIPS 180-2, "abc"
  EXPECT_EQ(sha256("abc")[0], 0xba);
  EXPECT_EQ(sha256("abc")[31], 0xad);
}

}  // namespace
}  // namespace outrider
