// The two outputs of the registry: Prometheus text exposition format 0.0.4, and JSON.
#include "base/metrics.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <cmath>
#include <iterator>

namespace outrider {
namespace {

std::string escape(std::string_view text, bool in_quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && in_quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
  return out;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

// {code="200",le="0.5"}; `extra` is already written.
std::string label_set(const Metrics::Labels& labels, std::string_view extra = {}) {
  std::string out;
  for (const auto& [name, value] : labels)
    out += fmt::format("{}{}=\"{}\"", out.empty() ? "" : ",", name, escape(value, true));
  if (!extra.empty()) out += fmt::format("{}{}", out.empty() ? "" : ",", extra);
  return out.empty() ? out : "{" + out + "}";
}

boost::json::value json_number(double value) {
  if (!std::isfinite(value)) return nullptr;  // RFC 8259 has neither NaN nor infinity
  return value;
}

void append_histogram(std::string& out, std::string_view name, const Metrics::Labels& labels,
                      const std::vector<double>& bounds, const Histogram::Snapshot& now) {
  std::uint64_t below = 0;  // buckets are cumulative in this format
  for (std::size_t i = 0; i < now.buckets.size(); ++i) {
    below += now.buckets[i];
    const std::string bound = fmt::format("le=\"{}\"", i < bounds.size() ? number(bounds[i]) : "+Inf");
    fmt::format_to(std::back_inserter(out), "{}_bucket{} {}\n", name, label_set(labels, bound), below);
  }
  fmt::format_to(std::back_inserter(out), "{}_sum{} {}\n", name, label_set(labels), number(now.sum));
  fmt::format_to(std::back_inserter(out), "{}_count{} {}\n", name, label_set(labels), now.count);
}

boost::json::object json_histogram(const std::vector<double>& bounds, const Histogram::Snapshot& now) {
  boost::json::array buckets;
  for (std::size_t i = 0; i < now.buckets.size(); ++i) {
    buckets.push_back({{"le", i < bounds.size() ? boost::json::value(bounds[i]) : boost::json::value("+Inf")},
                       {"count", now.buckets[i]}});
  }
  return {{"count", now.count}, {"sum", json_number(now.sum)}, {"buckets", std::move(buckets)}};
}

}  // namespace

std::string_view Metrics::to_string(Type type) {
  return type == Type::counter ? "counter" : type == Type::gauge ? "gauge" : "histogram";
}

std::vector<Metrics::FamilySamples> Metrics::scrape() const {
  struct Pending {
    std::size_t family;
    Labels labels;
    std::shared_ptr<CallbackGauge::Slot> slot;
  };
  std::vector<FamilySamples> all;
  std::vector<Pending> callbacks;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, family] : families_) {
      FamilySamples& out = all.emplace_back(FamilySamples{name, family.type, family.help, {}, {}});
      for (const Series& series : family.series) {
        if (const auto* counter = std::get_if<std::unique_ptr<Counter>>(&series.instrument)) {
          out.samples.push_back({series.labels, (*counter)->value()});
        } else if (const auto* gauge = std::get_if<std::unique_ptr<Gauge>>(&series.instrument)) {
          out.samples.push_back({series.labels, (*gauge)->value()});
        } else if (const auto* histogram = std::get_if<std::unique_ptr<Histogram>>(&series.instrument)) {
          out.bounds.assign((*histogram)->bounds().begin(), (*histogram)->bounds().end());
          out.samples.push_back({series.labels, (*histogram)->snapshot()});
        } else if (const auto* slot = std::get_if<std::shared_ptr<CallbackGauge::Slot>>(&series.instrument)) {
          callbacks.push_back({all.size() - 1, series.labels, *slot});
        }
      }
    }
  }
  // Outside of the registry's lock: what a callback asks may wait for somebody who registers a metric.
  for (Pending& pending : callbacks) {
    const std::lock_guard lock(pending.slot->mutex);
    if (!pending.slot->read) continue;
    try {
      all[pending.family].samples.push_back({std::move(pending.labels), pending.slot->read()});
    } catch (const std::exception&) {  // a missing sample is how Prometheus knows that there is no value
    }
  }
  return all;
}

std::string Metrics::to_prometheus() const {
  std::string out;
  for (const FamilySamples& family : scrape()) {
    if (family.samples.empty()) continue;
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n", family.name, escape(family.help, false));
    fmt::format_to(std::back_inserter(out), "# TYPE {} {}\n", family.name, to_string(family.type));
    for (const Sample& sample : family.samples) {
      if (const auto* histogram = std::get_if<Histogram::Snapshot>(&sample.value)) {
        append_histogram(out, family.name, sample.labels, family.bounds, *histogram);
        continue;
      }
      std::string value;
      if (const auto* count = std::get_if<std::uint64_t>(&sample.value)) value = fmt::format("{}", *count);
      if (const auto* level = std::get_if<std::int64_t>(&sample.value)) value = fmt::format("{}", *level);
      if (const auto* real = std::get_if<double>(&sample.value)) value = number(*real);
      fmt::format_to(std::back_inserter(out), "{}{} {}\n", family.name, label_set(sample.labels), value);
    }
  }
  return out;
}

boost::json::value Metrics::to_json() const {
  boost::json::object all;
  for (const FamilySamples& family : scrape()) {
    boost::json::array samples;
    for (const Sample& sample : family.samples) {
      boost::json::object labels;
      for (const auto& [name, value] : sample.labels) labels[name] = value;
      boost::json::object entry;
      if (const auto* histogram = std::get_if<Histogram::Snapshot>(&sample.value)) {
        entry = json_histogram(family.bounds, *histogram);
      } else if (const auto* count = std::get_if<std::uint64_t>(&sample.value)) {
        entry["value"] = *count;
      } else if (const auto* level = std::get_if<std::int64_t>(&sample.value)) {
        entry["value"] = *level;
      } else {
        entry["value"] = json_number(std::get<double>(sample.value));
      }
      entry["labels"] = std::move(labels);
      samples.push_back(std::move(entry));
    }
    all[family.name] = {{"type", to_string(family.type)}, {"help", family.help}, {"samples", std::move(samples)}};
  }
  return all;
}

}  // namespace outrider
