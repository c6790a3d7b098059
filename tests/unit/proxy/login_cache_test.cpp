#include "proxy/login_cache.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace outrider {
namespace {

using namespace std::chrono_literals;

const SteadyTime kNow{std::chrono::hours{1}};

TEST(LoginCache, RemembersUntilItsTimeIsOver) {
  LoginCache cache{16};
  const Digest128 key{1, 2};
  EXPECT_FALSE(cache.find(key, kNow));
  cache.store(key, 7, kNow + 10s);
  EXPECT_EQ(cache.find(key, kNow), 7U);
  EXPECT_EQ(cache.find(key, kNow + 9s), 7U);
  EXPECT_FALSE(cache.find(key, kNow + 10s));
  EXPECT_FALSE(cache.find({1, 3}, kNow));
  EXPECT_FALSE(cache.find({2, 2}, kNow));
  cache.store(key, 8, kNow + 30s);
  EXPECT_EQ(cache.find(key, kNow + 20s), 8U);
}

TEST(LoginCache, FullBucket_ForgetsWhatEndsFirst) {
  LoginCache cache{4};
  for (std::uint64_t i = 1; i <= 5; ++i) cache.store({i, i}, static_cast<std::uint32_t>(i), kNow + i * 1s);
  EXPECT_FALSE(cache.find({1, 1}, kNow));
  for (std::uint64_t i = 2; i <= 5; ++i) EXPECT_EQ(cache.find({i, i}, kNow), i);
}

// Run under ThreadSanitizer too: readers never see a half-written entry.
TEST(LoginCache, ReadersAndWritersAtOnce) {
  LoginCache cache{8};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!stop) {
        for (std::uint64_t i = 1; i <= 64; ++i) {
          const auto value = cache.find({i, i * 3}, kNow);
          if (value) {
            ASSERT_EQ(*value, i);
          }
        }
      }
    });
  for (int round = 0; round < 2000; ++round) {
    const auto i = static_cast<std::uint32_t>(round % 64 + 1);
    cache.store({i, i * 3ULL}, i, kNow + 1s * (round + 1));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace outrider
