#include "base/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace outrider {
namespace {

[[noreturn]] void bug(std::string_view name, std::string_view what) {
  throw std::logic_error(fmt::format("metric {}: {}", name, what));
}

// Prometheus data model, without the colons, which are reserved for recording rules.
bool is_name(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

void check_labels(std::string_view metric, const Metrics::Labels& labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string& name = labels[i].first;
    if (!is_name(name) || name.starts_with("__") || name == "le" || name == "quantile")
      bug(metric, "bad label name " + name);
    if (i > 0 && labels[i - 1].first == name) bug(metric, "label twice: " + name);
  }
}

bool same_label_names(const Metrics::Labels& a, const Metrics::Labels& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

bool is_new(const auto& instrument) {
  return std::holds_alternative<std::monostate>(instrument);
}

}  // namespace

Buckets Buckets::latency() {
  return {{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}};
}

Buckets Buckets::bytes() {
  return exponential(256, 4, 11);
}

Buckets Buckets::exponential(double first, double factor, std::size_t count) {
  Buckets buckets;
  for (double bound = first; buckets.bounds.size() < count; bound *= factor) buckets.bounds.push_back(bound);
  return buckets;
}

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), buckets_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1)) {}

void Histogram::observe(double value) {
  if (std::isnan(value)) return;
  const auto bucket =
      std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();  // "le": equal is inside
  buckets_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

Histogram::Snapshot Histogram::snapshot() const {
  Snapshot now;
  for (std::size_t i = 0; i <= bounds_.size(); ++i) {
    now.buckets.push_back(buckets_[i].load(std::memory_order_relaxed));
    now.count += now.buckets.back();  // not a counter of its own, so that count and +Inf bucket always agree
  }
  now.sum = sum_.load(std::memory_order_relaxed);
  return now;
}

CallbackGauge::~CallbackGauge() {
  if (!slot_) return;
  const std::lock_guard lock(slot_->mutex);  // waits for a scrape that is calling it
  slot_->read = nullptr;
}

CallbackGauge& CallbackGauge::operator=(CallbackGauge&& other) noexcept {
  CallbackGauge released;
  released.slot_ = std::exchange(slot_, std::move(other.slot_));
  return *this;
}

Metrics::Metrics() = default;
Metrics::~Metrics() = default;

// Under mutex_.
Metrics::Series& Metrics::series(Type type, std::string_view name, std::string_view help, Labels labels) {
  if (!is_name(name)) bug(name, "bad name");
  if ((type == Type::counter) != name.ends_with("_total")) bug(name, "counters, and only they, end in _total");
  for (const std::string_view suffix : {"_bucket", "_sum", "_count"}) {
    if (name.ends_with(suffix)) bug(name, "the ending belongs to histograms' own series");
  }
  if (help.empty()) bug(name, "needs a help text");
  std::sort(labels.begin(), labels.end());
  check_labels(name, labels);

  Family& family = families_.try_emplace(std::string(name), Family{type, std::string(help), {}}).first->second;
  if (family.type != type) bug(name, "registered before with another type");
  if (family.help != help) bug(name, "registered before with another help text");
  for (Series& known : family.series) {
    if (known.labels == labels) return known;
    if (!same_label_names(known.labels, labels)) bug(name, "registered before with other label names");
  }
  return family.series.emplace_back(Series{std::move(labels), {}});
}

Counter& Metrics::counter(std::string_view name, std::string_view help, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  Series& found = series(Type::counter, name, help, labels);
  if (is_new(found.instrument)) found.instrument = std::make_unique<Counter>();
  return *std::get<std::unique_ptr<Counter>>(found.instrument);
}

Gauge& Metrics::gauge(std::string_view name, std::string_view help, const Labels& labels) {
  const std::lock_guard lock(mutex_);
  Series& found = series(Type::gauge, name, help, labels);
  if (is_new(found.instrument)) found.instrument = std::make_unique<Gauge>();
  auto* handle = std::get_if<std::unique_ptr<Gauge>>(&found.instrument);
  if (handle == nullptr) bug(name, "registered before with a callback");
  return **handle;
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, const Buckets& buckets,
                              const Labels& labels) {
  const auto& bounds = buckets.bounds;
  const bool rising = std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) == bounds.end();
  const bool finite = std::all_of(bounds.begin(), bounds.end(), [](double b) { return std::isfinite(b); });
  if (bounds.empty() || !rising || !finite) bug(name, "bucket bounds must be finite and rising");

  const std::lock_guard lock(mutex_);
  Series& found = series(Type::histogram, name, help, labels);
  if (is_new(found.instrument)) found.instrument = std::make_unique<Histogram>(bounds);
  auto& handle = std::get<std::unique_ptr<Histogram>>(found.instrument);
  if (!std::equal(bounds.begin(), bounds.end(), handle->bounds().begin(), handle->bounds().end())) {
    bug(name, "registered before with other buckets");
  }
  return *handle;
}

CallbackGauge Metrics::gauge_from(std::string_view name, std::string_view help, const Labels& labels,
                                  std::function<double()> read) {
  if (!read) bug(name, "callback missing");
  CallbackGauge handle;
  handle.slot_ = std::make_shared<CallbackGauge::Slot>();
  handle.slot_->read = std::move(read);

  const std::lock_guard lock(mutex_);
  Series& found = series(Type::gauge, name, help, labels);
  if (auto* earlier = std::get_if<std::shared_ptr<CallbackGauge::Slot>>(&found.instrument)) {
    const std::lock_guard slot_lock((*earlier)->mutex);
    if ((*earlier)->read) bug(name, "a callback for it is still alive");
  } else if (std::holds_alternative<std::unique_ptr<Gauge>>(found.instrument)) {
    bug(name, "registered before without a callback");
  }
  found.instrument = handle.slot_;
  return handle;
}

}  // namespace outrider
