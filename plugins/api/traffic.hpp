// The port to live traffic: every finished exchange, for whoever watches at this moment. While nobody watches nothing
// is recorded. Any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace outrider {

struct TrafficEvent {
  std::uint64_t number = 0;  // counts up while the program runs
  std::string host, method, client;
  std::string cache;  // verdict: "hit", "miss" …
  int status = 0;
  std::string json;  // all about it as one object on one line: written once, whoever watches
};

struct TrafficBatch {
  std::vector<std::shared_ptr<const TrafficEvent>> events;  // oldest first
  std::uint64_t lost = 0;                                   // before these: this watcher was too slow, or came too late
};

class TrafficWatch {
 public:
  virtual ~TrafficWatch() = default;
  virtual TrafficBatch poll(std::size_t most) = 0;  // one thread at a time; does not wait
};

struct TrafficTotals {
  std::uint64_t exchanges = 0, bytes_in = 0, bytes_out = 0;
  std::uint64_t from_cache = 0, from_origin = 0;
  std::uint64_t connections = 0;  // open at the moment
};

class Traffic {
 public:
  virtual ~Traffic() = default;
  // From now on, or behind the event `after` (0 = now) as far as it is still known.
  virtual std::unique_ptr<TrafficWatch> watch(std::uint64_t after) = 0;
  virtual TrafficTotals totals() const = 0;
};

}  // namespace outrider
