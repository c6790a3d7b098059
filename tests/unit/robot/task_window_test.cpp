#include "robot/task_window.hpp"

#include "robot/strategies/strategy.hpp"
#include "tests/support/process.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace outrider {
namespace {

class TaskWindowTest : public ::testing::Test {
 protected:
  TaskWindowTest() : frontier_(std::move(*Frontier::open(directory_.path() / "robot"))) {}
  void enqueue(std::uint64_t from, std::uint64_t to, std::string_view host) {
    Frontier::Batch batch{*frontier_, 1};
    for (std::uint64_t number = from; number < to; ++number) {
      QueueEntry entry;
      entry.url = fmt::format("http://{}/{}", host, number);
      entry.id = frontier_->id_of(entry.url);
      append_rising(entry.key, number, 8);
      batch.enqueue(entry);
    }
    ASSERT_TRUE(batch.commit());
  }
  void add(std::uint64_t from, std::uint64_t count, const std::string& host) {
    enqueue(from, from + count, host);
    for (std::uint64_t number = from; number < from + count; ++number) {
      QueueEntry entry;
      entry.url = fmt::format("http://{}/{}", host, number);
      entry.id = frontier_->id_of(entry.url);
      append_rising(entry.key, number, 8);
      window_.add(std::move(entry));
    }
  }
  // As the robot does it: what was taken leaves the disk.
  std::string take() {
    while (window_.first() == nullptr || window_.size() < TaskWindow::kLow / 4)
      if (!window_.refill()) break;
    if (window_.first() == nullptr) return "";
    const QueueEntry entry = window_.take_first();
    Frontier::Batch batch{*frontier_, 1};
    batch.finish(entry, UrlFate::State::fetched, Reason::none, "");
    EXPECT_TRUE(batch.commit());
    window_.done(entry.key);
    return entry.url;
  }

  testing_support::TemporaryDirectory directory_;
  std::unique_ptr<Frontier> frontier_;
  std::set<std::string, std::less<>> closed_;
  TaskWindow window_{*frontier_, 1, [this](std::string_view host) { return !closed_.contains(host); }};
};

TEST_F(TaskWindowTest, AHostThatHasToWaitDoesNotFillTheWindow) {
  closed_.insert("http://slow.example");
  enqueue(0, 3 * TaskWindow::kHigh, "slow.example");
  enqueue(3 * TaskWindow::kHigh, 3 * TaskWindow::kHigh + 2, "other.example");
  EXPECT_EQ(take(), fmt::format("http://other.example/{}", 3 * TaskWindow::kHigh));
  EXPECT_LE(window_.size(), TaskWindow::kLane + 1);
  EXPECT_FALSE(window_.empty());
}

TEST_F(TaskWindowTest, WhatWasLeftOnDiskComesInItsOrderAndOnce) {
  enqueue(0, 5000, "one.example");
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(take(), fmt::format("http://one.example/{}", i));
  EXPECT_EQ(take(), "");
  EXPECT_TRUE(window_.empty());
}

TEST_F(TaskWindowTest, AHostThatOpensAgainIsServedCompletely) {
  closed_.insert("http://slow.example");
  enqueue(0, 3000, "slow.example");
  enqueue(3000, 3010, "other.example");
  std::set<std::string> taken;
  for (int i = 0; i < 10; ++i) taken.insert(take());
  EXPECT_EQ(take(), "");
  closed_.clear();
  window_.set_open("http://slow.example", true);
  for (int i = 0; i < 3000; ++i) taken.insert(take());
  EXPECT_EQ(taken.size(), 3010u);
  EXPECT_TRUE(window_.empty());
}

// A lane that ran short sets the mark back, and some of what is behind the mark is on disk alone.
TEST_F(TaskWindowTest, AWindowThatIsTooFullForgetsNothingThatIsOnDiskAlone) {
  constexpr std::size_t kLong = 1000, kTaken = TaskWindow::kLane / 2 + 1;
  EXPECT_FALSE(window_.refill());
  add(500'000, kLong, "long.example");  // more than a lane holds
  for (std::uint64_t host = 0; host < 39; ++host) add(1'000'000 + host * 400, 400, fmt::format("late{}.example", host));
  for (std::size_t i = 0; i < kTaken; ++i) ASSERT_EQ(take(), fmt::format("http://long.example/{}", 500'000 + i));
  for (std::uint64_t host = 0; host < 10; ++host) add(host * 100, 100, fmt::format("early{}.example", host));
  EXPECT_LE(window_.size(), TaskWindow::kHigh);
  std::set<std::string> rest;
  for (std::string url = take(); !url.empty(); url = take()) EXPECT_TRUE(rest.insert(url).second) << url;
  EXPECT_EQ(rest.size(), kLong - kTaken + 39 * 400 + 10 * 100);
  EXPECT_TRUE(window_.empty());
}

}  // namespace
}  // namespace outrider
