// One fetch, many readers. A flight begins when a request for a key goes to the origin; whoever asks for the same key
// meanwhile waits for the head of its answer. If the answer is kept and fits them, they read its body while it arrives;
// otherwise they are released and ask for themselves, all at the same time.
//
// The fetch lives on the reactor where it began (its home). Readers there take turns at pulling: whoever needs more
// bytes than have arrived reads from the origin, so the fastest sets the pace and one reader alone pays nothing for the
// company it does not have. Readers on other reactors, and the wish to complete an answer that nobody reads any more,
// are served by a pump: a task at home that pulls for everybody.
#pragma once

#include "base/reactor.hpp"
#include "base/task_group.hpp"
#include "cache/fetch.hpp"
#include "cache/store.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace outrider {

class FlightTable;

class Flight : public std::enable_shared_from_this<Flight> {
 public:
  enum class State : std::uint8_t {
    waiting,   // for the head of the answer
    flying,    // its body is arriving
    landed,    // it is complete and in the store
    failed,    // it ended early
    released,  // there is nothing to share: everybody for themselves
  };

  // An answer that is kept.
  struct Departure {
    std::unique_ptr<Fetch> fetch;
    std::unique_ptr<StoreWriter> writer;
    std::shared_ptr<const StoredHead> head;
    std::optional<std::uint64_t> length;
    std::string partition;  // whose it is; "" = everybody's
  };

  Flight(FlightTable& table, CacheKey key, Reactor& home, TaskGroup& tasks, Store& store);

  // --- for the one who began it, at home
  void take_off(Departure departure);
  // `confirmed`: what is stored has turned out to be still right, and is this now. The disk may not know yet.
  void release(EntryPtr confirmed = nullptr);
  bool is_awaited() const;  // by others

  // --- for the others, on their own reactors
  State state() const { return state_.load(std::memory_order_acquire); }
  Task<> wait_for_head(Reactor& mine, Deadline deadline);
  // Once it flies, these do not change.
  const StoredHead& head() const { return *head_; }
  const std::string& partition() const { return partition_; }
  // Once it is released; nullptr = there is nothing to tell.
  const EntryPtr& confirmed() const { return confirmed_; }
  const std::optional<std::uint64_t>& length() const { return length_; }

  // --- for readers (FlightReader)
  // How far somebody has read. nullptr: its beginning is not to be had any more.
  using Seat = std::shared_ptr<std::atomic<std::uint64_t>>;
  Seat board();
  void leave(const Seat& seat);
  void progressed();  // a reader has moved on its seat
  const BodyPtr& body() const { return body_; }
  Store& store() { return store_; }
  bool at_home(const Reactor& mine) const { return &mine == &home_; }
  // When all that has arrived is read. At home only: reads from the origin, unless somebody does so already.
  bool pull_now();  // false: nothing is there
  Task<> pull();
  bool pulling() const { return pulling_; }
  bool keeping() const { return !only_passing_.load(std::memory_order_relaxed); }
  void want_pump();  // elsewhere: have it read
  Task<> wait_for_more(Reactor& mine, std::uint64_t have, Deadline deadline = Deadline::never());
  const HeaderMap& trailers() const { return trailers_; }  // when it has landed
  Error failure() const;

 private:
  struct Waiter;
  struct PullGuard;

  void absorb(const Result<std::string_view>& first);
  void land();
  void fail(Error error);
  void end(State state);
  void someone_left();
  void start_pump();
  Task<> pump();
  bool worth_completing() const;
  std::uint64_t slowest() const;
  void wake_all();

  FlightTable& table_;
  const CacheKey key_;
  Reactor& home_;
  TaskGroup& tasks_;
  Store& store_;
  std::atomic<State> state_{State::waiting};

  // Home only.
  std::unique_ptr<Fetch> fetch_;
  std::unique_ptr<StoreWriter> writer_;
  bool pulling_ = false;
  bool pumping_ = false;

  // Set once, before `flying` or the end is announced.
  std::shared_ptr<const StoredHead> head_;
  BodyPtr body_;
  std::optional<std::uint64_t> length_;
  std::string partition_;
  EntryPtr confirmed_;
  HeaderMap trailers_;

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Waiter>> waiters_;
  std::vector<Seat> seats_;
  std::optional<Error> failure_;
  std::atomic<bool> only_passing_{false};  // it is not kept: what everybody has read is let go
  std::atomic<bool> beginning_gone_{false};
};

}  // namespace outrider
