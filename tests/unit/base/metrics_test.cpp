#include "base/metrics.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <cmath>
#include <stdexcept>
#include <thread>

namespace outrider {
namespace {

using namespace std::chrono_literals;

TEST(Metrics, SameNameAndLabels_GiveTheSameHandle) {
  Metrics metrics;
  Counter& get = metrics.counter("requests_total", "Requests.", {{"method", "GET"}, {"code", "200"}});
  Counter& same = metrics.counter("requests_total", "Requests.", {{"code", "200"}, {"method", "GET"}});
  Counter& post = metrics.counter("requests_total", "Requests.", {{"method", "POST"}, {"code", "200"}});
  EXPECT_EQ(&get, &same) << "the order of labels does not matter";
  EXPECT_NE(&get, &post);
}

TEST(Metrics, Handles_StayValidWhileOthersAreAdded) {
  Metrics metrics;
  Counter& first = metrics.counter("first_total", "First.");
  for (int i = 0; i < 1000; ++i) {
    metrics.counter("n" + std::to_string(i) + "_total", "Other.");
    metrics.counter("labelled_total", "Other.", {{"n", std::to_string(i)}});
  }
  first.add(3);
  EXPECT_EQ(metrics.counter("first_total", "First.").value(), 3u);
}

// Prometheus text exposition format 0.0.4: HELP, TYPE, then the samples of one family together.
TEST(Metrics, Prometheus_TextIsExact) {
  Metrics metrics;
  metrics.counter("b_total", "Things with \\ and\nnewline.", {{"path", "a\"b\\c\nd"}}).add(5);
  metrics.counter("b_total", "Things with \\ and\nnewline.", {{"path", "x"}}).add();
  metrics.gauge("a_level", "A level.").set(-4);
  Histogram& h = metrics.histogram("c_seconds", "Time.", Buckets{{0.1, 1}}, {{"kind", "k"}});
  h.observe(0.1);  // "le": the bound itself is inside
  h.observe(0.5);
  h.observe(7.0);
  EXPECT_EQ(metrics.to_prometheus(),
            "# HELP a_level A level.\n"
            "# TYPE a_level gauge\n"
            "a_level -4\n"
            "# HELP b_total Things with \\\\ and\\nnewline.\n"
            "# TYPE b_total counter\n"
            "b_total{path=\"a\\\"b\\\\c\\nd\"} 5\n"
            "b_total{path=\"x\"} 1\n"
            "# HELP c_seconds Time.\n"
            "# TYPE c_seconds histogram\n"
            "c_seconds_bucket{kind=\"k\",le=\"0.1\"} 1\n"
            "c_seconds_bucket{kind=\"k\",le=\"1\"} 2\n"
            "c_seconds_bucket{kind=\"k\",le=\"+Inf\"} 3\n"
            "c_seconds_sum{kind=\"k\"} 7.6\n"
            "c_seconds_count{kind=\"k\"} 3\n");
}

TEST(Metrics, Json_HasTheSameNumbers) {
  Metrics metrics;
  metrics.counter("b_total", "B.", {{"path", "x"}}).add(2);
  metrics.gauge("a_level", "A.").set(-4);
  metrics.histogram("c_seconds", "C.", Buckets{{1}}).observe(500ms);
  const boost::json::value expected = boost::json::parse(R"({
    "a_level": {"type": "gauge", "help": "A.", "samples": [{"labels": {}, "value": -4}]},
    "b_total": {"type": "counter", "help": "B.", "samples": [{"labels": {"path": "x"}, "value": 2}]},
    "c_seconds": {"type": "histogram", "help": "C.", "samples": [
      {"labels": {}, "count": 1, "sum": 0.5, "buckets": [{"le": 1.0, "count": 1}, {"le": "+Inf", "count": 0}]}]}})");
  EXPECT_EQ(metrics.to_json(), expected) << boost::json::serialize(metrics.to_json());
}

TEST(Metrics, Histogram_CountsExtremesAndIgnoresNaN) {
  Metrics metrics;
  Histogram& h = metrics.histogram("h", "H.", Buckets{{0, 10}});
  h.observe(-1.0);
  h.observe(1e300);
  h.observe(std::nan(""));
  EXPECT_EQ(h.snapshot().buckets, (std::vector<std::uint64_t>{1, 0, 1}));
  EXPECT_EQ(h.snapshot().count, 2u);
}

TEST(Metrics, BucketPresets_AreRising) {
  for (const Buckets& buckets : {Buckets::latency(), Buckets::bytes(), Buckets::exponential(1, 2, 20)}) {
    Metrics metrics;
    EXPECT_NO_THROW(metrics.histogram("h", "H.", buckets));
  }
  EXPECT_EQ(Buckets::bytes().bounds.back(), 256.0 * 1024 * 1024);
}

TEST(Metrics, CallbackGauge_IsReadAtScrapeWhileItsHandleLives) {
  Metrics metrics;
  double level = 1.5;
  {
    const CallbackGauge handle = metrics.gauge_from("level", "L.", {}, [&] { return level; });
    level = 2.5;
    EXPECT_NE(metrics.to_prometheus().find("level 2.5\n"), std::string::npos);
    EXPECT_THROW((void)metrics.gauge_from("level", "L.", {}, [] { return 0.0; }), std::logic_error) << "still alive";
  }
  EXPECT_EQ(metrics.to_prometheus(), "") << "without samples the family is not mentioned";
  CallbackGauge again = metrics.gauge_from("level", "L.", {}, [] { return 7.0; });
  EXPECT_NE(metrics.to_prometheus().find("level 7\n"), std::string::npos);
  again = CallbackGauge();
  EXPECT_EQ(metrics.to_prometheus(), "");
}

TEST(Metrics, CallbackGauge_MayOutliveTheRegistry) {
  CallbackGauge handle;
  {
    Metrics metrics;
    handle = metrics.gauge_from("level", "L.", {}, [] { return 1.0; });
  }
}

TEST(Metrics, CallbackGauge_ThatThrowsHasNoSample) {
  Metrics metrics;
  const auto bad = metrics.gauge_from("bad", "B.", {}, []() -> double { throw std::runtime_error("no"); });
  const auto nan = metrics.gauge_from("nan", "N.", {}, [] { return std::nan(""); });
  const auto inf = metrics.gauge_from("inf", "I.", {}, [] { return -HUGE_VAL; });
  EXPECT_EQ(metrics.to_prometheus(),
            "# HELP inf I.\n# TYPE inf gauge\ninf -Inf\n# HELP nan N.\n# TYPE nan gauge\nnan NaN\n");
  EXPECT_TRUE(metrics.to_json().at("nan").at("samples").at(0).at("value").is_null());
}

TEST(Metrics, WrongRegistrations_AreLogicErrors) {
  Metrics metrics;
  metrics.counter("a_total", "A.", {{"x", "1"}});
  metrics.gauge("g", "G.");
  metrics.histogram("h", "H.", Buckets{{1, 2}});
  EXPECT_THROW(metrics.counter("", "A."), std::logic_error);
  EXPECT_THROW(metrics.counter("1_total", "A."), std::logic_error);
  EXPECT_THROW(metrics.counter("a-b_total", "A."), std::logic_error);
  EXPECT_THROW(metrics.counter("requests", "A."), std::logic_error) << "counters end in _total";
  EXPECT_THROW(metrics.gauge("x_total", "A."), std::logic_error);
  EXPECT_THROW(metrics.gauge("x_bucket", "A."), std::logic_error);
  EXPECT_THROW(metrics.gauge("x", ""), std::logic_error);
  EXPECT_THROW(metrics.gauge("x", "X.", {{"le", "1"}}), std::logic_error);
  EXPECT_THROW(metrics.gauge("x", "X.", {{"__x", "1"}}), std::logic_error);
  EXPECT_THROW(metrics.gauge("x", "X.", {{"a", "1"}, {"a", "2"}}), std::logic_error);
  EXPECT_THROW(metrics.counter("a_total", "A.", {{"y", "1"}}), std::logic_error) << "other label names";
  EXPECT_THROW(metrics.counter("a_total", "B.", {{"x", "2"}}), std::logic_error) << "other help text";
  EXPECT_THROW(metrics.histogram("g", "G.", Buckets{{1}}), std::logic_error) << "other type";
  EXPECT_THROW((void)metrics.gauge_from("g", "G.", {}, [] { return 0.0; }), std::logic_error) << "not a callback";
  EXPECT_THROW((void)metrics.gauge_from("f", "F.", {}, nullptr), std::logic_error);
  EXPECT_THROW(metrics.histogram("h", "H.", Buckets{{1, 3}}), std::logic_error) << "other buckets";
  EXPECT_THROW(metrics.histogram("i", "I.", Buckets{{}}), std::logic_error);
  EXPECT_THROW(metrics.histogram("i", "I.", Buckets{{2, 1}}), std::logic_error);
  EXPECT_THROW(metrics.histogram("i", "I.", Buckets{{1, 1}}), std::logic_error);
  EXPECT_THROW(metrics.histogram("i", "I.", Buckets{{1, INFINITY}}), std::logic_error);
}

TEST(Metrics, ManyThreads_LoseNothing) {
  Metrics metrics;
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  std::atomic<bool> done{false};
  std::thread scraper([&] {
    while (!done) {
      EXPECT_NE(metrics.to_prometheus().size() + boost::json::serialize(metrics.to_json()).size(), 0u);
      const auto passing = metrics.gauge_from("passing", "P.", {}, [] { return 1.0; });
    }
  });
  std::vector<std::thread> workers;
  for (int t = 0; t < kThreads; ++t) {
    workers.emplace_back([&metrics, t] {
      Counter& counter = metrics.counter("c_total", "C.");
      Gauge& gauge = metrics.gauge("g", "G.", {{"thread", std::to_string(t)}});
      Histogram& histogram = metrics.histogram("h", "H.", Buckets{{1, 2}});
      for (int i = 0; i < kRounds; ++i) {
        counter.add();
        gauge.add(2);
        gauge.subtract();
        histogram.observe(i % 3 + 0.5);
      }
    });
  }
  for (auto& worker : workers) worker.join();
  done = true;
  scraper.join();
  EXPECT_EQ(metrics.counter("c_total", "C.").value(), static_cast<std::uint64_t>(kThreads * kRounds));
  EXPECT_EQ(metrics.gauge("g", "G.", {{"thread", "0"}}).value(), kRounds);
  const auto histogram = metrics.histogram("h", "H.", Buckets{{1, 2}}).snapshot();
  EXPECT_EQ(histogram.count, static_cast<std::uint64_t>(kThreads * kRounds));
}

}  // namespace
}  // namespace outrider
