#include "cache/search_rank.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

const WallTime kNow{std::chrono::hours{500'000}};

TEST(SearchRank, EachFactor_RaisesTheScore) {
  const RankInputs plain{5, 0, 0, kNow - std::chrono::days{400}};
  const double score = rank_score(plain, kNow);
  RankInputs better = plain;
  better.text = 6;
  EXPECT_GT(rank_score(better, kNow), score);
  better = plain;
  better.in_degree = 10;
  EXPECT_GT(rank_score(better, kNow), score);
  better = plain;
  better.visits = 1;
  EXPECT_GT(rank_score(better, kNow), score);
  better = plain;
  better.newest = kNow;
  EXPECT_GT(rank_score(better, kNow), score);
}

TEST(SearchRank, Factors_AreMultiplied) {
  const RankInputs one{1, 7, 3, kNow}, two{2, 7, 3, kNow};
  EXPECT_DOUBLE_EQ(rank_score(two, kNow), 2 * rank_score(one, kNow));
}

TEST(SearchRank, NoNumberOfLinks_BuysEverything) {
  EXPECT_LT(rank_score({1, 4'000'000'000u, 0, kNow}, kNow), rank_score({4, 0, 0, kNow}, kNow));
  EXPECT_LE(in_degree_bonus(4'000'000'000u), 3.0);
}

TEST(SearchRank, DateInTheFuture_IsAsGoodAsToday) {
  EXPECT_DOUBLE_EQ(rank_score({1, 0, 0, kNow + std::chrono::days{10}}, kNow), rank_score({1, 0, 0, kNow}, kNow));
}

TEST(SearchRank, NearDuplicates_AreFoldedIntoTheBest) {
  const auto shown = rank_and_fold({{1.0, 0b0111, 0, 1, 0},
                                    {3.0, 0b0000, 0, 2, 1},       // three bits away from the first
                                    {2.0, 0b1111'0000, 0, 3, 2},  // four bits away
                                    {0.5, 0, 77, 4, 3},
                                    {0.6, 0, 77, 5, 4},   // the same text as the one before
                                    {0.1, 0, 0, 3, 5}});  // the same address as the third
  ASSERT_EQ(shown.size(), 4u);
  // SimHash 0 is "not known": it is near to nothing.
  EXPECT_EQ(shown[0].index, 1u);
  EXPECT_EQ(shown[0].folded, 0u);
  EXPECT_EQ(shown[1].index, 2u);
  EXPECT_EQ(shown[1].folded, 0u);
  EXPECT_EQ(shown[2].index, 0u);
  EXPECT_EQ(shown[3].index, 4u);
  EXPECT_EQ(shown[3].folded, 1u);
}

TEST(SearchRank, SamePage_IsNotOneMoreLikeIt) {
  const auto shown = rank_and_fold({{3, 0, 77, 1, 0},
                                    {2, 0, 77, 1, 1},    // the open and the own version of one page
                                    {1.5, 0, 77, 2, 2},  // another page with the same text, in both versions
                                    {1, 0, 77, 2, 3}});
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].folded, 1u);
}

TEST(SearchRank, ThreeBitsApart_AreFolded_FourAreNot) {
  EXPECT_EQ(rank_and_fold({{2, 0xFF00, 0, 1, 0}, {1, 0xFF07, 0, 2, 1}}).size(), 1u);
  EXPECT_EQ(rank_and_fold({{2, 0xFF00, 0, 1, 0}, {1, 0xFF0F, 0, 2, 1}}).size(), 2u);
}

TEST(SearchRank, EqualScores_KeepTheirOrder) {
  const auto shown = rank_and_fold({{0, 0, 0, 1, 0}, {0, 0, 0, 2, 1}, {0, 0, 0, 3, 2}});
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[0].index, 0u);
  EXPECT_EQ(shown[2].index, 2u);
}

}  // namespace
}  // namespace outrider
