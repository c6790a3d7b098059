#include "robot/text_diff.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace outrider {
namespace {

using Kind = DiffPart::Kind;

// Whatever the parts are: without the added ones they are the old text, without the removed ones the new.
void expect_right(std::string_view before, std::string_view after) {
  const TextDiff diff = diff_texts(before, after);
  std::vector<std::string> old_units, new_units;
  for (const DiffPart& part : diff.parts) {
    if (part.kind != Kind::added) old_units.push_back(part.text);
    if (part.kind != Kind::removed) new_units.push_back(part.text);
  }
  const auto texts = [](const std::vector<std::string_view>& units) {
    return std::vector<std::string>(units.begin(), units.end());
  };
  EXPECT_EQ(old_units, texts(diff_units(before)));
  EXPECT_EQ(new_units, texts(diff_units(after)));
}

TEST(TextDiff, EqualTexts_HaveNone) {
  EXPECT_FALSE(diff_texts("a\nb\n", "a\n\n  b").changed());
  EXPECT_FALSE(diff_texts("", "").changed());
  EXPECT_EQ(format_diff(diff_texts("a", "a")), "");
}

TEST(TextDiff, OneLineChanged) {
  const TextDiff diff = diff_texts("a\nb\nc\n", "a\nx\nc\n");
  EXPECT_EQ(diff.parts,
            (std::vector<DiffPart>{{Kind::same, "a"}, {Kind::removed, "b"}, {Kind::added, "x"}, {Kind::same, "c"}}));
  EXPECT_EQ(diff.added, 1u);
  EXPECT_EQ(diff.removed, 1u);
}

TEST(TextDiff, FewestEdits) {
  const TextDiff diff = diff_texts("a\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc");
  EXPECT_EQ(diff.added + diff.removed, 5u) << "the example of Myers' paper";
}

TEST(TextDiff, LongLines_AreComparedBySentences) {
  const std::string sentence = "This is one of many sentences that stand in one paragraph of a page. ";
  const std::string before = sentence + "Price: 10 euros. " + sentence + sentence;
  const std::string after = sentence + "Price: 12 euros. " + sentence + sentence;
  const TextDiff diff = diff_texts(before, after);
  EXPECT_EQ(diff.added, 1u);
  EXPECT_EQ(format_diff(diff, 0), "…\n- Price: 10 euros.\n+ Price: 12 euros.\n…\n");
}

TEST(TextDiff, RandomTexts_AreDescribedRightly) {
  std::mt19937 random(5);
  for (int run = 0; run < 300; ++run) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (auto i = random() % 30; i > 0; --i) text += fmt::format("{}\n", static_cast<char>('a' + random() % 4));
    }
    expect_right(texts[0], texts[1]);
  }
}

TEST(TextDiff, ManyDifferences_AreStillRight) {
  std::string before, after;
  for (int i = 0; i < 5000; ++i) {
    before += fmt::format("old {}\n", i);
    after += fmt::format("new {}\n", i);
  }
  expect_right("head\n" + before + "tail", "head\n" + after + "tail");
  expect_right(before, "");
  expect_right("", after);
}

TEST(TextDiff, HugeTexts_AreCut) {
  std::string text;
  for (std::size_t i = 0; i < kMostDiffUnits + 10; ++i) text += "x\n";
  EXPECT_TRUE(diff_texts(text, text).cut);
  EXPECT_LE(format_diff(diff_texts("", text), 1, 1000).size(), 1010u);
}

// What a page wrote must not draw on a terminal.
TEST(TextDiff, ControlCharacters_AreEscaped) {
  EXPECT_EQ(format_diff(diff_texts("", "a\x1b[2Jb")).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace outrider
