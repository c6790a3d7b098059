#include "robot/traps.hpp"

#include "robot/url_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace outrider {
namespace {

constexpr int kNearBits = 3;            // simhashes that differ in no more belong together
constexpr std::uint32_t kBurdens = 20;  // too big or too slow pages of a pattern that are put up with
constexpr std::size_t kMostLabels = 8;  // of a host name
constexpr int kOldestCalendar = 1900;
constexpr int kYearsAhead = 2;
constexpr std::size_t kRepeatsWhileGrowing = 2;

// The segment that is there most often, and how often.
std::pair<std::string_view, std::size_t> most_repeated(std::vector<std::string_view> parts) {
  std::sort(parts.begin(), parts.end());
  std::pair<std::string_view, std::size_t> most{{}, 0};
  std::size_t run = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    run = i > 0 && parts[i] == parts[i - 1] ? run + 1 : 1;
    if (run > most.second) most = {parts[i], run};
  }
  return most;
}

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

int year_of(WallTime time) {
  return static_cast<int>(std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(time)}.year());
}

}  // namespace

TrapDetector::TrapDetector(const RobotSettings& settings) : settings_(settings) {}

std::string TrapDetector::check_path(const Url& url, const Url* from) const {
  const auto segments = path_segments(url.pathname());
  if (segments.size() > static_cast<std::size_t>(settings_.max_path_depth)) {
    return fmt::format("trap: the path has {} folders", segments.size());
  }
  const auto [segment, times] = most_repeated(segments);
  // A page whose links lead into a copy of its own folder: wrong relative links, answered with the same page for ever.
  const bool growing =
      from != nullptr && from->host() == url.host() && url.pathname().size() > from->pathname().size() &&
      url.pathname().starts_with(folder_of(from->pathname())) && folder_of(from->pathname()).size() > 1;
  const auto most = static_cast<std::size_t>(settings_.max_repeated_segments);
  if (times > (growing ? std::min(most, kRepeatsWhileGrowing) : most)) {
    return fmt::format("trap: \"{}\" is in the path {} times{}", segment, times, growing ? ", and the path grows" : "");
  }
  return {};
}

std::string TrapDetector::check_shape(const Url& url, const Url* from, WallTime now) const {
  const std::string_view text = url.href_without_fragment();
  if (text.size() > settings_.max_url.bytes) return fmt::format("trap: the URL has {} bytes", text.size());
  if (std::string reason = check_path(url, from); !reason.empty()) return reason;
  if (const auto year = calendar_year(url); year && (*year > year_of(now) + kYearsAhead || *year < kOldestCalendar)) {
    return fmt::format("trap: a calendar that has come to the year {}", *year);
  }
  return {};
}

std::string TrapDetector::check_names(const Url& url) {
  if (url.host_kind() != HostKind::domain) return {};
  std::vector<std::string_view> labels;
  for (std::string_view rest = url.hostname(); !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    labels.push_back(rest.substr(0, dot));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  if (labels.size() > kMostLabels) return fmt::format("trap: a name of {} parts", labels.size());
  const auto [label, times] = most_repeated(labels);
  if (times > 2) return fmt::format("trap: \"{}\" is in the name {} times", label, times);
  const std::string_view domain = url.registrable_domain();
  if (domain.empty() || domain == url.hostname()) return {};
  auto found = domains_.find(std::string(domain));
  if (found == domains_.end()) {
    if (domains_.size() >= kMostDomains) return {};
    found = domains_.emplace(std::string(domain), Domain{}).first;
  }
  auto& hosts = found->second.hosts;
  const std::uint64_t host = hash(url.hostname());
  if (hosts.size() >= kHostsPerDomain && !hosts.contains(host)) {
    return fmt::format("trap: {} has more than {} names", domain, kHostsPerDomain);
  }
  if (names_ < kMostNames && hosts.insert(host).second) ++names_;
  return {};
}

std::string TrapDetector::check_session(const Url& url) {
  const auto bare = without_session_id(url);
  if (!bare) return {};
  const std::uint64_t id = hash(*bare);
  if (sessions_.contains(id)) return "trap: the same page with another session id";
  if (sessions_.size() >= kMostSessions) return "trap: too many URLs with session ids";
  sessions_.insert(id);
  return {};
}

std::string TrapDetector::check_pattern(const Url& url) {
  const std::string text = url_pattern(url);
  const std::uint64_t id = hash(text);
  const auto found = patterns_.find(id);
  if (found == patterns_.end()) {
    // A site of nothing but different words has as many patterns as pages. What has not repeated itself goes first.
    if (patterns_.size() >= kMostPatterns)
      std::erase_if(patterns_, [](const auto& each) { return each.second.urls <= 1; });
    if (patterns_.size() >= kMostPatterns) return {};
    patterns_[id].urls = 1;
    return {};
  }
  Pattern& pattern = found->second;
  const auto limit = static_cast<std::uint32_t>(settings_.duplicates_per_pattern);
  if (pattern.urls >= static_cast<std::uint64_t>(settings_.urls_per_pattern)) {
    return fmt::format("trap: {} URLs like {}", pattern.urls, text);
  }
  if (pattern.alike >= limit && pattern.alike * 10ull >= pattern.pages * 9ull) {
    return fmt::format("trap: {} of {} pages like {} look the same", pattern.alike, pattern.pages, text);
  }
  if (pattern.burdens >= kBurdens && pattern.burdens * 2 >= pattern.pages) {
    return fmt::format("trap: {} pages like {} were too big or too slow", pattern.burdens, text);
  }
  ++pattern.urls;
  return {};
}

std::string TrapDetector::check(const Url& url, const Url* from, WallTime now) {
  if (std::string reason = check_shape(url, from, now); !reason.empty()) return reason;
  if (std::string reason = check_names(url); !reason.empty()) return reason;
  if (std::string reason = check_session(url); !reason.empty()) return reason;
  return check_pattern(url);
}

void TrapDetector::fetched(const Url& url, const PageLook& look) {
  const auto found = patterns_.find(hash(url_pattern(url)));
  if (found == patterns_.end()) return;
  Pattern& pattern = found->second;
  ++pattern.pages;
  if (look.too_big || look.too_slow) ++pattern.burdens;
  if (look.simhash == 0) return;
  for (Cluster& cluster : pattern.clusters) {
    if (cluster.pages > 0 && std::popcount(cluster.simhash ^ look.simhash) <= kNearBits) {
      ++cluster.pages;
      ++pattern.alike;
      return;
    }
  }
  // A new look takes the place of the rarest one.
  auto rarest = std::min_element(pattern.clusters.begin(), pattern.clusters.end(),
                                 [](const Cluster& a, const Cluster& b) { return a.pages < b.pages; });
  *rarest = {look.simhash, 1};
}

RedirectChain::RedirectChain(const Url& first) {
  seen_.emplace_back(first.href_without_fragment());
}

std::string RedirectChain::follow(const Url& next) {
  const std::string_view target = next.href_without_fragment();
  if (std::find(seen_.begin(), seen_.end(), target) != seen_.end()) return "trap: the redirects go round in a circle";
  if (seen_.size() > kMost) return fmt::format("trap: more than {} redirects", kMost);
  seen_.emplace_back(target);
  return {};
}

}  // namespace outrider
