#include "cache/store_disk_space.hpp"

#include "cache/store_budgets.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(DiskSpace, ATenthIsLeftToOthers_AtMostOneGibibyte) {
  EXPECT_EQ((DiskSpace{100 * kMiB, 0}.kept_free()), 10 * kMiB);
  EXPECT_EQ((DiskSpace{500'000 * kMiB, 0}.kept_free()), 1024 * kMiB);
}

TEST(DiskSpace, WhatIsOursCountsAsRoom) {
  EXPECT_EQ((DiskSpace{100 * kMiB, 30 * kMiB}.room_for(0)), 20 * kMiB);
  EXPECT_EQ((DiskSpace{100 * kMiB, 30 * kMiB}.room_for(50 * kMiB)), 70 * kMiB);
}

TEST(DiskSpace, OnAFullDiskOursShrinks_NeverBelowNothing) {
  EXPECT_EQ((DiskSpace{100 * kMiB, 0}.room_for(50 * kMiB)), 40 * kMiB);
  EXPECT_EQ((DiskSpace{100 * kMiB, 0}.room_for(5 * kMiB)), 0);
}

TEST(DiskSpace, AFolderThatIsStillToBeMadeIsOnTheDiskOfItsParent) {
  const auto here = DiskSpace::of(testing::TempDir());
  const auto there = DiskSpace::of(std::filesystem::path(testing::TempDir()) / "not" / "yet" / "made");
  ASSERT_TRUE(here && there);
  EXPECT_EQ(here->total, there->total);
  EXPECT_GT(here->total, 0);
  EXPECT_TRUE(DiskSpace::of("relative/and/not/there"));
}

TEST(StoreBudgets, TheDiskIsTheLimitWhereItIsSmallerThanTheBudget) {
  CacheSettings settings;
  settings.disk.bytes = 10'000 * kMiB;
  const StoreBudgets budgets(settings, 90 * kMiB);
  EXPECT_EQ(budgets.disk, 90 * kMiB);
  EXPECT_LT(4 * budgets.reserve, budgets.disk) << "or nothing could be kept there";
}

}  // namespace
}  // namespace outrider
