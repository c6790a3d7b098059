// The live feed: every finished exchange, for whoever watches at this moment. Several I/O threads publish, any thread
// may listen. While nobody listens an exchange costs one relaxed load and nothing is kept; with listeners memory is
// bounded, and who reads too slowly loses the oldest events and is told how many.
#pragma once

#include "plugins/api/traffic.hpp"
#include "proxy/exchange_record.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace outrider {

// What the feed hands out: the record, and the same as those see it who know nothing of the proxy.
struct FeedEvent : ExchangeRecord {
  explicit FeedEvent(ExchangeRecord record);
  std::shared_ptr<TrafficEvent> shown;  // not changed any more once it is published
};

class ExchangeFeed {
 public:
  struct Limits {
    std::size_t events = 1024;
    std::size_t bytes = 4 * 1024 * 1024;  // of the records; the newest event is kept even if it is larger alone
  };
  using Event = std::shared_ptr<const FeedEvent>;

  ExchangeFeed() : ExchangeFeed(Limits{}) {}
  explicit ExchangeFeed(Limits limits) : state_(std::make_shared<State>(limits)) {}

  // Ask this before building a record.
  bool wanted() const { return state_->listeners.load(std::memory_order_relaxed) != 0; }
  void publish(ExchangeRecord record);

  class Subscription;
  // Sees what is published from now on; with `after`, what came behind that event, as far as it is still there.
  Subscription subscribe();
  Subscription subscribe_after(std::uint64_t after);

 private:
  struct State {
    explicit State(Limits l) : limits(l) {}
    const Limits limits;
    std::atomic<std::uint32_t> listeners{0};  // changed only under the mutex
    std::mutex mutex;                         // held for a few instructions, never while records are built or freed
    std::deque<Event> events;
    std::uint64_t first = 1;  // number of events.front()
    std::size_t bytes = 0;
  };
  std::shared_ptr<State> state_;
};

// May outlive the feed. Used by one thread at a time.
class ExchangeFeed::Subscription {
 public:
  explicit Subscription(std::shared_ptr<State> state, std::optional<std::uint64_t> after = std::nullopt);
  ~Subscription() { end(); }
  Subscription(Subscription&& other) noexcept = default;
  Subscription& operator=(Subscription&& other) noexcept;

  struct Batch {
    std::vector<Event> events;  // oldest first
    std::uint64_t lost = 0;     // events before these that this subscription was too slow for
  };
  Batch poll(std::size_t most = 256);

 private:
  void end();
  std::shared_ptr<State> state_;  // empty: moved from
  std::uint64_t next_ = 0;        // number of the first event not yet seen
};

inline ExchangeFeed::Subscription ExchangeFeed::subscribe() {
  return Subscription{state_};
}

inline ExchangeFeed::Subscription ExchangeFeed::subscribe_after(std::uint64_t after) {
  return Subscription{state_, after};
}

}  // namespace outrider
