// What strangers write and the robot judges: URLs (patterns, traps, the prefetch guard), records of hosts, texts to
// compare.
#include "robot/host_pace.hpp"
#include "robot/prefetch_guard.hpp"
#include "robot/robots_rules.hpp"
#include "robot/text_diff.hpp"
#include "robot/traps.hpp"
#include "robot/url_pattern.hpp"
#include "robot/url_rules.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>

namespace {
using namespace outrider;

const RobotSettings kSettings;
const Moment kNow{SteadyTime{std::chrono::hours{1}}, WallTime{std::chrono::seconds{1'790'000'000}}};

void check_url(std::string_view text) {
  const auto url = Url::parse(text);
  if (!url || !url->is_http()) return;
  require(!url_pattern(*url).empty());
  if (const auto bare = without_session_id(*url)) require(bare->size() < url->href().size() + 2);
  TrapDetector traps(kSettings);
  traps.check(*url, &*url, kNow.wall);
  traps.fetched(*url, {});
  const PrefetchGuard guard(kSettings);
  const PrefetchVerdict verdict = guard.check({"GET", &*url, nullptr, false, false}, kNow.wall);
  require(verdict.allowed == verdict.reason.empty());
}

void check_records(std::string_view bytes) {
  if (const auto pace = HostPace::load(bytes, kNow, kSettings)) {
    require(pace->not_before() >= kNow.steady && pace->not_before() <= kNow.steady + kSettings.retry_after_cap);
    const auto again = HostPace::load(pace->save(kNow), kNow, kSettings);
    require(again && again->gap(kSettings) == pace->gap(kSettings));
  }
  if (const auto rules = RobotsRules::load(bytes, kSettings)) {
    require(RobotsRules::load(rules->save(kSettings), kSettings).has_value());
  }
}

void check_budget(std::string_view bytes) {
  PrefetchGuard guard(kSettings), again(kSettings);
  guard.load_budget(bytes, kNow.wall);
  again.load_budget(guard.save_budget(), kNow.wall);
}

void check_diff(std::string_view before, std::string_view after) {
  const TextDiff diff = diff_texts(before, after);
  std::size_t old_units = 0, new_units = 0;
  for (const DiffPart& part : diff.parts) {
    old_units += part.kind != DiffPart::Kind::added;
    new_units += part.kind != DiffPart::Kind::removed;
  }
  if (!diff.cut) require(old_units == diff_units(before).size() && new_units == diff_units(after).size());
  format_diff(diff);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  check_url(input);
  check_records(input);
  check_budget(input);
  check_diff(input.substr(0, size / 2), input.substr(size / 2));
  if (size < 500) static_cast<void>(UrlRules::parse({std::string(input)}));
  return 0;
}
