#include "proxy/exchange_feed.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace outrider {
namespace {

ExchangeRecord numbered(int number) {
  ExchangeRecord record;
  record.status = number;
  return record;
}

std::vector<int> numbers(const ExchangeFeed::Subscription::Batch& batch) {
  std::vector<int> found;
  for (const ExchangeFeed::Event& event : batch.events) found.push_back(event->status);
  return found;
}

TEST(ExchangeFeed, WithoutListenersNothingIsWantedOrKept) {
  ExchangeFeed feed;
  EXPECT_FALSE(feed.wanted());
  feed.publish(numbered(1));
  auto late = feed.subscribe();
  EXPECT_TRUE(feed.wanted());
  EXPECT_TRUE(late.poll().events.empty());
}

TEST(ExchangeFeed, EverySubscriberSeesEveryEventInOrder) {
  ExchangeFeed feed;
  auto first = feed.subscribe();
  feed.publish(numbered(1));
  auto second = feed.subscribe();
  feed.publish(numbered(2));
  feed.publish(numbered(3));
  EXPECT_EQ(numbers(first.poll()), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(numbers(second.poll()), (std::vector<int>{2, 3}));
  EXPECT_TRUE(first.poll().events.empty());
  feed.publish(numbered(4));
  EXPECT_EQ(numbers(first.poll()), (std::vector<int>{4}));
}

TEST(ExchangeFeed, PollIsBoundedAndGoesOnWhereItStopped) {
  ExchangeFeed feed;
  auto subscription = feed.subscribe();
  for (int i = 0; i < 5; ++i) feed.publish(numbered(i));
  EXPECT_EQ(numbers(subscription.poll(2)), (std::vector<int>{0, 1}));
  EXPECT_EQ(numbers(subscription.poll(2)), (std::vector<int>{2, 3}));
  EXPECT_EQ(numbers(subscription.poll(2)), (std::vector<int>{4}));
  EXPECT_TRUE(subscription.poll(0).events.empty());
}

TEST(ExchangeFeed, SlowSubscriberLosesTheOldestAndIsTold) {
  ExchangeFeed feed{{.events = 4, .bytes = 1 << 20}};
  auto slow = feed.subscribe();
  auto quick = feed.subscribe();
  for (int i = 0; i < 10; ++i) {
    feed.publish(numbered(i));
    const auto batch = quick.poll();
    EXPECT_EQ(batch.lost, 0u);
    EXPECT_EQ(numbers(batch), std::vector<int>{i});
  }
  const auto batch = slow.poll();
  EXPECT_EQ(batch.lost, 6u);
  EXPECT_EQ(numbers(batch), (std::vector<int>{6, 7, 8, 9}));
  EXPECT_EQ(slow.poll().lost, 0u) << "told once";
}

TEST(ExchangeFeed, LargeRecordsAreBoundedByBytes) {
  ExchangeFeed feed{{.events = 1000, .bytes = 100'000}};
  auto subscription = feed.subscribe();
  for (int i = 0; i < 50; ++i) {
    ExchangeRecord record = numbered(i);
    record.url.assign(16 * 1024, 'u');
    feed.publish(std::move(record));
  }
  const auto batch = subscription.poll();
  std::size_t bytes = 0;
  for (const auto& event : batch.events) bytes += event->memory();
  EXPECT_LE(bytes, 100'000u);
  EXPECT_EQ(batch.lost + batch.events.size(), 50u);
  EXPECT_EQ(batch.events.back()->status, 49);
}

TEST(ExchangeFeed, ARecordLargerThanTheLimitStillPasses) {
  ExchangeFeed feed{{.events = 10, .bytes = 10}};
  auto subscription = feed.subscribe();
  feed.publish(numbered(1));
  EXPECT_EQ(numbers(subscription.poll()), std::vector<int>{1});
}

TEST(ExchangeFeed, LastListenerTakesTheMemoryWithIt) {
  ExchangeFeed feed;
  std::weak_ptr<const ExchangeRecord> watched;
  {
    auto first = feed.subscribe();
    feed.publish(numbered(1));
    watched = first.poll().events.at(0);
    EXPECT_FALSE(watched.expired());
    auto moved = std::move(first);
    auto second = feed.subscribe();
    moved = std::move(second);
    EXPECT_TRUE(feed.wanted());
  }
  EXPECT_FALSE(feed.wanted());
  EXPECT_TRUE(watched.expired());
  auto again = feed.subscribe();
  feed.publish(numbered(2));
  const auto batch = again.poll();
  EXPECT_EQ(batch.lost, 0u);
  EXPECT_EQ(numbers(batch), std::vector<int>{2});
}

TEST(ExchangeFeed, SubscriptionMayOutliveTheFeed) {
  auto feed = std::make_unique<ExchangeFeed>();
  auto subscription = feed->subscribe();
  feed->publish(numbered(1));
  feed.reset();
  EXPECT_EQ(numbers(subscription.poll()), std::vector<int>{1});
}

// For ThreadSanitizer: publishers, a lasting subscriber, and ones that come and go.
TEST(ExchangeFeed, ManyThreadsLoseNothingButWhatTheyAreTold) {
  constexpr int kPublishers = 3, kEach = 4000;
  ExchangeFeed feed{{.events = 256, .bytes = 1 << 20}};
  auto subscription = feed.subscribe();
  std::atomic<int> running{kPublishers};
  std::vector<std::thread> threads;
  for (int t = 0; t < kPublishers; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i)
        if (feed.wanted()) feed.publish(numbered(i));
      --running;
    });
  threads.emplace_back([&] {
    while (running > 0) feed.subscribe().poll();
  });
  std::uint64_t seen = 0;
  for (bool last = false; !last;) {
    last = running == 0;
    const auto batch = subscription.poll();
    seen += batch.events.size() + batch.lost;
  }
  for (std::thread& thread : threads) thread.join();
  for (auto batch = subscription.poll(); !batch.events.empty(); batch = subscription.poll())
    seen += batch.events.size() + batch.lost;
  EXPECT_EQ(seen, static_cast<std::uint64_t>(kPublishers * kEach));
}

TEST(ExchangeFeed, EventsAreNumbered_AndOneCanGoOnBehindANumber) {
  ExchangeFeed feed;
  auto first = feed.subscribe();
  for (int i = 1; i <= 4; ++i) feed.publish(numbered(i));
  const auto batch = first.poll();
  ASSERT_EQ(batch.events.size(), 4U);
  EXPECT_EQ(batch.events[1]->shown->number, 2U);
  EXPECT_EQ(numbers(feed.subscribe_after(2).poll()), (std::vector<int>{3, 4}));
  EXPECT_TRUE(feed.subscribe_after(99).poll().events.empty());
}

TEST(ExchangeFeed, WhoComesBackTooLate_IsToldWhatIsLost) {
  ExchangeFeed feed{{.events = 2, .bytes = 1 << 20}};
  auto first = feed.subscribe();
  for (int i = 1; i <= 5; ++i) feed.publish(numbered(i));
  const auto batch = feed.subscribe_after(1).poll();
  EXPECT_EQ(batch.lost, 2U);
  EXPECT_EQ(numbers(batch), (std::vector<int>{4, 5}));
}

}  // namespace
}  // namespace outrider
