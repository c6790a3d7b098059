#include "robot/revisit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const WallTime kStart{1'700'000'000s};

std::vector<Observation> looks(std::vector<std::pair<std::chrono::minutes, bool>> intervals) {
  std::vector<Observation> out{{kStart, false}};
  for (const auto& [length, changed] : intervals) out.push_back({out.back().at + length, changed});
  return out;
}

// A page that changes by a Poisson process, looked at in intervals drawn by `next_days`.
template <class Next>
std::vector<Observation> simulate(double per_day, int count, std::mt19937& random, Next next_days) {
  std::vector<Observation> out{{kStart, false}};
  for (int i = 0; i < count; ++i) {
    const double days = next_days();
    const bool changed = std::uniform_real_distribution<>()(random) > std::exp(-per_day * days);
    out.push_back({out.back().at + std::chrono::seconds{std::lround(days * 86400)}, changed});
  }
  return out;
}

TEST(ChangeRate, NothingSeen_NothingKnown) {
  EXPECT_EQ(estimate_change_rate({}).intervals, 0u);
  EXPECT_EQ(estimate_change_rate(looks({})).per_day, 0.0);
  EXPECT_EQ(estimate_change_rate(looks({{24h, false}, {24h, false}})).per_day, 0.0);
}

// Cho and Garcia-Molina: r = −log((n − X + 0.5) / (n + 0.5)) for regular intervals.
TEST(ChangeRate, RegularLooks_TheKnownFormula) {
  const auto observations = looks({{24h, true}, {24h, false}, {24h, true}, {24h, false}, {24h, false}});
  EXPECT_NEAR(estimate_change_rate(observations).per_day, -std::log(3.5 / 5.5), 1e-6);
}

TEST(ChangeRate, ChangedAtEveryLook_IsFinite) {
  const auto observations = looks({{24h, true}, {24h, true}, {24h, true}, {24h, true}});
  EXPECT_NEAR(estimate_change_rate(observations).per_day, -std::log(0.5 / 4.5), 1e-6);
}

// Counting changes per time would say less than half of the truth here: most looks come long after the change.
TEST(ChangeRate, IrregularLooks_AreEstimatedWithLittleBias) {
  std::mt19937 random(42);
  for (double truth : {0.1, 0.5, 2.0}) {
    double sum = 0;
    for (int run = 0; run < 400; ++run) {
      const auto observations =
          simulate(truth, 31, random, [&] { return std::uniform_real_distribution<>(0.1, 1.5)(random); });
      sum += estimate_change_rate(observations).per_day;
    }
    EXPECT_NEAR(sum / 400, truth, truth * 0.1) << truth;
  }
}

TEST(ChangeRate, ClockSetBack_IsSkipped) {
  std::vector<Observation> observations = looks({{24h, true}, {24h, false}, {24h, true}});
  observations[2].at = kStart;
  EXPECT_TRUE(std::isfinite(estimate_change_rate(observations).per_day));
}

TEST(Revisit, OptimalInterval_SolvesItsEquation) {
  const double days = optimal_interval_days(1.0, 1.0, 0.5).value();
  EXPECT_NEAR(1 - std::exp(-days) - days * std::exp(-days), 0.5, 1e-6);
  EXPECT_LT(optimal_interval_days(1.0, 2.0, 0.5).value(), days) << "worth more";
  EXPECT_FALSE(optimal_interval_days(10.0, 1.0, 0.5)) << "cannot be followed at this price";
  EXPECT_FALSE(optimal_interval_days(0.0, 1.0, 0.5));
  EXPECT_NEAR(optimal_interval_days(1e-6, 1.0, 0.5).value(), std::sqrt(2 * 0.5 / 1e-6), 1.0)
      << "the series for rare changes";
}

TEST(Revisit, Budget_IsSpentAndNotExceeded) {
  RobotSettings settings;
  std::vector<PageValue> pages;
  for (int i = 1; i <= 1000; ++i) pages.push_back({0.01 * i, 1.0});
  const double price = price_for_budget(pages, 200.0, settings);
  double visits = 0;
  for (const PageValue& page : pages) {
    const double days = optimal_interval_days(page.changes_per_day, page.weight, price).value_or(30.0);
    visits += 1.0 / std::clamp(days, 1.0 / 24, 30.0);
  }
  EXPECT_NEAR(visits, 200.0, 20.0);
}

// Cho and Garcia-Molina, "Effective page refresh policies", 2003: visiting in proportion to the change rate is worse
// than the optimum for the same number of looks.
TEST(Revisit, OptimumKeepsMoreFreshThanProportion) {
  RobotSettings settings;
  settings.revisit_soonest = 1min;
  std::vector<PageValue> pages;
  for (int i = 0; i < 100; ++i) pages.push_back({std::pow(10.0, -2 + i * 0.04), 1.0});  // 0.01 to 100 a day
  const double budget = 50.0;
  const double price = price_for_budget(pages, budget, settings);
  const auto freshness = [](double rate, double days) { return -std::expm1(-rate * days) / (rate * days); };
  double optimal = 0, proportional = 0, rates = 0;
  for (const PageValue& page : pages) rates += page.changes_per_day;
  for (const PageValue& page : pages) {
    const double days = optimal_interval_days(page.changes_per_day, 1.0, price).value_or(30.0);
    optimal += freshness(page.changes_per_day, std::min(days, 30.0));
    proportional += freshness(page.changes_per_day, rates / (budget * page.changes_per_day));
  }
  EXPECT_GT(optimal, proportional * 1.5);
}

TEST(Revisit, FixedInterval_IsKept) {
  RevisitRule rule;
  rule.fixed = 10min;
  EXPECT_EQ(plan_revisit(looks({{24h, true}}), rule, {}).at, kStart + 24h + 10min);
}

TEST(Revisit, FewLooks_StepByStep) {
  EXPECT_EQ(plan_revisit(looks({}), {}, {}).at, kStart + 24h);
  EXPECT_EQ(plan_revisit(looks({{24h, true}}), {}, {}).at, kStart + 36h);
  EXPECT_EQ(plan_revisit(looks({{24h, false}}), {}, {}).at, kStart + 60h);
}

TEST(Revisit, Plan_StaysWithinItsBounds) {
  RobotSettings settings;
  std::vector<std::pair<std::chrono::minutes, bool>> never(31, {24h, false}), always(31, {1h, true});
  const auto rest = looks(never);
  EXPECT_EQ(plan_revisit(rest, {}, settings).at, rest.back().at + settings.revisit_latest);
  RevisitRule cheap;
  cheap.price = 1e-6;
  const auto restless = looks(always);
  EXPECT_EQ(plan_revisit(restless, cheap, settings).at, restless.back().at + settings.revisit_soonest);
  EXPECT_EQ(plan_revisit(restless, {}, settings).at, restless.back().at + settings.revisit_latest)
      << "too often to follow";
}

}  // namespace
}  // namespace outrider
