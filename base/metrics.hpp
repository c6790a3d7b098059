// Numbers about the program's work. A Metrics registry is created by the wiring and passed around; no globals.
//
//   Counter& hits = metrics.counter("outrider_cache_hits_total", "Answers from the cache.", {{"tier", "memory"}});
//   hits.add();                                            // any thread: one relaxed atomic add
//   Histogram& wait = metrics.histogram("outrider_connect_seconds", "Time to connect.", Buckets::latency());
//   auto open = metrics.gauge_from("outrider_pool_idle", "Idle connections.", {}, [&pool] { return double(pool.idle());
//   });
//
// Handles stay valid as long as the registry. Asking again for the same name and labels gives the same handle. Label
// values come from a small fixed set, never from traffic. A wrong name or a contradiction to an earlier registration is
// a bug: std::logic_error. Output: metrics_format.cpp.
#pragma once

#include "base/clock.hpp"

#include <boost/json/value.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace outrider {

inline constexpr std::size_t kCacheLine = 64;  // counters of different threads must not share one

class alignas(kCacheLine) Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class alignas(kCacheLine) Gauge {
 public:
  void set(std::int64_t n) { value_.store(n, std::memory_order_relaxed); }
  void add(std::int64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  void subtract(std::int64_t n = 1) { value_.fetch_sub(n, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Upper bounds of a histogram's buckets, rising; +Inf is implied.
struct Buckets {
  std::vector<double> bounds;
  static Buckets latency();  // seconds: 0.5 ms to 60 s
  static Buckets bytes();    // 256 B to 256 MiB
  static Buckets exponential(double first, double factor, std::size_t count);
};

class alignas(kCacheLine) Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);                                                      // NaN is ignored
  void observe(Duration d) { observe(std::chrono::duration<double>(d).count()); }  // in seconds

  struct Snapshot {
    std::vector<std::uint64_t> buckets;  // not cumulative; the last one is +Inf
    std::uint64_t count = 0;
    double sum = 0;
  };
  Snapshot snapshot() const;
  std::span<const double> bounds() const { return bounds_; }

 private:
  const std::vector<double> bounds_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> buckets_;
  std::atomic<double> sum_{0};
};

// Keeps a callback gauge alive. When it is destroyed the callback is not running and never runs again, so it may refer
// to whatever outlives the handle. Independent of the registry's lifetime.
class CallbackGauge {
 public:
  CallbackGauge() = default;
  CallbackGauge(CallbackGauge&& other) noexcept = default;
  CallbackGauge& operator=(CallbackGauge&& other) noexcept;
  ~CallbackGauge();

 private:
  friend class Metrics;
  struct Slot {
    std::mutex mutex;
    std::function<double()> read;  // empty: released
  };
  std::shared_ptr<Slot> slot_;
};

class Metrics {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter& counter(std::string_view name, std::string_view help, const Labels& labels = {});  // name_total
  Gauge& gauge(std::string_view name, std::string_view help, const Labels& labels = {});
  Histogram& histogram(std::string_view name, std::string_view help, const Buckets& buckets, const Labels& labels = {});

  // Read at each scrape, by the scraping thread: `read` must be thread-safe and quick. If it throws, the sample is left
  // out.
  [[nodiscard]] CallbackGauge gauge_from(std::string_view name, std::string_view help, const Labels& labels,
                                         std::function<double()> read);

  std::string to_prometheus() const;   // text exposition format 0.0.4
  boost::json::value to_json() const;  // {"name": {"type", "help", "samples": [{"labels", "value" | "count" …}]}}

 private:
  enum class Type : std::uint8_t { counter, gauge, histogram };
  using Instrument = std::variant<std::monostate, std::unique_ptr<Counter>, std::unique_ptr<Gauge>,
                                  std::unique_ptr<Histogram>, std::shared_ptr<CallbackGauge::Slot>>;
  struct Series {
    Labels labels;  // sorted by name
    Instrument instrument;
  };
  struct Family {
    Type type;
    std::string help;
    std::deque<Series> series;
  };
  // What a scrape found: one sample of a family.
  struct Sample {
    Labels labels;
    std::variant<std::uint64_t, std::int64_t, double, Histogram::Snapshot> value;
  };
  struct FamilySamples {
    std::string name;
    Type type;
    std::string help;
    std::vector<double> bounds;  // of a histogram
    std::vector<Sample> samples;
  };
  static std::string_view to_string(Type type);

  Series& series(Type type, std::string_view name, std::string_view help, Labels labels);
  std::vector<FamilySamples> scrape() const;

  mutable std::mutex mutex_;  // registration and scraping only, never the hot path
  std::map<std::string, Family, std::less<>> families_;
};

}  // namespace outrider
