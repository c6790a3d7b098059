#include "proxy/secret_file.hpp"

#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace outrider {
namespace {

using testing::SecretFolder;

TEST(SecretFile, ReadableByOthers_IsRefusedWithTheRemedy) {
  const SecretFolder folder;
  for (const unsigned mode : {0600U, 0640U, 0400U, 0440U})
    EXPECT_EQ(read_secret_file(folder.write("good", "text", mode)).value(), "text") << mode;
  for (const unsigned mode : {0644U, 0604U, 0660U, 0602U, 0777U}) {
    const Result<std::string> text = read_secret_file(folder.write("bad", "text", mode));
    ASSERT_FALSE(text.has_value()) << mode;
    EXPECT_NE(text.error().detail.find("chmod 640 " + folder.file("bad")), std::string::npos) << text.error().detail;
  }
}

TEST(SecretFile, WhatIsNoFile_IsRefused) {
  const SecretFolder folder;
  EXPECT_EQ(read_secret_file(folder.file("missing")).error().kind, ErrorKind::not_found);
  std::filesystem::create_directory(folder.file("folder"));
  EXPECT_FALSE(read_secret_file(folder.file("folder")).has_value());
  ASSERT_EQ(mkfifo(folder.file("fifo").c_str(), 0600), 0);
  EXPECT_FALSE(read_secret_file(folder.file("fifo")).has_value()) << "and did not wait for a writer";
  folder.write("huge", "", 0600);
  std::filesystem::resize_file(folder.file("huge"), kMaxSecretFile + 1);
  EXPECT_FALSE(read_secret_file(folder.file("huge")).has_value());
}

TEST(SecretFile, Edit_CreatesWithMode0600_AndKeepsAnExistingMode) {
  const SecretFolder folder;
  const auto append = [](const std::string& text) -> Result<std::string> { return text + "x"; };
  ASSERT_TRUE(edit_secret_file(folder.file("new"), append).has_value());
  EXPECT_EQ(folder.read("new"), "x");
  EXPECT_EQ(folder.mode("new"), 0600U);
  folder.write("old", "y", 0640);
  ASSERT_TRUE(edit_secret_file(folder.file("old"), append).has_value());
  EXPECT_EQ(folder.read("old"), "yx");
  EXPECT_EQ(folder.mode("old"), 0640U);
  EXPECT_EQ(folder.count(), 2U) << "nothing else is left behind";
}

TEST(SecretFile, FailedEdit_LeavesEverythingAsItWas) {
  const SecretFolder folder;
  folder.write("file", "text", 0600);
  const auto fail = [](const std::string&) -> Result<std::string> {
    return Error{ErrorKind::invalid_argument, Side::self, "no"};
  };
  EXPECT_EQ(edit_secret_file(folder.file("file"), fail).error().detail, "no");
  EXPECT_EQ(folder.read("file"), "text");
  EXPECT_EQ(folder.count(), 1U);
  folder.write("open", "text", 0644);
  EXPECT_FALSE(edit_secret_file(folder.file("open"), fail).has_value());
  EXPECT_FALSE(edit_secret_file(folder.file("no/such/folder"), fail).has_value());
}

TEST(SecretFile, ALink_StaysALink) {
  const SecretFolder folder;
  folder.write("real", "a", 0600);
  std::filesystem::create_symlink(folder.file("real"), folder.file("link"));
  ASSERT_TRUE(edit_secret_file(folder.file("link"), [](const std::string& t) -> Result<std::string> {
                return t + "b";
              }).has_value());
  EXPECT_EQ(folder.read("real"), "ab");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
}

TEST(SecretFile, EditorsAtOnce_LoseNothing) {
  const SecretFolder folder;
  const auto append = [](const std::string& text) -> Result<std::string> { return text + "x"; };
  std::vector<std::thread> editors;
  for (int i = 0; i < 4; ++i)
    editors.emplace_back([&] {
      for (int n = 0; n < 10; ++n) EXPECT_TRUE(edit_secret_file(folder.file("shared"), append).has_value());
    });
  for (std::thread& editor : editors) editor.join();
  EXPECT_EQ(folder.read("shared"), std::string(40, 'x'));
}

}  // namespace
}  // namespace outrider
