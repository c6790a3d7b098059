#include "robot/strategies/strategy.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace outrider {
namespace {

struct Found {
  std::string name;
  Placement placement;
};

// Two pages are read one after the other; the second is deeper than the first.
std::vector<Found> found() {
  return {{"start", {1, 0, 0, 0, 0}},     {"a0", {2, 1, 0, 1, 0.1f}},   {"a1", {3, 1, 1, 1, 0.9f}},
          {"a2", {4, 1, 2, 1, 0.5f}},     {"b0", {5, 2, 0, 1, 0.7f}},   {"b1", {6, 2, 1, 1, 0}},
          {"deep0", {7, 3, 0, 2, 0.95f}}, {"deep1", {8, 3, 1, 2, 1e6f}}};
}

std::string order_of(QueueOrder order, std::uint64_t seed = 1) {
  const auto strategy = make_strategy(order, seed);
  std::map<std::string, std::string> sorted;
  for (const Found& each : found()) sorted[strategy->place(each.placement)] = each.name;
  std::string names;
  for (const auto& [key, name] : sorted) names += name + " ";
  EXPECT_EQ(sorted.size(), found().size()) << "two URLs at one place";
  return names;
}

TEST(Strategy, BreadthFirst_TakesWhatIsNearestThenWhatWasFoundFirst) {
  EXPECT_EQ(order_of(QueueOrder::breadth_first), "start a0 a1 a2 b0 b1 deep0 deep1 ");
}

TEST(Strategy, DepthFirst_TakesTheLinksOfTheLastPageInTheirOrder) {
  EXPECT_EQ(order_of(QueueOrder::depth_first), "deep0 deep1 b0 b1 a0 a1 a2 start ");
}

TEST(Strategy, FairBreadthFirst_LetsThePagesOfOneDepthTakeTurns) {
  EXPECT_EQ(order_of(QueueOrder::fair_breadth_first), "start a0 b0 a1 b1 a2 deep0 deep1 ");
}

TEST(Strategy, BestFirst_TakesTheGreatestScoreAndOfEqualOnesTheOldest) {
  EXPECT_EQ(order_of(QueueOrder::best_first), "deep1 deep0 a1 b0 a2 a0 start b1 ");
}

TEST(Strategy, Random_DependsOnTheSeedAlone) {
  EXPECT_EQ(order_of(QueueOrder::random, 1), order_of(QueueOrder::random, 1));
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) orders.insert(order_of(QueueOrder::random, seed));
  EXPECT_GT(orders.size(), 15u);
}

TEST(Strategy, NegativeAndAbsurdScoresComeLast) {
  const auto best = make_strategy(QueueOrder::best_first, 0);
  Placement good{9, 0, 0, 0, 0.5f}, bad{1, 0, 0, 0, -3.0f}, nothing{2, 0, 0, 0, std::nanf("")};
  EXPECT_LT(best->place(good), best->place(bad));
  EXPECT_LT(best->place(good), best->place(nothing));
}

}  // namespace
}  // namespace outrider
