// Finds the links of pages and remembers nothing: for a robot without a memory, and for tests. One thread.
#pragma once

#include "cache/ingest.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace outrider {

class PlainIngest final : public Ingest {
 public:
  explicit PlainIngest(std::size_t most_waiting = 1000);
  ~PlainIngest() override;  // drops what waits

  bool submit(Arrival&& arrival) override;
  std::size_t queued() const override;
  bool remembers() const override { return false; }

 private:
  void work();

  const std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Arrival> waiting_;
  bool closing_ = false;
  std::thread thread_;  // last
};

}  // namespace outrider
