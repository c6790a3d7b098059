#include "proxy/live_traffic.hpp"

#include "proxy/proxy_shared.hpp"

namespace outrider {
namespace {

class Watch final : public TrafficWatch {
 public:
  explicit Watch(ExchangeFeed::Subscription subscription) : subscription_(std::move(subscription)) {}

  TrafficBatch poll(std::size_t most) override {
    ExchangeFeed::Subscription::Batch batch = subscription_.poll(most);
    TrafficBatch shown;
    shown.lost = batch.lost;
    for (const ExchangeFeed::Event& event : batch.events) shown.events.push_back(event->shown);
    return shown;
  }

 private:
  ExchangeFeed::Subscription subscription_;
};

}  // namespace

std::unique_ptr<TrafficWatch> LiveTraffic::watch(std::uint64_t after) {
  return std::make_unique<Watch>(after == 0 ? shared_.feed.subscribe() : shared_.feed.subscribe_after(after));
}

TrafficTotals LiveTraffic::totals() const {
  const CacheCounters& cache = shared_.cache.counters;
  TrafficTotals totals;
  totals.exchanges = shared_.counters.exchanges();
  totals.bytes_in = shared_.counters.bytes_in();
  totals.bytes_out = shared_.counters.bytes_out();
  for (const CacheVerdict verdict : {CacheVerdict::hit, CacheVerdict::stale, CacheVerdict::revalidated})
    totals.from_cache += cache.answers(verdict);
  for (const CacheVerdict verdict : {CacheVerdict::bypass, CacheVerdict::miss, CacheVerdict::collapsed})
    totals.from_origin += cache.answers(verdict);
  totals.connections = shared_.slots.total();
  return totals;
}

}  // namespace outrider
