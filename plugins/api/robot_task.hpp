// What the robot is asked to do, and what it tells about its work: values that plugins, the web API and the command
// line share. The port itself: robot.hpp. As JSON: robot_task_json.hpp.
#pragma once

#include "base/clock.hpp"

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

using TaskId = std::uint32_t;  // 0 = none; never given twice

// The numbers of these kinds are on disk: never change one, add at the end.
enum class TaskState : std::uint8_t {
  waiting = 0,   // for its time window, or to be repeated
  running = 1,   // has work, or work under way
  paused = 2,    // somebody said so; what is under way is finished
  finished = 3,  // everything that its limits allow has been done
  stopped = 4,   // somebody said so, for good
  expired = 5,   // nobody wants the results any more
  failed = 6,    // `why` says it
};

// Which links are followed. Hosts are compared with those of the start pages, folders with theirs.
enum class Restriction : std::uint8_t {
  all = 0,
  internal = 1,
  external = 2,  // only links that lead away from the site that they are on
  subdirectories = 3,
  hosts = 4,  // TaskSpec::hosts
};

// In which order a task's URLs are fetched. Between tasks it is always fair.
enum class QueueOrder : std::uint8_t {
  breadth_first = 0,
  depth_first = 1,
  fair_breadth_first = 2,  // of one depth: the first link of every page, then the second of every page …
  best_first = 3,          // by TaskSpec::score
  random = 4,
};

// What makes a URL good, for best_first.
enum class LinkScore : std::uint8_t {
  anchor = 0,     // how much of the topic is in the text of the link
  topic = 1,      // how near the page with the link is to the topic, and the text of the link
  in_degree = 2,  // how many pages of the task link to it
  opic = 3,       // how much of the start pages' worth flows to it along the links
};

enum class QueryPolicy : std::uint8_t { follow = 0, skip = 1 };  // URLs with a query string

// Why a URL was not fetched, or what became of it.
enum class Reason : std::uint8_t {
  none = 0,
  depth = 1,         // too far from the start
  restriction = 2,   // outside of what the task may visit
  scheme = 3,        // not http or https
  nofollow = 4,      // the link or its page says so
  robots = 5,        // robots.txt forbids it
  host_rule = 6,     // include_hosts, exclude_hosts
  path_rule = 7,     // include_paths, exclude_paths
  url_rule = 8,      // include, exclude (regular expressions)
  mime = 9,          // the answer is of a type that is not wanted
  extension = 10,    // of the path
  query = 11,        // it has a query string
  too_long = 12,     // the URL
  trap = 13,         // looks endless
  page_filter = 14,  // the page it is on was rejected
  link_filter = 15,
  content_seen = 16,  // the page it is on says the same as another one
  limit = 17,         // max_documents, max_bytes
  address = 18,       // the robot may not go there
  kind = 19,          // this kind of link is not followed: pictures, style sheets
  redirects = 20,     // too many in a row
  error = 21,         // it was asked for, in vain
  prefetch = 22,      // nobody asked for it, and so it is not loaded: robot/prefetch_guard.hpp
  forgotten = 23,     // somebody wanted it forgotten while it was queued
};

std::string_view to_string(TaskState state);
std::string_view to_string(Restriction restriction);
std::string_view to_string(QueueOrder order);
std::string_view to_string(LinkScore score);
std::string_view to_string(QueryPolicy policy);
std::string_view to_string(Reason reason);

constexpr std::int32_t kUnlimitedDepth = -1;

struct TaskSpec {
  std::string name;
  std::string owner;                     // who asked: a plugin, a user; "" = the person at the command line
  std::vector<std::string> start;        // URLs
  std::int32_t depth = kUnlimitedDepth;  // 0 = only the start pages
  Restriction restriction = Restriction::internal;
  std::vector<std::string> hosts;  // "www.example.com", "example.com:8080", ".example.com" (with all below)
  QueueOrder order = QueueOrder::breadth_first;
  LinkScore score = LinkScore::anchor;
  std::vector<std::string> topic;  // words, or whole sample texts
  std::int32_t priority = 0;       // −10 to 10: how much of the robot it gets, compared with other tasks
  bool interactive = false;        // somebody is waiting: before everything else
  bool head_only = false;
  std::uint64_t first_bytes = 0;  // ask for the beginning only; 0 = all
  bool obey_robots = true;
  bool follow_nofollow = false;
  bool follow_embedded = false;                 // pictures, style sheets, scripts as well
  bool follow_pagination = true;                // rel=next, rel=prev, although their number may be great
  bool follow_canonical = false;                // canonical, alternate and feed links
  bool check_memory = true;                     // a stored copy that is still fresh is good enough
  std::chrono::seconds refresh_older_than{-1};  // use stored copies up to this age, whatever HTTP says; −1 = by HTTP
  bool need_source = false;                     // whoever observes gets the bytes, too
  bool content_seen_test = false;               // do not follow the links of a page whose text is known already
  std::uint64_t max_documents = 0;              // 0 = no limit, here and below
  std::uint64_t max_bytes = 0;
  std::uint64_t max_page_size = 16ull << 20;  // the rest is cut off
  std::chrono::seconds max_time_per_document{60};
  std::uint32_t max_attempts = 3;  // of one URL, where the error may pass
  std::uint32_t max_url_length = 2048;
  WallTime expires{};                                               // epoch = never
  std::vector<std::string> include_hosts, exclude_hosts;            // like `hosts`
  std::vector<std::string> include_paths, exclude_paths;            // beginnings of paths
  std::vector<std::string> include, exclude;                        // regular expressions (RE2) for the whole URL
  std::vector<std::string> mime_types;                              // "text/html", "image/*"; empty = all are good
  std::vector<std::string> include_extensions, exclude_extensions;  // "pdf"
  QueryPolicy query = QueryPolicy::follow;
  std::vector<std::string> languages;     // pages in other languages lead no further; empty = all
  std::string text_match;                 // pages that do not hold this text lead no further
  double min_topic = 0;                   // nor those that are less near to `topic` (0 to 1, cosine of the words)
  bool skip_near_duplicates = false;      // nor those that say nearly the same as another one
  bool skip_soft_404 = false;             // nor those that say "not found", whatever their status
  bool skip_hubs = false;                 // nor lists of links to other sites
  std::vector<std::string> windows;       // "22:00-06:00" (UTC): works only then
  std::chrono::seconds repeat{0};         // from the beginning, so long after the last begin; 0 = once
  std::chrono::seconds revisit_every{0};  // … at this interval instead; 0 = by how often they change
  bool revisit = false;                   // pages are looked at again when they have probably changed; never finishes
  bool sitemaps = false;                  // start with the pages that the sitemaps of the start pages' hosts name, too
  // Nobody asked for these loads: each of them passes the prefetch guard. Robots and nofollow are always obeyed.
  bool prefetch = false;
  bool save_data = false;                // the browser asks to save data: the guard refuses everything
  std::vector<std::string> start_texts;  // of the links that lead to `start`, in its order: for the guard
  bool judged = false;                   // has judges of whoever submitted it: set by submit()
  // Not empty: what goes out for this task depends on nothing but what goes out for tasks with the same word: not on
  // what people visited, what is stored, or what was learnt for others (docs/decisions/0105-looks-are-kept-apart.md).
  std::string apart;
  bool keep = true;  // false: whoever observes hears what came, and nothing of it is remembered or stored

  bool operator==(const TaskSpec&) const = default;
};

// What is true at every instant:
//   checked = queued + filtered + seen_before
//   queued  = downloaded + cache_hits + failed + pending
//   filtered = the sum of `rejected`
struct TaskStatistics {
  std::uint64_t checked = 0;      // links and start URLs that were looked at
  std::uint64_t queued = 0;       // … of them were to be fetched
  std::uint64_t filtered = 0;     // … were rejected: see `rejected`
  std::uint64_t seen_before = 0;  // … had been decided upon already
  std::uint64_t downloaded = 0;   // an answer came from the origin, if only "not modified"
  std::uint64_t cache_hits = 0;   // an answer came from the store
  std::uint64_t failed = 0;       // no answer, or one of status 400 and above
  std::uint64_t pending = 0;      // not yet fetched; those under way included

  std::uint64_t not_modified = 0;            // of `downloaded`
  std::uint64_t redirects = 0;               // of `downloaded` and `cache_hits`
  std::uint64_t retries = 0;                 // fetches that were repeated
  std::uint64_t pages = 0;                   // results: answers 200 that the filters let pass
  std::uint64_t content_seen = 0;            // pages whose text was known already
  std::uint64_t bytes = 0;                   // of bodies, as they came
  std::uint64_t under_way = 0;               // of `pending`; not kept over a restart
  std::array<std::uint64_t, 32> rejected{};  // of `filtered`, by Reason

  bool holds() const {
    return checked == queued + filtered + seen_before && queued == downloaded + cache_hits + failed + pending &&
           pending <= queued && filtered == std::accumulate(rejected.begin(), rejected.end(), std::uint64_t{0});
  }
  bool operator==(const TaskStatistics&) const = default;
};

// One moment of a task's life.
struct TimelinePoint {
  WallTime at{};
  std::uint64_t fetched = 0, failed = 0, pending = 0, bytes = 0;
};

struct HostView {
  std::string host;
  std::uint64_t waiting = 0, under_way = 0;
  std::uint64_t fetched = 0, failed = 0;
};

struct TaskStatus {
  TaskId id = 0;
  TaskSpec spec;
  TaskState state = TaskState::waiting;
  std::string why;  // of failed and finished, in words
  WallTime arrived{}, started{}, ended{};
  TaskStatistics statistics;
  std::vector<TimelinePoint> timeline;
  std::vector<std::string> open_urls;  // under way
  std::vector<HostView> hosts;         // those that are in memory, busiest first
};

// What became of one URL in one task.
struct UrlFate {
  enum class State : std::uint8_t { unknown = 0, queued = 1, fetched = 2, failed = 3, rejected = 4 };
  State state = State::unknown;
  Reason reason = Reason::none;
  std::string detail;      // the rule, the status, the error
  std::int32_t depth = 0;  // remaining; kUnlimitedDepth
  std::uint32_t in_degree = 0;
};
std::string_view to_string(UrlFate::State state);

}  // namespace outrider
