// When to look at a page again. Changes are taken for a Poisson process: its rate is estimated from the looks that were
// taken (the robot's and the browser's revalidations alike), and the page is due when one more look is worth its price.
// Pure functions; time is passed in.
#pragma once

#include "base/clock.hpp"
#include "plugins/api/node.hpp"
#include "robot/settings.hpp"

#include <optional>
#include <span>
#include <string>

namespace outrider {

struct ChangeRate {
  double per_day = 0;
  std::size_t intervals = 0;  // between looks; few of them tell little
  std::size_t changes = 0;
};

// The estimator of Cho and Garcia-Molina ("Estimating frequency of change", 2003) for intervals of any length: maximum
// likelihood with half an interval of rest added, so that a page that changed at every look has a finite rate, and the
// bias of short series is small. Looks only tell that something changed, not how often; that is accounted for.
ChangeRate estimate_change_rate(std::span<const Observation> observations);

struct RevisitRule {
  std::optional<Duration> fixed;  // "every hour": nothing else matters
  // How many days of a fresh copy one look may cost: lower means more looks. price_for_budget() finds it.
  double price = 0.5;
  double weight = 1.0;  // of this page: what is read often is worth more
};

struct RevisitPlan {
  WallTime at{};
  std::string reason;  // "changes about 1.2 times a day"
};
RevisitPlan plan_revisit(std::span<const Observation> observations, const RevisitRule& rule,
                         const RobotSettings& settings);

// The time after a look at which another one is worth `price`: days of freshness that it buys, (1 − e^−λt)/λ − t·e^−λt,
// weighted. Nothing: never, the page changes faster than the price allows to follow.
std::optional<double> optimal_interval_days(double changes_per_day, double weight, double price);

// The price at which the pages together ask for so many looks a day. Pages as {changes per day, weight}.
struct PageValue {
  double changes_per_day = 0;
  double weight = 1.0;
};
double price_for_budget(std::span<const PageValue> pages, double looks_per_day, const RobotSettings& settings);

}  // namespace outrider
