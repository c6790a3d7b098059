#include "robot/strategies/strategy.hpp"

#include <bit>

namespace outrider {
namespace {

class BreadthFirst final : public Strategy {
  std::string place(const Placement& found) const override {
    std::string key;
    append_rising(key, found.depth, 2);
    append_rising(key, found.sequence, 8);
    return key;
  }
};

// The links of the page that was read last, in their order on the page.
class DepthFirst final : public Strategy {
  std::string place(const Placement& found) const override {
    std::string key;
    append_rising(key, ~found.page, 8);
    append_rising(key, found.position, 4);
    append_rising(key, found.sequence, 8);
    return key;
  }
};

// Within one depth all pages take turns, so that one with 10,000 links does not keep the others' links waiting.
class FairBreadthFirst final : public Strategy {
  std::string place(const Placement& found) const override {
    std::string key;
    append_rising(key, found.depth, 2);
    append_rising(key, found.position, 4);
    append_rising(key, found.sequence, 8);
    return key;
  }
};

class BestFirst final : public Strategy {
  std::string place(const Placement& found) const override {
    // The bits of a positive float sort like the float; the complement puts the greatest first.
    const float score = found.score > 0 ? found.score : 0;
    std::string key;
    append_rising(key, ~std::bit_cast<std::uint32_t>(score) & 0xFFFFFFFFu, 4);
    append_rising(key, found.sequence, 8);
    return key;
  }
};

class RandomOrder final : public Strategy {
 public:
  explicit RandomOrder(std::uint64_t seed) : seed_(seed) {}

 private:
  std::string place(const Placement& found) const override {
    std::uint64_t x = found.sequence + seed_ * 0x9E3779B97F4A7C15ull;  // SplitMix64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    std::string key;
    append_rising(key, x ^ (x >> 31), 8);
    append_rising(key, found.sequence, 8);
    return key;
  }
  const std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Strategy> make_strategy(QueueOrder order, std::uint64_t seed) {
  switch (order) {
    case QueueOrder::depth_first:
      return std::make_unique<DepthFirst>();
    case QueueOrder::fair_breadth_first:
      return std::make_unique<FairBreadthFirst>();
    case QueueOrder::best_first:
      return std::make_unique<BestFirst>();
    case QueueOrder::random:
      return std::make_unique<RandomOrder>(seed);
    case QueueOrder::breadth_first:
      break;
  }
  return std::make_unique<BreadthFirst>();
}

}  // namespace outrider
