// What is counted about every exchange, whether or not anybody looks.
#pragma once

#include "base/metrics.hpp"
#include "cache/exchange_response.hpp"

#include <array>
#include <optional>
#include <string>

namespace outrider {

class ExchangeCounters {
 public:
  explicit ExchangeCounters(Metrics& metrics)
      : bytes_in_(metrics.counter("outrider_request_body_bytes_total", "Body bytes received from clients.")),
        bytes_out_(metrics.counter("outrider_response_body_bytes_total", "Body bytes sent to clients.")),
        cache_not_asked_(seconds(metrics, "none")) {
    static constexpr std::array<const char*, 6> kClasses = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
    for (std::size_t i = 0; i < kClasses.size(); ++i)
      by_class_[i] = &metrics.counter("outrider_exchanges_total", "Finished exchanges by class of status.",
                                      {{"status", kClasses[i]}});
    for (std::size_t i = 0; i < seconds_.size(); ++i)
      seconds_[i] = &seconds(metrics, std::string{to_string(static_cast<CacheVerdict>(i))});
  }

  // `verdict`: absent = the cache was not asked (our own answers, tunnels, refusals).
  void finished(int status, std::uint64_t bytes_in, std::uint64_t bytes_out, Duration total,
                std::optional<CacheVerdict> verdict) {
    const int status_class = status / 100;
    by_class_[static_cast<std::size_t>(status_class >= 1 && status_class <= 5 ? status_class : 0)]->add();
    if (bytes_in != 0) bytes_in_.add(bytes_in);
    bytes_out_.add(bytes_out);
    (verdict ? *seconds_[static_cast<std::size_t>(*verdict)] : cache_not_asked_).observe(total);
  }

  std::uint64_t exchanges() const {
    std::uint64_t sum = 0;
    for (const Counter* counter : by_class_) sum += counter->value();
    return sum;
  }
  std::uint64_t bytes_in() const { return bytes_in_.value(); }
  std::uint64_t bytes_out() const { return bytes_out_.value(); }

 private:
  static Histogram& seconds(Metrics& metrics, std::string verdict) {
    return metrics.histogram("outrider_exchange_seconds",
                             "From a request's head to the end of its answer, by what the cache did.",
                             Buckets::latency(), {{"cache", std::move(verdict)}});
  }

  std::array<Counter*, 6> by_class_{};
  Counter& bytes_in_;
  Counter& bytes_out_;
  std::array<Histogram*, 6> seconds_{};
  Histogram& cache_not_asked_;
};

}  // namespace outrider
