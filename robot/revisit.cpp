#include "robot/revisit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace outrider {
namespace {

using Days = std::chrono::duration<double, std::ratio<86400>>;
constexpr std::size_t kEnoughIntervals = 4;  // fewer: step by step instead of by the estimate
constexpr int kHalvings = 200;               // of a bisection over all magnitudes of a double

struct Interval {
  double days = 0;
  bool changed = false;
};

std::vector<Interval> intervals_of(std::span<const Observation> observations) {
  std::vector<Interval> intervals;
  for (std::size_t i = 1; i < observations.size(); ++i) {
    const double days = Days(observations[i].at - observations[i - 1].at).count();
    if (days > 0) intervals.push_back({days, observations[i].changed});  // a clock may have been set back
  }
  return intervals;
}

// What a look brings when the last one is `days` ago; see the header. Grows with `days`, toward 1/rate.
double gain(double rate, double days) {
  const double x = rate * days;
  if (x < 1e-4) return rate * days * days / 2;  // the series: the difference below would cancel
  return (-std::expm1(-x) - x * std::exp(-x)) / rate;
}

// The zero of a falling function.
template <class F>
double bisect(double low, double high, F value) {
  for (int i = 0; i < kHalvings && high / low > 1.0 + 1e-9; ++i) {
    const double middle = std::sqrt(low * high);
    (value(middle) > 0 ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

Duration in_days(double days) {
  return std::chrono::duration_cast<Duration>(Days(std::min(days, 36'500.0)));
}

// Twice as often after a change, half as often after none: needs no estimate, and is never far off.
Duration adaptive_interval(std::span<const Observation> observations, const RobotSettings& settings) {
  double days = 1.0;
  for (const Interval& interval : intervals_of(observations)) days *= interval.changed ? 0.5 : 1.5;
  return std::clamp(in_days(days), settings.revisit_soonest, settings.revisit_latest);
}

double interval_days(const PageValue& page, double price, const RobotSettings& settings) {
  const double soonest = Days(settings.revisit_soonest).count(), latest = Days(settings.revisit_latest).count();
  return std::clamp(optimal_interval_days(page.changes_per_day, page.weight, price).value_or(latest), soonest, latest);
}

}  // namespace

ChangeRate estimate_change_rate(std::span<const Observation> observations) {
  const std::vector<Interval> intervals = intervals_of(observations);
  ChangeRate rate;
  rate.intervals = intervals.size();
  double all = 0, unchanged = 0;
  for (const Interval& interval : intervals) {
    all += interval.days;
    rate.changes += interval.changed;
    if (!interval.changed) unchanged += interval.days;
  }
  if (rate.changes == 0) return rate;
  unchanged += 0.5 * all / static_cast<double>(intervals.size());
  // d log L / dλ: falls from +∞ to −unchanged.
  rate.per_day = bisect(1e-9, 1e9, [&](double lambda) {
    double sum = -unchanged;
    for (const Interval& interval : intervals) {
      if (interval.changed) sum += interval.days / std::expm1(std::min(lambda * interval.days, 700.0));
    }
    return sum;
  });
  return rate;
}

std::optional<double> optimal_interval_days(double changes_per_day, double weight, double price) {
  if (changes_per_day <= 0 || weight <= 0) return std::nullopt;
  const double wanted = price / weight;
  if (wanted * changes_per_day >= 1.0) return std::nullopt;  // the gain never gets there
  return bisect(1e-9, 1e9, [&](double days) { return wanted - gain(changes_per_day, days); });
}

double price_for_budget(std::span<const PageValue> pages, double looks_per_day, const RobotSettings& settings) {
  return bisect(1e-9, 1e9, [&](double price) {
    double looks = 0;
    for (const PageValue& page : pages) looks += 1.0 / interval_days(page, price, settings);
    return looks - looks_per_day;
  });
}

RevisitPlan plan_revisit(std::span<const Observation> observations, const RevisitRule& rule,
                         const RobotSettings& settings) {
  if (observations.empty()) return {WallTime{}, "never looked at"};
  const WallTime last = observations.back().at;
  const auto after = [last](Duration wait) { return last + std::chrono::duration_cast<WallTime::duration>(wait); };
  if (rule.fixed) return {after(*rule.fixed), "at a fixed interval"};
  const ChangeRate rate = estimate_change_rate(observations);
  if (rate.intervals < kEnoughIntervals) {
    return {after(adaptive_interval(observations, settings)), "too few looks to know how often it changes"};
  }
  if (rate.changes == 0) {
    return {after(adaptive_interval(observations, settings)), fmt::format("unchanged at {} looks", rate.intervals)};
  }
  const std::string how_often = fmt::format("changes about {:.2g} times a day", rate.per_day);
  const auto days = optimal_interval_days(rate.per_day, rule.weight, rule.price);
  if (!days) return {after(settings.revisit_latest), how_often + ": too often to follow"};
  return {after(std::clamp(in_days(*days), settings.revisit_soonest, settings.revisit_latest)), how_often};
}

}  // namespace outrider
