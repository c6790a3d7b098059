#include "plugins/hyperscout/side_thread.hpp"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace outrider::hyperscout {
namespace {

TEST(SideThread, DoesEachThingInTheOrderOfTheirTimes_AndNothingAfterItsEnd) {
  SideThread side;
  const SideThread::Time now = std::chrono::steady_clock::now();
  std::promise<void> all_given, all_done;
  std::vector<int> done;
  side.at(now, [&] { all_given.get_future().wait(); });
  side.at(now + std::chrono::milliseconds{2}, [&] {
    done.push_back(2);
    all_done.set_value();
  });
  side.at(now + std::chrono::milliseconds{1}, [&] { done.push_back(1); });
  side.at(now + std::chrono::hours{1}, [&] { done.push_back(3); });
  all_given.set_value();
  all_done.get_future().wait();
  side.stop();
  side.at(now, [&] { done.push_back(4); });
  EXPECT_EQ(done, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace outrider::hyperscout
