// The ingest at work: threads with low priority, and two queues in front of them. What a person looked at comes first
// and is read completely at once; what the robot brings is scanned at once, so that it can follow the links, and read
// closely when there is time.
#pragma once

#include "base/metrics.hpp"
#include "cache/graph.hpp"
#include "cache/ingest.hpp"
#include "cache/ingest_page.hpp"
#include "plugins/api/stored_copies.hpp"

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
  std::uint64_t most_unread_bytes = 64 << 20;  // scanned pages that wait for the deep parse; beyond, it is done at once
};

class IngestPool final : public Ingest {
 public:
  IngestPool(Graph& graph, IngestOptions options, Metrics& metrics);
  ~IngestPool() override;  // close()

  bool submit(Arrival&& arrival) override;
  std::size_t queued() const override;
  // Reads closely, when there is nothing else to do, what a former process scanned and did not come to read: from the
  // bodies that the memory keeps, or from `copies` (may be null). A page of which there is none stays as it was
  // scanned.
  void catch_up(std::shared_ptr<StoredCopies> copies);
  // Takes nothing more, finishes what waits, ends the threads.
  void close();

 private:
  void work();
  void take_in(Arrival arrival);
  template <class Step>
  void guarded(const Step& step);
  void remember(Arrival& arrival);
  static void tell(Arrival& arrival, const Sighting& sighting);
  bool known_already(Arrival& arrival);
  bool tell_from_memory(Arrival& arrival, const PageRef& page);
  void note_visit(const Arrival& arrival);
  bool was_a_frame(const Arrival& arrival) const;
  void read_later(ScannedAnswer answer);
  void read(ScannedAnswer page);
  void read_left(const UnreadPage& page);
  std::optional<Arrival> body_of(const UnreadPage& page) const;

  Graph& graph_;
  const IngestOptions options_;
  Counter& taken_in_;
  Counter& turned_away_;
  Counter& failed_;

  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Arrival> people_, robot_;
  std::deque<ScannedAnswer> unread_;
  std::deque<UnreadPage> left_;
  std::shared_ptr<StoredCopies> copies_;
  std::uint64_t waiting_bytes_ = 0, unread_bytes_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace outrider
