#include "cache/segment_notes.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

void write(SegmentNotes& notes, Extent extent, std::uint64_t hash, std::uint32_t chunk = 0) {
  notes.written(extent, {hash, 1, chunk, 10, extent.length});
}

TEST(SegmentNotes, WhatWasWritten_IsToldOnce) {
  SegmentNotes notes(1 << 20);
  write(notes, {3, 0, 100}, 7);
  write(notes, {3, 160, kChunk}, 8);
  write(notes, {3, 300'000, 5}, 8, 1);
  write(notes, {4, 0, 1}, 9);
  const auto told = notes.take(3);
  ASSERT_TRUE(told);
  ASSERT_EQ(told->size(), 3U);
  EXPECT_EQ((*told)[0].key_hash, 7U);
  EXPECT_EQ((*told)[0].length, 100U);
  EXPECT_TRUE((*told)[0].is_whole);
  EXPECT_FALSE((*told)[1].is_whole) << "there may be more of it";
  EXPECT_EQ((*told)[1].length, kChunk);
  EXPECT_FALSE((*told)[2].is_whole);
  EXPECT_EQ((*told)[2].offset, 300'000U);
  EXPECT_FALSE(notes.take(3));
  EXPECT_FALSE(notes.take(99)) << "written before we began";
  EXPECT_TRUE(notes.take(4));
}

TEST(SegmentNotes, WhatWasTakenOut_IsMarked) {
  SegmentNotes notes(1 << 20);
  for (std::uint32_t i = 0; i < 10; ++i) write(notes, {3, i * 160, 100}, i);
  notes.taken_out({3, 5 * 160, 100});
  notes.taken_out({3, 5 * 160 + 16, 100});
  notes.taken_out({8, 0, 100});
  const auto told = notes.take(3);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ((*told)[i].is_gone, i == 5) << i;
}

TEST(SegmentNotes, SegmentThatDoesNotFit_IsNotKnown_AndTheNextOneIsWhenThereIsRoom) {
  SegmentNotes notes(100 * sizeof(SegmentNote));
  for (std::uint32_t i = 0; i < 60; ++i) write(notes, {1, i * 160, 100}, i);
  for (std::uint32_t i = 0; i < 60; ++i) write(notes, {2, i * 160, 100}, i);
  EXPECT_FALSE(notes.take(2)) << "part of it would be wrong";
  EXPECT_EQ(notes.take(1)->size(), 60U);
  for (std::uint32_t i = 0; i < 60; ++i) write(notes, {3, i * 160, 100}, i);
  EXPECT_EQ(notes.take(3)->size(), 60U);
}

}  // namespace
}  // namespace outrider
