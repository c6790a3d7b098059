#include "base/spare_text.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace outrider {
namespace {

// Each test on a thread of its own: what others have left there does not count.
template <class Work>
void on_fresh_thread(Work work) {
  std::thread{work}.join();
}

TEST(SpareTextTest, RoomThatWasReturned_IsLentAgain_Empty) {
  on_fresh_thread([] {
    std::string first(100'000, 'x');
    const char* const place = first.data();
    return_room(first);
    EXPECT_TRUE(first.empty());
    EXPECT_LT(first.capacity(), 100U);
    std::string second;
    lend_room(second);
    EXPECT_TRUE(second.empty());
    EXPECT_GE(second.capacity(), 100'000U);
    second.resize(100'000);
    EXPECT_EQ(second.data(), place);
  });
}

TEST(SpareTextTest, WithoutSpares_NothingHappens) {
  on_fresh_thread([] {
    std::string text;
    lend_room(text);
    EXPECT_TRUE(text.empty());
    EXPECT_LT(text.capacity(), 100U);
  });
}

TEST(SpareTextTest, WhatHoldsSomething_KeepsIt) {
  on_fresh_thread([] {
    std::string spare(100'000, 'x');
    return_room(spare);
    std::string text = "something";
    lend_room(text);
    EXPECT_EQ(text, "something");
  });
}

TEST(SpareTextTest, SmallRoom_StaysWhereItIs) {
  on_fresh_thread([] {
    std::string small(1'000, 'x');
    return_room(small);
    EXPECT_TRUE(small.empty());
    EXPECT_GE(small.capacity(), 1'000U);
  });
}

TEST(SpareTextTest, AThreadKeepsNoMoreThanAMegabyte_AndNothingHuge) {
  on_fresh_thread([] {
    std::string huge(1'000'000, 'x');
    return_room(huge);
    EXPECT_LT(huge.capacity(), 100U);
    std::vector<std::string> many(100, std::string(100'000, 'x'));
    for (std::string& text : many) return_room(text);
    std::size_t kept = 0;
    for (std::string text;; kept += text.capacity(), text = {}) {
      std::string{}.swap(text);
      lend_room(text);
      if (text.capacity() < 1'000) break;
    }
    EXPECT_GT(kept, 100'000U);
    EXPECT_LE(kept, 1024U * 1024U);
  });
}

}  // namespace
}  // namespace outrider
