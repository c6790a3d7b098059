#include "robot/page_watch.hpp"

#include "base/escape.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace outrider {
namespace {

namespace json = boost::json;
constexpr int kRecordVersion = 1;
using Kind = WatchReport::Kind;
using Millis = std::chrono::milliseconds;

std::int64_t to_millis(WallTime time) {
  return std::chrono::duration_cast<Millis>(time.time_since_epoch()).count();
}
WallTime from_millis(std::int64_t millis) {
  constexpr std::int64_t kYear3000 = 32'503'680'000'000;
  return WallTime{Millis{std::clamp<std::int64_t>(millis, 0, kYear3000)}};
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::first:
      return "first look";
    case Kind::same:
      return "unchanged";
    case Kind::changed:
      return "changed";
    case Kind::gone:
      return "gone";
    case Kind::back:
      return "back";
    case Kind::unreachable:
      return "unreachable";
  }
  return "?";
}

void PageWatch::observe(bool changed, WallTime now) {
  observations_.push_back({now, changed});
  if (observations_.size() > kMostObservations) observations_.erase(observations_.begin());
}

// Soon again, then less and less often; the estimate of its changes learns nothing from it.
WatchReport PageWatch::failed(const RobotSettings& settings, WallTime now) {
  failures_ = std::min(failures_ + 1, 32);
  Duration wait = rule_.fixed.value_or(settings.revisit_soonest);
  for (int i = 1; i < failures_ && wait < settings.revisit_latest; ++i) wait *= 2;
  next_ = now + std::chrono::duration_cast<WallTime::duration>(std::min(wait, settings.revisit_latest));
  return {Kind::unreachable, {}, next_, fmt::format("{} failures in a row", failures_)};
}

WatchReport PageWatch::look(const WatchLook& look, const RobotSettings& settings, WallTime now) {
  const bool is_gone = look.status == 404 || look.status == 410;
  const bool is_there = look.not_modified || (look.status >= 200 && look.status < 300);
  if (!is_gone && (!is_there || (look.not_modified && !known_))) return failed(settings, now);
  failures_ = 0;
  WatchReport report;
  if (is_gone) {
    report.kind = gone_ ? Kind::same : Kind::gone;
  } else {
    if (!look.not_modified) {
      const std::string_view text = utf8_prefix(look.text, kMostText);
      if (known_ && text != text_) report.diff = diff_texts(text_, text);
      text_ = text;
    }
    report.kind = !known_ ? Kind::first : gone_ ? Kind::back : report.diff.changed() ? Kind::changed : Kind::same;
    known_ = true;
  }
  gone_ = is_gone;
  observe(report.kind != Kind::same && report.kind != Kind::first, now);
  const RevisitPlan plan = plan_revisit(observations_, rule_, settings);
  next_ = report.next = plan.at;
  report.why_next = plan.reason;
  return report;
}

void PageWatch::set_every(std::optional<Duration> every, WallTime now) {
  rule_.fixed = every;
  if (every) next_ = std::min(next_, now + std::chrono::duration_cast<WallTime::duration>(*every));
}

std::string PageWatch::save() const {
  json::array observations;
  for (const Observation& each : observations_) observations.push_back(json::array{to_millis(each.at), each.changed});
  json::object record{
      {"v", kRecordVersion}, {"url", url_},           {"price", rule_.price},     {"weight", rule_.weight},
      {"gone", gone_},       {"failures", failures_}, {"next", to_millis(next_)}, {"looks", std::move(observations)}};
  if (known_) record["text"] = is_valid_utf8(text_) ? text_ : replace_invalid_utf8(text_);
  if (rule_.fixed) record["every"] = std::chrono::duration_cast<Millis>(*rule_.fixed).count();
  return json::serialize(record);
}

std::optional<PageWatch> PageWatch::load(std::string_view bytes) {
  boost::system::error_code code;
  const json::value value = json::parse(bytes, code);
  const json::object* record = code ? nullptr : value.if_object();
  if (record == nullptr) return std::nullopt;
  const auto number = [record](std::string_view key) -> std::int64_t {
    const json::value* found = record->if_contains(key);
    return found != nullptr && found->is_int64() ? found->get_int64() : 0;
  };
  const auto real = [record](std::string_view key, double otherwise) {
    const json::value* found = record->if_contains(key);
    const double read = found == nullptr ? otherwise : found->is_double() ? found->get_double() : otherwise;
    return std::clamp(read, 1e-6, 1e6);
  };
  const json::value* url = record->if_contains("url");
  if (number("v") != kRecordVersion || url == nullptr || !url->is_string()) return std::nullopt;
  RevisitRule rule;
  rule.price = real("price", rule.price);
  rule.weight = real("weight", rule.weight);
  constexpr std::int64_t kYear = 365ll * 24 * 3600 * 1000;
  if (record->contains("every")) rule.fixed = Millis{std::clamp<std::int64_t>(number("every"), 1000, kYear)};
  PageWatch watch(std::string(std::string_view(url->get_string())), rule);
  watch.next_ = from_millis(number("next"));
  watch.failures_ = static_cast<int>(std::clamp<std::int64_t>(number("failures"), 0, 32));
  const json::value* gone = record->if_contains("gone");
  watch.gone_ = gone != nullptr && gone->is_bool() && gone->get_bool();
  if (const json::value* text = record->if_contains("text"); text != nullptr && text->is_string()) {
    watch.text_ = utf8_prefix(std::string_view(text->get_string()), kMostText);
    watch.known_ = true;
  }
  if (const json::value* looks = record->if_contains("looks"); looks != nullptr && looks->is_array()) {
    for (const json::value& each : looks->get_array()) {
      const json::array* pair = each.if_array();
      if (pair == nullptr || pair->size() != 2 || !pair->at(0).is_int64() || !pair->at(1).is_bool()) continue;
      watch.observe(pair->at(1).get_bool(), from_millis(pair->at(0).get_int64()));
    }
  }
  return watch;
}

}  // namespace outrider
