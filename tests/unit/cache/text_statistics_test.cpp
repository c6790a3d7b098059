#include "cache/text_statistics.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <string>

namespace outrider {
namespace {

std::string numbered_words(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += "word" + std::to_string(i * 7919 % 1000) + " ";
  return text;
}

TEST(TextStatistics, WordsOfLanguagesWithBlanks) {
  EXPECT_EQ(count_words(""), 0U);
  EXPECT_EQ(count_words("One, two -- three! (four)"), 4U);
  EXPECT_EQ(count_words("don't re-use l’eau"), 3U);
  EXPECT_EQ(count_words("Größe Ελλάδα Москва कृपया 한국어 2024"), 6U);
}

TEST(TextStatistics, WordsOfLanguagesWithoutBlanks) {
  EXPECT_EQ(count_words("我喜欢读书。"), 3U);     // five characters
  EXPECT_EQ(count_words("日本語とEnglish"), 3U);  // four and a word
  EXPECT_EQ(count_words("สวัสดีครับ"), 2U);          // seven letters and three marks
}

TEST(TextStatistics, ReadingTime) {
  EXPECT_EQ(reading_seconds(0), 0U);
  EXPECT_EQ(reading_seconds(230), 60U);
}

TEST(TextStatistics, FingerprintIsOfEveryByte) {
  EXPECT_EQ(text_fingerprint("a b"), text_fingerprint(std::string("a b")));
  EXPECT_NE(text_fingerprint("a b"), text_fingerprint("ab"));
  EXPECT_NE(text_fingerprint("a b"), text_fingerprint("A b"));
  EXPECT_EQ(text_fingerprint(""), 0U);
}

TEST(TextStatistics, SimhashOfNearTextsIsNear) {
  const std::string text = numbered_words(0, 400);
  const std::uint64_t hash = text_simhash(text);
  EXPECT_NE(hash, 0U);
  EXPECT_EQ(text_simhash("WORD0 " + text.substr(6)), hash);
  std::string changed = text;
  changed.replace(1000, 4, "else");
  EXPECT_LE(std::popcount(hash ^ text_simhash(changed)), 4);
  EXPECT_LE(std::popcount(hash ^ text_simhash(text + " and a short ending")), 6);
  EXPECT_GE(std::popcount(hash ^ text_simhash(numbered_words(500, 900))), 16);
}

TEST(TextStatistics, SimhashNeedsSomeWords) {
  EXPECT_EQ(text_simhash("too short to tell anything"), 0U);
  EXPECT_NE(text_simhash("我喜欢读书也喜欢写字还喜欢画画"), 0U);
}

}  // namespace
}  // namespace outrider
