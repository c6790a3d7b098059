// The names of the robot's kinds, as the API and the command line write them.
#include "plugins/api/robot_task.hpp"

#include <array>

namespace outrider {
namespace {

constexpr std::array<std::string_view, 7> kStates{"waiting", "running", "paused", "finished",
                                                  "stopped", "expired", "failed"};
constexpr std::array<std::string_view, 5> kRestrictions{"all", "internal", "external", "subdirs", "hosts"};
constexpr std::array<std::string_view, 5> kOrders{"breadth_first", "depth_first", "fair_breadth_first", "best_first",
                                                  "random"};
constexpr std::array<std::string_view, 4> kScores{"anchor", "topic", "in_degree", "opic"};
constexpr std::array<std::string_view, 2> kQueries{"follow", "skip"};
constexpr std::array<std::string_view, 24> kReasons{
    "none",         "depth", "restriction", "scheme", "nofollow",  "robots", "host_rule",   "path_rule",
    "url_rule",     "mime",  "extension",   "query",  "too_long",  "trap",   "page_filter", "link_filter",
    "content_seen", "limit", "address",     "kind",   "redirects", "error",  "prefetch",    "forgotten"};
constexpr std::array<std::string_view, 5> kFates{"unknown", "queued", "fetched", "failed", "rejected"};

template <class Names, class Kind>
std::string_view name_in(const Names& names, Kind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < names.size() ? names[index] : "unknown";  // written by a newer version
}

}  // namespace

std::string_view to_string(TaskState state) {
  return name_in(kStates, state);
}
std::string_view to_string(Restriction restriction) {
  return name_in(kRestrictions, restriction);
}
std::string_view to_string(QueueOrder order) {
  return name_in(kOrders, order);
}
std::string_view to_string(LinkScore score) {
  return name_in(kScores, score);
}
std::string_view to_string(QueryPolicy policy) {
  return name_in(kQueries, policy);
}
std::string_view to_string(Reason reason) {
  return name_in(kReasons, reason);
}
std::string_view to_string(UrlFate::State state) {
  return name_in(kFates, state);
}

}  // namespace outrider
