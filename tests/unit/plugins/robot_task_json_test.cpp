#include "plugins/api/robot_task_json.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

namespace json = boost::json;

TaskSpec valid() {
  TaskSpec spec;
  spec.start = {"http://example.com/"};
  return spec;
}

std::string problem(const TaskSpec& spec) {
  const Result<void> verdict = validate(spec);
  return verdict ? "" : verdict.error().detail;
}

TEST(RobotTaskJson, EveryParameterSurvivesTheRoundTrip) {
  TaskSpec spec = valid();
  // Every value differs from its default, so that a key that is forgotten is noticed.
  spec.name = "n";
  spec.owner = "o";
  spec.depth = 3;
  spec.restriction = Restriction::hosts;
  spec.hosts = {"a", ".b"};
  spec.order = QueueOrder::best_first;
  spec.score = LinkScore::topic;
  spec.topic = {"t"};
  spec.priority = -4;
  spec.interactive = spec.head_only = spec.follow_nofollow = spec.follow_embedded = spec.follow_canonical = true;
  spec.skip_near_duplicates = spec.skip_soft_404 = spec.skip_hubs = spec.need_source = spec.content_seen_test = true;
  spec.obey_robots = spec.follow_pagination = spec.check_memory = false;
  spec.first_bytes = 1;
  spec.refresh_older_than = std::chrono::seconds{5};
  spec.max_documents = 6;
  spec.max_bytes = 7;
  spec.max_page_size = 8;
  spec.max_time_per_document = std::chrono::seconds{9};
  spec.max_attempts = 10;
  spec.max_url_length = 100;
  spec.expires = WallTime{std::chrono::milliseconds{1'700'000'000'123}};
  spec.include_hosts = {"1"};
  spec.exclude_hosts = {"2"};
  spec.include_paths = {"3"};
  spec.exclude_paths = {"4"};
  spec.include = {"5"};
  spec.exclude = {"6"};
  spec.mime_types = {"7"};
  spec.include_extensions = {"8"};
  spec.exclude_extensions = {"9"};
  spec.query = QueryPolicy::skip;
  spec.languages = {"de"};
  spec.text_match = "x";
  spec.min_topic = 0.25;
  spec.windows = {"22:00-06:00"};
  spec.repeat = std::chrono::seconds{86400};
  spec.revisit_every = std::chrono::seconds{3600};
  spec.revisit = spec.sitemaps = spec.prefetch = spec.save_data = spec.judged = true;
  spec.start_texts = {"Home"};
  spec.apart = "x";
  spec.keep = false;
  TaskSpec read;
  const Result<void> updated = update_from_json(read, json::parse(json::serialize(to_json(spec))));
  ASSERT_TRUE(updated) << updated.error().detail;
  EXPECT_EQ(read, spec);
  const json::object defaults = to_json(valid());
  for (const auto& [key, value] : to_json(spec)) {
    if (key == "start") continue;
    EXPECT_NE(value, defaults.at(key)) << key << " is not tested";
  }
}

TEST(RobotTaskJson, AbsentKeysKeepTheirValues) {
  TaskSpec spec = valid();
  spec.depth = 7;
  ASSERT_TRUE(update_from_json(spec, json::parse(R"({"priority": 2})")));
  EXPECT_EQ(spec.depth, 7);
  EXPECT_EQ(spec.priority, 2);
}

TEST(RobotTaskJson, UnknownKeysAndWrongTypesAreNamedAndChangeNothing) {
  TaskSpec spec = valid();
  const TaskSpec before = spec;
  for (const auto& [text, key] :
       std::vector<std::pair<std::string, std::string>>{{R"({"dept": 1})", "dept"},
                                                        {R"({"depth": "1"})", "depth"},
                                                        {R"({"depth": 5000000000})", "depth"},
                                                        {R"({"max_bytes": -1})", "max_bytes"},
                                                        {R"({"restriction": "some"})", "restriction"},
                                                        {R"({"restriction": "unknown"})", "restriction"},
                                                        {R"({"priority": 3, "hosts": ["a", 1]})", "hosts"},
                                                        {R"([])", "task"}}) {
    const Result<void> updated = update_from_json(spec, json::parse(text));
    ASSERT_FALSE(updated) << text;
    EXPECT_TRUE(updated.error().detail.starts_with(key + ":")) << updated.error().detail;
    EXPECT_EQ(spec, before);
  }
}

TEST(RobotTaskJson, WhatTheRobotCannotDoIsRefused) {
  EXPECT_EQ(problem(valid()), "");
  TaskSpec spec;
  EXPECT_TRUE(problem(spec).starts_with("start:"));
  spec.start = {"ftp://example.com/"};
  EXPECT_TRUE(problem(spec).starts_with("start:"));
  spec = valid();
  spec.restriction = Restriction::hosts;
  EXPECT_TRUE(problem(spec).starts_with("hosts:"));
  spec = valid();
  spec.order = QueueOrder::best_first;
  EXPECT_TRUE(problem(spec).starts_with("topic:"));
  spec.score = LinkScore::in_degree;
  EXPECT_EQ(problem(spec), "");
  spec = valid();
  spec.windows = {"22:00-6:00"};
  EXPECT_TRUE(problem(spec).starts_with("windows:"));
  spec = valid();
  spec.depth = -2;
  EXPECT_TRUE(problem(spec).starts_with("depth:"));
}

TEST(RobotTaskJson, StatisticsSurviveTheRoundTrip) {
  TaskStatistics statistics;
  statistics.checked = 10;
  statistics.queued = 5;
  statistics.filtered = 3;
  statistics.seen_before = 2;
  statistics.downloaded = statistics.cache_hits = statistics.failed = 1;
  statistics.pending = 2;
  statistics.bytes = 1ull << 40;
  statistics.rejected[static_cast<std::size_t>(Reason::robots)] = 3;
  EXPECT_TRUE(statistics.holds());
  const auto read = statistics_from_json(json::parse(json::serialize(to_json(statistics))));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, statistics);
}

TEST(TimeWindow, MayGoOverMidnight) {
  const auto at = [](int hour, int minute) {
    return WallTime{std::chrono::hours{24 * 1000 + hour} + std::chrono::minutes{minute}};
  };
  const TimeWindow night = *parse_time_window("22:00-06:00");
  EXPECT_TRUE(night.contains(at(22, 0)));
  EXPECT_TRUE(night.contains(at(5, 59)));
  EXPECT_FALSE(night.contains(at(6, 0)));
  const TimeWindow day = *parse_time_window("06:00-22:00");
  EXPECT_FALSE(day.contains(at(5, 59)));
  EXPECT_TRUE(day.contains(at(6, 0)));
  EXPECT_TRUE(parse_time_window("00:00-24:00")->contains(at(23, 59)));
  for (const char* bad : {"", "24:01-03:00", "aa:00-03:00", "2200-0600", "22:00-06:60"})
    EXPECT_FALSE(parse_time_window(bad)) << bad;
}

}  // namespace
}  // namespace outrider
