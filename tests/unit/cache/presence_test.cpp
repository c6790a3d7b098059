#include "cache/presence.hpp"

#include <gtest/gtest.h>

#include <random>

namespace outrider {
namespace {

TEST(Presence, WhatWasNeverStored_IsAbsent) {
  Presence presence(4096);
  presence.begin(1);
  EXPECT_TRUE(presence.surely_absent(42, 1));
}

TEST(Presence, WhatWasStored_IsThere_UntilItsSegmentIsGone) {
  Presence presence(1 << 20);
  presence.begin(1);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> hashes(10'000);
  for (std::uint64_t& hash : hashes) hash = random();
  for (std::size_t i = 0; i < hashes.size(); ++i) presence.stored(hashes[i], static_cast<std::uint32_t>(1 + i / 1000));
  int absent = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_FALSE(presence.surely_absent(hashes[i], static_cast<std::uint32_t>(1 + i / 1000)));
    EXPECT_FALSE(presence.surely_absent(hashes[i], 1));
    absent += presence.surely_absent(hashes[i], static_cast<std::uint32_t>(2 + i / 1000)) ? 1 : 0;
  }
  EXPECT_GT(absent, 9700) << "few share their place with another one that is younger";
  for (int i = 0; i < 1000; ++i) absent += presence.surely_absent(random(), 1) ? 1 : 0;
  EXPECT_GT(absent, 10'650);
}

TEST(Presence, StoredAgain_CountsFromThere) {
  Presence presence(4096);
  presence.begin(1);
  presence.stored(7, 1);
  presence.stored(7, 5);
  EXPECT_FALSE(presence.surely_absent(7, 5));
  EXPECT_TRUE(presence.surely_absent(7, 6));
}

TEST(Presence, WhatWasThereBefore_IsNotDenied) {
  Presence presence(4096);
  presence.begin(10);
  EXPECT_FALSE(presence.surely_absent(7, 3)) << "segments from 3 to 9 are there, and nobody knows what is in them";
  EXPECT_FALSE(presence.surely_absent(7, 9));
  EXPECT_TRUE(presence.surely_absent(7, 10));
}

TEST(Presence, SavedAndRestored_KnowsAll) {
  Presence presence(4096);
  presence.begin(1);
  presence.stored(7, 3);
  Presence after(4096);
  ASSERT_TRUE(after.restore(presence.save()));
  after.begin(4);
  EXPECT_FALSE(after.surely_absent(7, 3));
  EXPECT_TRUE(after.surely_absent(8, 3));
  EXPECT_FALSE(Presence(8192).restore(presence.save()));
  EXPECT_FALSE(Presence(4096).restore(""));
}

// It was not known then, and is not known because it was kept.
TEST(Presence, RestoredTwice_DoesNotDenyWhatItNeverKnew) {
  Presence presence(4096);
  presence.begin(10);
  presence.stored(7, 12);
  Presence after(4096);
  ASSERT_TRUE(after.restore(presence.save()));
  after.begin(13);
  EXPECT_FALSE(after.surely_absent(8, 5)) << "in one of the segments 5 to 9, perhaps";
  EXPECT_TRUE(after.surely_absent(8, 10));
  EXPECT_FALSE(after.surely_absent(7, 10));
}

TEST(Presence, NumbersThatNoLongerFit_AreNeverTakenForOld) {
  Presence presence(4096);
  presence.begin(1);
  for (std::uint32_t segment = 1; segment < 300'000; segment += 17) {
    presence.stored(7, segment);
    for (const std::uint32_t kept : {1U, 100U, 32'000U})
      EXPECT_FALSE(presence.surely_absent(7, segment - std::min(segment, kept) + 1)) << segment;
  }
  presence.stored(8, 1'000'000);
  EXPECT_FALSE(presence.surely_absent(7, 900'000)) << "more segments than can be told apart";
}

TEST(Presence, WithoutMemory_KnowsNothing) {
  Presence presence(0);
  presence.begin(1);
  presence.stored(7, 1);
  EXPECT_FALSE(presence.surely_absent(8, 1));
  EXPECT_FALSE(presence.restore(presence.save()));
}

// A loss of power may leave a file of the right size full of zeros.
TEST(Presence, TableThatWasNotWritten_IsNotBelieved) {
  Presence presence(4096);
  presence.begin(1);
  presence.stored(7, 1);
  std::string saved = presence.save();
  ASSERT_TRUE(Presence(4096).restore(saved));
  EXPECT_FALSE(Presence(4096).restore(std::string(saved.size(), '\0')));
  saved.back() ^= 1;
  EXPECT_FALSE(Presence(4096).restore(saved));
}

}  // namespace
}  // namespace outrider
