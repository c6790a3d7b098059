#include "plugins/api/robot_task_json.hpp"

#include "base/url.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>

namespace outrider {
namespace {

namespace json = boost::json;

Error wrong(std::string_view key, std::string_view what) {
  return Error{ErrorKind::invalid_argument, Side::client, fmt::format("{}: {}", key, what)};
}

// --- one value each way

json::value write(const std::string& text) {
  return json::value(text);
}
json::value write(bool value) {
  return value;
}
template <std::integral T>
json::value write(T value) {
  return value;
}
json::value write(double value) {
  return value;
}
json::value write(const std::vector<std::string>& texts) {
  json::array all;
  for (const std::string& text : texts) all.emplace_back(text);
  return all;
}
json::value write(std::chrono::seconds value) {
  return value.count();
}
json::value write(WallTime at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}
template <class Kind>
requires std::is_enum_v<Kind> json::value write(Kind kind) {
  return json::value(to_string(kind));
}

bool read(const json::value& from, std::string& to) {
  if (!from.is_string()) return false;
  to.assign(from.get_string().begin(), from.get_string().end());
  return true;
}
bool read(const json::value& from, bool& to) {
  if (!from.is_bool()) return false;
  to = from.get_bool();
  return true;
}
template <std::integral T>
bool read(const json::value& from, T& to) {
  if (!from.is_int64() && !from.is_uint64()) return false;
  boost::system::error_code out_of_range;
  const T value = from.to_number<T>(out_of_range);
  if (out_of_range) return false;
  to = value;
  return true;
}
bool read(const json::value& from, double& to) {
  boost::system::error_code no_number;
  const auto value = from.to_number<double>(no_number);
  if (no_number) return false;
  to = value;
  return true;
}
bool read(const json::value& from, std::vector<std::string>& to) {
  if (!from.is_array()) return false;
  std::vector<std::string> all;
  for (const json::value& each : from.get_array()) {
    if (!read(each, all.emplace_back())) return false;
  }
  to = std::move(all);
  return true;
}
bool read(const json::value& from, std::chrono::seconds& to) {
  std::int64_t count = 0;
  if (!read(from, count)) return false;
  to = std::chrono::seconds{count};
  return true;
}
bool read(const json::value& from, WallTime& to) {
  std::int64_t count = 0;
  if (!read(from, count)) return false;
  to = WallTime{std::chrono::milliseconds{count}};
  return true;
}
template <class Kind>
requires std::is_enum_v<Kind>
bool read(const json::value& from, Kind& to) {
  if (!from.is_string()) return false;
  for (std::uint8_t i = 0; i < 32; ++i) {
    const Kind kind{i};
    if (to_string(kind) != "unknown" && to_string(kind) == from.get_string()) {
      to = kind;
      return true;
    }
  }
  return false;
}

// --- every key of a task, once, for both directions

template <class Spec, class Visit>
void each_key(Spec& s, Visit&& visit) {
  visit("name", s.name);
  visit("owner", s.owner);
  visit("start", s.start);
  visit("depth", s.depth);
  visit("restriction", s.restriction);
  visit("hosts", s.hosts);
  visit("order", s.order);
  visit("score", s.score);
  visit("topic", s.topic);
  visit("priority", s.priority);
  visit("interactive", s.interactive);
  visit("head_only", s.head_only);
  visit("first_bytes", s.first_bytes);
  visit("obey_robots", s.obey_robots);
  visit("follow_nofollow", s.follow_nofollow);
  visit("follow_embedded", s.follow_embedded);
  visit("follow_pagination", s.follow_pagination);
  visit("follow_canonical", s.follow_canonical);
  visit("check_memory", s.check_memory);
  visit("refresh_older_than", s.refresh_older_than);
  visit("need_source", s.need_source);
  visit("content_seen_test", s.content_seen_test);
  visit("max_documents", s.max_documents);
  visit("max_bytes", s.max_bytes);
  visit("max_page_size", s.max_page_size);
  visit("max_time_per_document", s.max_time_per_document);
  visit("max_attempts", s.max_attempts);
  visit("max_url_length", s.max_url_length);
  visit("expires", s.expires);
  visit("include_hosts", s.include_hosts);
  visit("exclude_hosts", s.exclude_hosts);
  visit("include_paths", s.include_paths);
  visit("exclude_paths", s.exclude_paths);
  visit("include", s.include);
  visit("exclude", s.exclude);
  visit("mime_types", s.mime_types);
  visit("include_extensions", s.include_extensions);
  visit("exclude_extensions", s.exclude_extensions);
  visit("query", s.query);
  visit("languages", s.languages);
  visit("text_match", s.text_match);
  visit("min_topic", s.min_topic);
  visit("skip_near_duplicates", s.skip_near_duplicates);
  visit("skip_soft_404", s.skip_soft_404);
  visit("skip_hubs", s.skip_hubs);
  visit("windows", s.windows);
  visit("repeat", s.repeat);
  visit("revisit", s.revisit);
  visit("revisit_every", s.revisit_every);
  visit("sitemaps", s.sitemaps);
  visit("prefetch", s.prefetch);
  visit("save_data", s.save_data);
  visit("start_texts", s.start_texts);
  visit("judged", s.judged);
  visit("apart", s.apart);
  visit("keep", s.keep);
}

template <class Statistics, class Visit>
void each_count(Statistics& s, Visit&& visit) {
  visit("checked", s.checked);
  visit("queued", s.queued);
  visit("filtered", s.filtered);
  visit("seen_before", s.seen_before);
  visit("downloaded", s.downloaded);
  visit("cache_hits", s.cache_hits);
  visit("failed", s.failed);
  visit("pending", s.pending);
  visit("not_modified", s.not_modified);
  visit("redirects", s.redirects);
  visit("retries", s.retries);
  visit("pages", s.pages);
  visit("content_seen", s.content_seen);
  visit("bytes", s.bytes);
  visit("under_way", s.under_way);
}

}  // namespace

json::object to_json(const TaskSpec& spec) {
  json::object out;
  each_key(spec, [&out](std::string_view key, const auto& value) { out[key] = write(value); });
  return out;
}

Result<void> update_from_json(TaskSpec& spec, const json::value& from) {
  if (!from.is_object()) return wrong("task", "must be an object");
  TaskSpec updated = spec;
  std::size_t known = 0;
  std::optional<Error> problem;
  each_key(updated, [&](std::string_view key, auto& value) {
    const json::value* found = from.get_object().if_contains(key);
    if (found == nullptr) return;
    ++known;
    if (!problem && !read(*found, value)) problem = wrong(key, "has a value of the wrong type or out of its range");
  });
  if (problem) return *problem;
  if (known != from.get_object().size()) {
    const json::object all = to_json(updated);
    for (const auto& [key, value] : from.get_object())
      if (!all.contains(key)) return wrong(key, "is not a parameter of a task");
  }
  spec = std::move(updated);
  return {};
}

Result<void> validate(const TaskSpec& spec) {
  if (spec.start.empty()) return wrong("start", "at least one URL is needed");
  for (const std::string& text : spec.start) {
    const Result<Url> url = Url::parse(text);
    if (!url) return wrong("start", fmt::format("\"{}\" is not a URL: {}", text, url.error().detail));
    if (!url->is_http()) return wrong("start", fmt::format("the robot does not speak {}", url->protocol()));
  }
  if (spec.depth < kUnlimitedDepth || spec.depth > 60'000) return wrong("depth", "must be −1 (no limit) to 60000");
  if (spec.priority < -10 || spec.priority > 10) return wrong("priority", "must be −10 to 10");
  if (spec.restriction == Restriction::hosts && spec.hosts.empty())
    return wrong("hosts", "are needed for restriction \"hosts\"");
  const bool by_topic = spec.score == LinkScore::anchor || spec.score == LinkScore::topic;
  if (spec.order == QueueOrder::best_first && by_topic && spec.topic.empty() && !spec.judged)
    return wrong("topic", "is needed to tell which link is best");
  if (!(spec.min_topic >= 0 && spec.min_topic <= 1)) return wrong("min_topic", "must be 0 to 1");
  if (spec.min_topic > 0 && spec.topic.empty()) return wrong("topic", "is needed for min_topic");
  if (spec.max_time_per_document <= std::chrono::seconds{0})
    return wrong("max_time_per_document", "must be at least one second");
  if (spec.max_attempts == 0 || spec.max_attempts > 100) return wrong("max_attempts", "must be 1 to 100");
  if (spec.max_page_size == 0 || spec.max_page_size > (1ull << 30))
    return wrong("max_page_size", "must be 1 byte to 1 GB");
  if (spec.max_url_length < 16 || spec.max_url_length > 65'000) return wrong("max_url_length", "must be 16 to 65000");
  if (spec.revisit && spec.repeat > std::chrono::seconds{0})
    return wrong("revisit", "and repeat exclude each other: one looks at pages, the other begins anew");
  if (spec.revisit_every < std::chrono::seconds{0}) return wrong("revisit_every", "must not be negative");
  if (spec.repeat < std::chrono::seconds{0}) return wrong("repeat", "must not be negative");
  for (const std::string& text : spec.windows)
    if (const Result<TimeWindow> window = parse_time_window(text); !window)
      return wrong("windows", window.error().detail);
  return {};
}

json::object to_json(const TaskStatistics& statistics) {
  json::object out;
  each_count(statistics, [&out](std::string_view key, std::uint64_t value) { out[key] = value; });
  json::object rejected;
  for (std::size_t i = 0; i < statistics.rejected.size(); ++i)
    if (statistics.rejected[i] != 0) rejected[to_string(static_cast<Reason>(i))] = statistics.rejected[i];
  out["rejected"] = std::move(rejected);
  return out;
}

Result<TaskStatistics> statistics_from_json(const json::value& from) {
  if (!from.is_object()) return wrong("statistics", "must be an object");
  TaskStatistics statistics;
  each_count(statistics, [&from](std::string_view key, std::uint64_t& value) {
    if (const json::value* found = from.get_object().if_contains(key)) read(*found, value);
  });
  const json::value* rejected = from.get_object().if_contains("rejected");
  if (rejected != nullptr && rejected->is_object()) {
    for (std::size_t i = 0; i < statistics.rejected.size(); ++i)
      if (const json::value* found = rejected->get_object().if_contains(to_string(static_cast<Reason>(i))))
        read(*found, statistics.rejected[i]);
  }
  return statistics;
}

json::object to_json(const TaskStatus& status) {
  json::object out{{"id", status.id},
                   {"state", to_string(status.state)},
                   {"why", status.why},
                   {"arrived", write(status.arrived)},
                   {"started", write(status.started)},
                   {"ended", write(status.ended)},
                   {"statistics", to_json(status.statistics)},
                   {"spec", to_json(status.spec)}};
  json::array timeline;
  for (const TimelinePoint& point : status.timeline)
    timeline.push_back(json::object{{"at", write(point.at)},
                                    {"fetched", point.fetched},
                                    {"failed", point.failed},
                                    {"pending", point.pending},
                                    {"bytes", point.bytes}});
  json::array hosts;
  for (const HostView& host : status.hosts)
    hosts.push_back(json::object{{"host", host.host},
                                 {"waiting", host.waiting},
                                 {"under_way", host.under_way},
                                 {"fetched", host.fetched},
                                 {"failed", host.failed}});
  out["timeline"] = std::move(timeline);
  out["hosts"] = std::move(hosts);
  out["open_urls"] = write(status.open_urls);
  return out;
}

json::object to_json(const UrlFate& fate) {
  return {{"state", to_string(fate.state)},
          {"reason", to_string(fate.reason)},
          {"detail", fate.detail},
          {"remaining_depth", fate.depth},
          {"in_degree", fate.in_degree}};
}

bool TimeWindow::contains(WallTime at) const {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(at.time_since_epoch()).count();
  const int now = static_cast<int>(((minutes % 1440) + 1440) % 1440);
  return begin <= end ? now >= begin && now < end : now >= begin || now < end;
}

Result<TimeWindow> parse_time_window(std::string_view text) {
  const auto bad = [text] {
    return Error{ErrorKind::invalid_argument, Side::client,
                 fmt::format("\"{}\" is not a time window such as 22:00-06:00", text)};
  };
  if (text.size() != 11 || text[2] != ':' || text[5] != '-' || text[8] != ':') return bad();
  const auto number = [text](std::size_t at) {
    const int tens = text[at] - '0', ones = text[at + 1] - '0';
    return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? 100 : tens * 10 + ones;
  };
  const auto minutes = [&number](std::size_t at) {
    const int hour = number(at), minute = number(at + 3);
    const bool valid = (hour < 24 && minute < 60) || (hour == 24 && minute == 0);
    return valid ? hour * 60 + minute : -1;
  };
  const TimeWindow window{minutes(0), minutes(6)};
  if (window.begin < 0 || window.end < 0) return bad();
  return window;
}

}  // namespace outrider
