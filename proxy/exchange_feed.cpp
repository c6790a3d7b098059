#include "proxy/exchange_feed.hpp"

#include <algorithm>

namespace outrider {

FeedEvent::FeedEvent(ExchangeRecord record)
    : ExchangeRecord(std::move(record)), shown(std::make_shared<TrafficEvent>()) {
  shown->host = host;
  shown->method = method;
  shown->client = client;
  shown->cache = cache;
  shown->status = status;
  append_json(shown->json, *this);
}

void ExchangeFeed::publish(ExchangeRecord record) {
  if (!wanted()) return;
  auto event = std::make_shared<const FeedEvent>(std::move(record));
  const std::size_t size = event->memory() + event->shown->json.capacity();
  std::vector<Event> dropped;  // freed after the lock is released
  const std::lock_guard lock{state_->mutex};
  if (!wanted()) return;  // the last listener left meanwhile
  event->shown->number = state_->first + state_->events.size();
  state_->events.push_back(std::move(event));
  state_->bytes += size;
  const Limits& limits = state_->limits;
  while (state_->events.size() > 1 && (state_->events.size() > limits.events || state_->bytes > limits.bytes)) {
    state_->bytes -= state_->events.front()->memory() + state_->events.front()->shown->json.capacity();
    dropped.push_back(std::move(state_->events.front()));
    state_->events.pop_front();
    ++state_->first;
  }
}

ExchangeFeed::Subscription::Subscription(std::shared_ptr<State> state, std::optional<std::uint64_t> after)
    : state_(std::move(state)) {
  const std::lock_guard lock{state_->mutex};
  state_->listeners.fetch_add(1, std::memory_order_relaxed);
  next_ = state_->first + state_->events.size();
  if (after && *after + 1 < next_) next_ = *after + 1;
}

ExchangeFeed::Subscription& ExchangeFeed::Subscription::operator=(Subscription&& other) noexcept {
  if (this != &other) {
    end();
    state_ = std::move(other.state_);
    next_ = other.next_;
  }
  return *this;
}

void ExchangeFeed::Subscription::end() {
  if (!state_) return;
  std::deque<Event> dropped;
  {
    const std::lock_guard lock{state_->mutex};
    if (state_->listeners.fetch_sub(1, std::memory_order_relaxed) == 1) {  // nobody is left to read them
      state_->first += state_->events.size();
      state_->bytes = 0;
      dropped.swap(state_->events);
    }
  }
  state_.reset();
}

ExchangeFeed::Subscription::Batch ExchangeFeed::Subscription::poll(std::size_t most) {
  Batch batch;
  const std::lock_guard lock{state_->mutex};
  if (next_ < state_->first) {
    batch.lost = state_->first - next_;
    next_ = state_->first;
  }
  const auto from = static_cast<std::size_t>(next_ - state_->first);
  const std::size_t count = std::min(most, state_->events.size() - from);
  const auto begin = state_->events.begin() + static_cast<std::ptrdiff_t>(from);
  batch.events.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  next_ += count;
  return batch;
}

}  // namespace outrider
