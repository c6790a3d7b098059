// The port to live traffic (plugins/api/traffic.hpp) over the feed of finished exchanges.
#pragma once

#include "plugins/api/traffic.hpp"

#include <memory>

namespace outrider {

struct ProxyShared;

class LiveTraffic final : public Traffic {
 public:
  explicit LiveTraffic(ProxyShared& shared) : shared_(shared) {}
  std::unique_ptr<TrafficWatch> watch(std::uint64_t after) override;
  TrafficTotals totals() const override;

 private:
  ProxyShared& shared_;
};

}  // namespace outrider
