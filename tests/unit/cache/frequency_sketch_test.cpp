#include "cache/frequency_sketch.hpp"

#include <gtest/gtest.h>

#include <random>

namespace outrider {
namespace {

TEST(FrequencySketch, NeverSeen_IsZero) {
  EXPECT_EQ(FrequencySketch(1000).estimate(1), 0U);
}

TEST(FrequencySketch, CountsUpToItsMost) {
  FrequencySketch sketch(1000);
  for (unsigned i = 1; i <= 20; ++i) {
    sketch.add(7);
    EXPECT_EQ(sketch.estimate(7), std::min(i, FrequencySketch::kMost));
  }
}

// A count-min sketch may overestimate, never underestimate, as long as nothing has aged.
TEST(FrequencySketch, ManyItems_AreNeverUnderestimated_AndSeldomOverestimated) {
  FrequencySketch sketch(10'000);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> hashes(5000);
  for (auto& hash : hashes) hash = random();
  for (int round = 0; round < 3; ++round)
    for (const auto hash : hashes) sketch.add(hash);
  int over = 0;
  for (const auto hash : hashes) {
    EXPECT_GE(sketch.estimate(hash), 3U);
    over += sketch.estimate(hash) > 3;
  }
  EXPECT_LT(over, 250);
}

TEST(FrequencySketch, OldFavourites_Fade) {
  FrequencySketch sketch(1024);
  for (int i = 0; i < 15; ++i) sketch.add(42);
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) sketch.add(random());
  EXPECT_LT(sketch.estimate(42), 12U);
}

TEST(FrequencySketch, SavedSketch_IsRestored_AndAnotherSizeRefused) {
  FrequencySketch sketch(1000);
  for (int i = 0; i < 5; ++i) sketch.add(42);
  FrequencySketch other(1000);
  EXPECT_TRUE(other.restore(sketch.save()));
  EXPECT_EQ(other.estimate(42), 5U);
  EXPECT_FALSE(FrequencySketch(100'000).restore(sketch.save()));
  EXPECT_FALSE(other.restore("short"));
}

}  // namespace
}  // namespace outrider
