#include "proxy/exchange_id.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace outrider {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kStart{std::chrono::seconds{1'800'000'000}};

TEST(ExchangeIds, AreUniqueAndSortInTheOrderGiven) {
  ExchangeIds ids{kStart, 42};
  std::string last;
  for (int i = 0; i < 40'000; ++i) {  // crosses several carries of the base-32 digits
    const std::string id = ids.next().to_string();
    ASSERT_EQ(id.size(), ExchangeId::kLength);
    ASSERT_LT(last, id);
    last = id;
  }
}

TEST(ExchangeIds, LaterRunsSortBehindEarlierOnes) {
  ExchangeIds first{kStart, 0xffffffff};
  ExchangeIds second{kStart + 1s, 0};
  for (int i = 0; i < 1000; ++i) first.next();
  EXPECT_LT(first.next().view(), second.next().view());
}

TEST(ExchangeIds, RunsOfTheSameSecondDifferByChance) {
  ExchangeIds a{kStart, 1};
  ExchangeIds b{kStart, 2};
  EXPECT_NE(a.next().view(), b.next().view());
}

TEST(ExchangeIds, HaveOnlyLettersAndDigitsWhateverTheClockSays) {
  for (const WallTime start : {kStart, WallTime::min(), WallTime::max(), WallTime{}}) {
    ExchangeIds ids{start, 0xffffffff};
    const ExchangeId id = ids.next();
    EXPECT_EQ(id.view().find_first_not_of("0123456789abcdefghjkmnpqrstvwxyz"), std::string_view::npos) << id.view();
  }
}

TEST(ExchangeIds, AreUniqueAcrossThreads) {
  ExchangeIds ids{kStart, 7};
  std::vector<std::vector<ExchangeId>> given(4);
  std::vector<std::thread> threads;
  for (auto& mine : given)
    threads.emplace_back([&ids, &mine] {
      for (int i = 0; i < 5000; ++i) mine.push_back(ids.next());
    });
  for (std::thread& thread : threads) thread.join();
  std::set<ExchangeId> all;
  for (const auto& mine : given) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 20'000u);
}

TEST(ExchangeIds, FitWithoutAllocation) {
  const std::string text = ExchangeIds{kStart, 1}.next().to_string();
  const auto* object = reinterpret_cast<const char*>(&text);
  EXPECT_TRUE(text.data() >= object && text.data() < object + sizeof text);
}

}  // namespace
}  // namespace outrider
