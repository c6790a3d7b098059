#include "robot/robots_rules.hpp"

#include "base/utf8.hpp"

#include <fmt/format.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace outrider {
namespace {

namespace json = boost::json;
constexpr int kRecordVersion = 1;

WallTime::duration wall(Duration duration) {
  return std::chrono::duration_cast<WallTime::duration>(duration);
}
std::int64_t to_millis(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}
WallTime from_millis(std::int64_t millis) {
  constexpr std::int64_t kYear3000 = 32'503'680'000'000;
  return WallTime{std::chrono::milliseconds{std::clamp<std::int64_t>(millis, 0, kYear3000)}};
}

// 5 min, 10 min, 20 min … up to the lifetime.
Duration retry_in(int failures, Duration first, Duration lifetime) {
  Duration pause = first;
  for (int i = 1; i < failures && pause < lifetime; ++i) pause *= 2;
  return std::min(pause, lifetime);
}

}  // namespace

RobotsRules RobotsRules::after(const RobotsFetch& fetch, const RobotSettings& settings, WallTime now) const {
  RobotsRules next = *this;
  next.fetched_ = now;
  next.last_status_ = fetch.status;
  next.failure_.reset();
  const bool failed = fetch.status == 0 || fetch.status >= 500 || (fetch.status == 304 && rules_ == nullptr);
  next.ask_again_ = false;
  // Somebody did not want to wait until then: that is no further attempt, and keeps nobody else waiting longer.
  const bool early = failures_ > 0 && now < fetch_at_ && !fetch.for_good;
  if (failed && early) {
    if (state_ == RobotsState::nothing) next.failure_ = fetch.failure;
    return next;
  }
  if (failed) {
    next.failures_ = fetch.for_good ? std::max(failures_, kRobotsGiveUpAfter) : std::min(failures_ + 1, 1000);
    if (failing_since_ == WallTime{}) next.failing_since_ = now;
    next.fetch_at_ =
        now + wall(retry_in(fetch.for_good ? 1 : next.failures_, fetch.retry_first, settings.robots_lifetime));
    const bool long_ago = now - next.failing_since_ >= wall(settings.robots_unreachable);
    next.state_ = !long_ago ? RobotsState::nothing : rules_ ? RobotsState::rules : RobotsState::everything;
    if (!long_ago) next.failure_ = fetch.failure;
    return next;
  }
  next.failures_ = 0;
  next.failing_since_ = {};
  Duration lifetime = settings.robots_lifetime;
  if (fetch.max_age) lifetime = std::clamp<Duration>(*fetch.max_age, kRobotsRetryFirst, lifetime);
  next.fetch_at_ = now + wall(lifetime);
  if (fetch.status >= 200 && fetch.status < 300) {
    next.rules_ = std::make_shared<const RobotsTxt>(RobotsTxt::parse(fetch.body, settings.product));
    next.state_ = RobotsState::rules;
  } else if (fetch.status == 304) {
    next.state_ = RobotsState::rules;
  } else {
    next.rules_.reset();
    next.state_ = RobotsState::everything;
  }
  return next;
}

RobotsRules::Verdict RobotsRules::check(const Url& url) const {
  switch (state_) {
    case RobotsState::everything:
      return {true, {}};
    case RobotsState::unknown:
      return {false, "robots: robots.txt has not been read yet"};
    case RobotsState::nothing:
      if (last_status_ == 0) return {false, "robots: robots.txt cannot be reached"};
      return {false, fmt::format("robots: robots.txt is answered with {}", last_status_)};
    case RobotsState::rules:
      break;
  }
  const RobotsVerdict verdict = rules_->check(url);
  if (verdict.allowed) return {true, {}};
  return {false, "robots: " + rules_->describe(verdict)};
}

std::optional<Duration> RobotsRules::crawl_delay() const {
  return state_ == RobotsState::rules ? rules_->crawl_delay() : std::nullopt;
}

const std::vector<std::string>& RobotsRules::sitemaps() const {
  static const std::vector<std::string> kNone;
  return state_ == RobotsState::rules ? rules_->sitemaps() : kNone;
}

std::string RobotsRules::save(const RobotSettings& settings) const {
  json::object record{{"v", kRecordVersion},
                      {"state", static_cast<int>(state_)},
                      {"fetched", to_millis(fetched_)},
                      {"fetch_at", to_millis(fetch_at_)},
                      {"failing_since", to_millis(failing_since_)},
                      {"failures", failures_},
                      {"status", last_status_},
                      {"product", settings.product}};
  if (rules_) {
    const std::string text = rules_->to_text(settings.product);
    record["robots"] = is_valid_utf8(text) ? text : replace_invalid_utf8(text);
  }
  return json::serialize(record);
}

std::optional<RobotsRules> RobotsRules::load(std::string_view bytes, const RobotSettings& settings) {
  boost::system::error_code code;
  const json::value value = json::parse(bytes, code);
  if (code || !value.is_object()) return std::nullopt;
  const json::object& record = value.get_object();
  const auto number = [&record](std::string_view key) -> std::int64_t {
    const json::value* found = record.if_contains(key);
    return found != nullptr && found->is_int64() ? found->get_int64() : 0;
  };
  // The rules were picked for one name of the robot; under another one they have to be read anew.
  const json::value* product = record.if_contains("product");
  const bool same_name = product != nullptr && *product == json::value(settings.product);
  if (number("v") != kRecordVersion || !same_name) return std::nullopt;
  RobotsRules rules;
  rules.fetched_ = from_millis(number("fetched"));
  rules.fetch_at_ = from_millis(number("fetch_at"));
  rules.failing_since_ = from_millis(number("failing_since"));
  rules.failures_ = static_cast<int>(std::clamp<std::int64_t>(number("failures"), 0, 1000));
  rules.last_status_ = static_cast<int>(std::clamp<std::int64_t>(number("status"), 0, 999));
  if (const json::value* robots = record.if_contains("robots"); robots != nullptr && robots->is_string()) {
    rules.rules_ =
        std::make_shared<const RobotsTxt>(RobotsTxt::parse(std::string_view(robots->get_string()), settings.product));
  }
  const std::int64_t state = number("state");
  if (state < 0 || state > static_cast<int>(RobotsState::nothing)) return std::nullopt;
  rules.state_ = static_cast<RobotsState>(state);
  if (rules.state_ == RobotsState::rules && !rules.rules_) return std::nullopt;
  if (rules.state_ == RobotsState::nothing && rules.last_status_ == 0)
    rules.ask_again_ = true;  // why is not known any more
  return rules;
}

}  // namespace outrider
