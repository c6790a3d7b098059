#include "robot/host_pace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace outrider {
namespace {

constexpr int kRecordVersion = 1;
constexpr double kMostSlowdown = 16.0;
constexpr int kMostFailures = 32;
using Millis = std::chrono::milliseconds;

bool means_too_fast(const FetchOutcome& outcome) {
  return outcome.status == 429 || outcome.status == 503 || (outcome.status >= 400 && outcome.retry_after);
}

Duration scaled(Duration duration, double factor) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(duration) * factor);
}

}  // namespace

Duration HostPace::from_latency(const RobotSettings& settings) const {
  return std::min(scaled(latency_, settings.latency_factor), settings.longest_gap);
}

Duration HostPace::gap(const RobotSettings& settings) const {
  const Duration asked_for = std::min(crawl_delay_, settings.crawl_delay_cap);
  const Duration usual = std::max({settings.min_gap, asked_for, from_latency(settings)});
  return slowdown_ > 1.0 ? scaled(std::max<Duration>(usual, std::chrono::milliseconds{100}), slowdown_) : usual;
}

int HostPace::concurrency(const RobotSettings& settings) const {
  const bool one_at_a_time = crawl_delay_ > Duration::zero() || slowdown_ > 1.0 || failures_ > 0;
  return one_at_a_time ? 1 : static_cast<int>(settings.per_host);
}

std::string_view HostPace::reason(const RobotSettings& settings) const {
  if (failures_ > 0) return "paused after failures";
  if (slowdown_ > 1.0) return "the host asked us to slow down";
  const Duration asked_for = std::min(crawl_delay_, settings.crawl_delay_cap);
  if (asked_for >= std::max(settings.min_gap, from_latency(settings)) && asked_for > Duration::zero())
    return "Crawl-delay";
  return from_latency(settings) > settings.min_gap ? "slow answers" : "minimum gap";
}

HostPace::Begin HostPace::began(SteadyTime now, const RobotSettings& settings) {
  Begin begin{own_not_before_, {}};
  begin.after = own_not_before_ = not_before_ = std::max(own_not_before_, now + gap(settings));
  return begin;
}

void HostPace::give_back(const Begin& begin) {
  if (own_not_before_ == begin.after && not_before_ == begin.after) own_not_before_ = not_before_ = begin.before;
}

void HostPace::ended(const FetchOutcome& outcome, SteadyTime now, const RobotSettings& settings) {
  if (!outcome.cancelled) {
    if (outcome.latency > Duration::zero()) {
      latency_ = latency_ == Duration::zero() ? outcome.latency : (latency_ * 3 + outcome.latency) / 4;
    }
    const bool no_answer = outcome.status == 0;
    const bool server_error = outcome.status >= 500;
    if (means_too_fast(outcome)) slowdown_ = std::min(slowdown_ * 2.0, kMostSlowdown);
    if (means_too_fast(outcome) || no_answer || server_error) {
      failures_ = std::min(failures_ + 1, kMostFailures);
      // One page that makes a server stumble says little; a second one in a row says more.
      if (means_too_fast(outcome) || no_answer || failures_ > 1) pause(outcome, now, settings);
    } else {
      failures_ = 0;
      slowdown_ = std::max(1.0, slowdown_ * 0.9);
    }
  }
  // From the end of the request, so that no delay on the way lets two arrive closer together than the gap.
  if (concurrency(settings) == 1) own_not_before_ = std::max(own_not_before_, now + gap(settings));
  not_before_ = std::max(not_before_, own_not_before_);
}

void HostPace::pause(const FetchOutcome& outcome, SteadyTime now, const RobotSettings& settings) {
  Duration length = settings.backoff_first;
  for (int i = 1; i < failures_ && length < settings.backoff_longest; ++i) length *= 2;
  length = std::min(length, settings.backoff_longest);
  if (outcome.retry_after) length = std::max(length, std::min(*outcome.retry_after, settings.retry_after_cap));
  own_not_before_ = std::max(own_not_before_, now + length);
}

void HostPace::browser_asked(SteadyTime now, const RobotSettings& settings) {
  // What was due long ago is due now: the patience begins with the first request of a series.
  if (own_not_before_ == SteadyTime::min() || now - not_before_ > settings.longest_gap) {
    own_not_before_ = std::max(own_not_before_, now);
  }
  not_before_ = std::max(not_before_, std::min(now + gap(settings), own_not_before_ + settings.longest_gap));
}

void HostPace::forgive(SteadyTime now, const RobotSettings& settings) {
  failures_ = 0;
  slowdown_ = 1.0;
  own_not_before_ = not_before_ = std::min(not_before_, now + gap(settings));
}

std::string HostPace::save(const Moment& now) const {
  const auto wait = std::max(own_not_before_, now.steady) - now.steady;
  const WallTime until = now.wall + std::chrono::duration_cast<WallTime::duration>(wait);
  const auto millis = [](auto duration) { return std::chrono::ceil<Millis>(duration).count(); };
  return fmt::format("{} {} {} {} {} {}", kRecordVersion, millis(until.time_since_epoch()), millis(crawl_delay_),
                     millis(latency_), static_cast<int>(slowdown_ * 1000), failures_);
}

std::optional<HostPace> HostPace::load(std::string_view bytes, const Moment& now, const RobotSettings& settings) {
  std::array<std::int64_t, 6> fields{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) {
      if (!bytes.starts_with(' ')) return std::nullopt;
      bytes.remove_prefix(1);
    }
    const auto parsed = std::from_chars(bytes.data(), bytes.data() + bytes.size(), fields[i]);
    if (parsed.ec != std::errc{}) return std::nullopt;
    bytes.remove_prefix(static_cast<std::size_t>(parsed.ptr - bytes.data()));
  }
  const auto [version, until, crawl_delay, latency, slowdown, failures] = fields;
  if (version != kRecordVersion || !bytes.empty()) return std::nullopt;
  constexpr std::int64_t kMonth = 30ll * 24 * 3600 * 1000;
  HostPace pace;
  pace.crawl_delay_ = Millis{std::clamp<std::int64_t>(crawl_delay, 0, kMonth)};
  pace.latency_ = Millis{std::clamp<std::int64_t>(latency, 0, kMonth)};
  pace.slowdown_ = std::clamp(static_cast<double>(slowdown) / 1000.0, 1.0, kMostSlowdown);
  pace.failures_ = static_cast<int>(std::clamp<std::int64_t>(failures, 0, kMostFailures));
  const std::int64_t wall = std::chrono::duration_cast<Millis>(now.wall.time_since_epoch()).count();
  const Duration longest = std::max({pace.gap(settings), settings.backoff_longest, settings.retry_after_cap});
  const std::int64_t wait = std::clamp<std::int64_t>(until, 0, wall + kMonth) - wall;
  const Duration kept = std::clamp<Duration>(Millis{wait}, Duration::zero(), longest);
  pace.not_before_ = pace.own_not_before_ = now.steady + kept;
  return pace;
}

}  // namespace outrider
