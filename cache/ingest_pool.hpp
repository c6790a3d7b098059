// The ingest at work: threads with low priority, and queues in front of them. What a person opened comes first and is
// read completely at once. Of what the robot brings in bulk (Arrival::may_wait) the links are found at once, so that it
// can follow them; the answer itself goes to the spool. Threads that take only what nobody else wants of the processor
// read it from there, and note what browsers load that has no words: pictures, scripts, archives.
#pragma once

#include "base/metrics.hpp"
#include "cache/graph.hpp"
#include "cache/ingest.hpp"
#include "cache/ingest_page.hpp"
#include "cache/ingest_spool.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace outrider {

struct IngestOptions {
  std::size_t threads = 2;
  std::size_t most_waiting = 1000;              // answers …
  std::uint64_t most_waiting_bytes = 32 << 20;  // … and their bodies
  // Weighs against the reader's threads like 1 against 15: the ingest gets what they leave, and a little when they
  // leave nothing. 0 where there is nobody but the robot.
  int niceness = 12;
  IngestSpool* spool = nullptr;  // none: everything is read at once. Outlives the pool
};

class IngestPool final : public Ingest {
 public:
  IngestPool(Graph& graph, IngestOptions options, Metrics& metrics);
  ~IngestPool() override;  // close()

  bool submit(Arrival&& arrival) override;
  bool turns_away_asides() override;
  std::size_t queued() const override;
  std::size_t unread() const;  // answers that wait in the spool, or are being read
  // Takes nothing more, finishes what waits in memory, ends the threads. What is in the spool stays there.
  void close();

 private:
  void work();
  void read_asides_and_spool();
  bool wants_another() const;
  std::deque<Arrival>& queue_for(const Arrival& arrival);
  std::size_t waiting() const { return people_.size() + robot_.size() + asides_.size(); }
  std::size_t unread_in_spool() const { return options_.spool != nullptr ? options_.spool->waiting() : 0; }
  Arrival take(std::deque<Arrival>& from);
  void take_in(Arrival arrival);
  template <class Step>
  void guarded(const Step& step);
  void remember(Arrival& arrival);
  bool put_off(Arrival& arrival);
  static void tell(Arrival& arrival, Sighting sighting, std::span<Url> urls = {});
  Result<void> take_now(Arrival& arrival, bool waited);
  bool known_already(Arrival& arrival, bool waited);
  bool tell_from_memory(Arrival& arrival, const PageRef& page, bool waited);
  void note_visit(const Arrival& arrival);
  bool was_a_frame(const Arrival& arrival) const;
  void read_spool();
  bool read(const Arrival& arrival);

  Graph& graph_;
  const IngestOptions options_;
  Counter& taken_in_;
  Counter& turned_away_;
  Counter& failed_;

  mutable std::mutex mutex_;
  std::condition_variable work_, unread_;
  std::deque<Arrival> people_, robot_, asides_;
  std::atomic<bool> full_{false};
  std::uint64_t waiting_bytes_ = 0;
  std::size_t asleep_ = 0;           // threads that wait for work_ and have not been called
  std::size_t reading_closely_ = 0;  // … that have more to do than to find links
  std::size_t being_read_ = 0;
  std::size_t noting_ = 0;  // asides that were taken together
  bool closing_ = false;
  CallbackGauge unread_gauge_;
  std::vector<std::thread> threads_;
};

}  // namespace outrider
