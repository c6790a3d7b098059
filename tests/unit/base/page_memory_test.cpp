#include "base/page_memory.hpp"

#include <gtest/gtest.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <array>
#include <string>

namespace outrider {
namespace {

std::string sample(std::size_t length, char first) {
  std::string text(length, '\0');
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>(first + i % 23);
  return text;
}

struct PageMemoryTest : ::testing::Test {
  PageMemory memory{1 << 20};
  void SetUp() override { ASSERT_TRUE(memory.available()); }
  std::shared_ptr<char[]> copy(std::string_view text) { return memory.copy({&text, 1}); }
};

TEST_F(PageMemoryTest, Pieces_LieOneBehindTheOther_InTheFile) {
  const std::string text = sample(10'000, 'a');
  const std::array<std::string_view, 2> pieces{std::string_view{text}.substr(0, 7), std::string_view{text}.substr(7)};
  const auto bytes = memory.copy(pieces);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(std::string_view(bytes.get(), text.size()), text);
  const auto place = memory.place_of({bytes.get() + 100, 50});
  ASSERT_TRUE(place);
  std::string read(50, '\0');
  EXPECT_EQ(::pread(place->file, read.data(), read.size(), place->offset), 50);
  EXPECT_EQ(read, text.substr(100, 50));
}

TEST_F(PageMemoryTest, OtherMemory_HasNoPlace) {
  const std::string elsewhere = sample(100, 'a');
  EXPECT_FALSE(memory.place_of(elsewhere));
  PageMemory other(1 << 20);
  const auto bytes = copy(elsewhere);
  EXPECT_FALSE(other.place_of({bytes.get(), 100}));
}

TEST_F(PageMemoryTest, WhenTheRoomIsUsedUp_ThereIsNone_UntilSomethingIsGivenBack) {
  const std::string half = sample(512 << 10, 'a');
  auto first = copy(half), second = copy(half);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(copy("x"));
  first.reset();
  EXPECT_TRUE(copy(half));
}

// The reason for all of this: a place that is used again must not change what is still on its way to somebody.
TEST_F(PageMemoryTest, WhatIsOnItsWay_StaysAsItWas_WhenThePlaceIsUsedAgain) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const FileDescriptor out{ends[0]}, in{ends[1]};
  const std::string before = sample(32'768, 'a'), after = sample(32'768, 'A');
  auto bytes = copy(before);
  const auto place = memory.place_of({bytes.get(), before.size()});
  off_t offset = place->offset;
  ASSERT_EQ(::sendfile(out.get(), place->file, &offset, before.size()), static_cast<ssize_t>(before.size()));
  const char* where = bytes.get();
  bytes.reset();
  bytes = copy(after);
  ASSERT_EQ(bytes.get(), where);
  std::string got(before.size(), '\0');
  ASSERT_EQ(::recv(in.get(), got.data(), got.size(), MSG_WAITALL), static_cast<ssize_t>(got.size()));
  EXPECT_EQ(got, before);
  EXPECT_EQ(std::string_view(bytes.get(), after.size()), after);
}

TEST_F(PageMemoryTest, Nothing_IsNotCopied) {
  EXPECT_FALSE(copy(""));
  EXPECT_FALSE(memory.copy({}));
}

}  // namespace
}  // namespace outrider
