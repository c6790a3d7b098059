#include "cache/store_body.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace outrider {
namespace {

std::string text_of(const StoredBody& body) {
  std::string text;
  while (const auto piece = body.in_memory_at(text.size())) text += piece->bytes;
  return text;
}

std::string sample(std::size_t length) {
  std::string text(length, '\0');
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + i * 7 % 26);
  return text;
}

TEST(StoredBody, WhatIsAppended_IsThere) {
  for (const std::size_t step : {1UL, 1000UL, 16384UL, 100'000UL, 1'000'000UL}) {
    StoredBody body({});
    const std::string text = sample(step == 1 ? 20'000 : 700'000);
    for (std::size_t at = 0; at < text.size(); at += step)
      body.append(std::string_view(text).substr(at, step), std::nullopt);
    EXPECT_EQ(body.length(), text.size());
    EXPECT_EQ(text_of(body), text);
    EXPECT_FALSE(body.complete());
    body.finish(true);
    EXPECT_TRUE(body.complete());
    EXPECT_EQ(text_of(body), text);
  }
}

TEST(StoredBody, KnownLength_NeedsNoMoreMemoryThanThat) {
  StoredBody body({});
  const std::string text = sample(10'000);
  for (std::size_t at = 0; at < text.size(); at += 1000)
    body.append(std::string_view(text).substr(at, 1000), text.size());
  const std::size_t before = body.memory_bytes();
  EXPECT_LT(before, text.size() + 512);
  body.finish(true);
  EXPECT_EQ(body.memory_bytes(), before);
  EXPECT_EQ(body.in_memory_at(0)->bytes.size(), text.size());
}

TEST(StoredBody, UnknownLength_IsPackedIntoOneBlockAtTheEnd) {
  StoredBody body({});
  const std::string text = sample(100'000);
  for (std::size_t at = 0; at < text.size(); at += 1000)
    body.append(std::string_view(text).substr(at, 1000), std::nullopt);
  body.finish(true);
  EXPECT_LT(body.memory_bytes(), text.size() + 512);
  EXPECT_EQ(body.in_memory_at(0)->bytes, text);
}

// Lengths that lie: longer and shorter than announced.
TEST(StoredBody, WrongExpectation_DoesNoHarm) {
  for (const std::uint64_t expected : {0UL, 10UL, 1'000'000UL}) {
    StoredBody body({});
    const std::string text = sample(50'000);
    body.append(std::string_view(text).substr(0, 20'000), expected);
    body.append(std::string_view(text).substr(20'000), expected);
    body.finish(true);
    EXPECT_EQ(text_of(body), text);
    EXPECT_LT(body.memory_bytes(), text.size() + 512);
  }
}

TEST(StoredBody, PiecesGivenOut_OutliveTheBlocks) {
  StoredBody body({});
  body.append("first", std::nullopt);
  const auto piece = body.in_memory_at(0);
  body.append("second", std::nullopt);
  body.finish(true);
  EXPECT_EQ(piece->bytes, "first");
}

TEST(StoredBody, ReleasedPart_IsNotThereAnyMore_TheRestIs) {
  StoredBody body({});
  const std::string text = sample(3 * kChunk);
  body.append(text, std::nullopt);
  body.release_before(kChunk + 10);
  EXPECT_FALSE(body.in_memory_at(0));
  EXPECT_EQ(body.in_memory_at(kChunk + 10)->bytes.substr(0, 5), std::string_view(text).substr(kChunk + 10, 5));
  body.append("more", std::nullopt);
  EXPECT_EQ(body.in_memory_at(3 * kChunk)->bytes, "more");
}

TEST(StoredBody, EmptyBody_HasNoBytes) {
  StoredBody body({});
  body.finish(true);
  body.settle();
  EXPECT_EQ(body.length(), 0U);
  EXPECT_FALSE(body.in_memory_at(0));
  EXPECT_TRUE(body.pieces(0, 0).empty());
}

TEST(StoredBody, ReadersOnOtherThreads_FollowWhileItGrows) {
  StoredBody body({});
  const std::string text = sample(2'000'000);
  std::string seen;
  std::thread reader([&] {
    while (seen.size() < text.size())
      if (const auto piece = body.in_memory_at(seen.size())) seen += piece->bytes;
  });
  for (std::size_t at = 0; at < text.size(); at += 777)
    body.append(std::string_view(text).substr(at, 777), std::nullopt);
  body.finish(true);
  body.settle();
  reader.join();
  EXPECT_EQ(seen, text);
}

}  // namespace
}  // namespace outrider
