#include "cache/flight.hpp"

#include "base/async_event.hpp"
#include "cache/flight_table.hpp"
#include "cache/policy_stored_head.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr std::uint64_t kReadAhead = 1 << 20;               // of what is not kept, before the slowest reader
constexpr std::uint64_t kCompleteAlone = 4 << 20;           // so much is fetched for the store alone
constexpr std::uint64_t kUnknownAtMost = 16 << 20;          // the same if nobody knows how much it will be …
constexpr std::size_t kAbsorbAtOnce = 256 << 10;            // then others on the reactor have their turn
constexpr Duration kUnknownFor = std::chrono::seconds{10};  // … or whether it will ever end: events, radio
constexpr Duration kKnownFor = std::chrono::minutes{1};  // for the store alone an origin must send, in this time, …
constexpr std::uint64_t kAtLeast = 256 << 10;            // … so much

}  // namespace

// Somebody who waits on a reactor of their own.
struct Flight::Waiter {
  explicit Waiter(Reactor& mine) : reactor(mine), event(mine.executor()) {}
  Reactor& reactor;
  AsyncEvent event;
  bool woken = false;
};

// Marks that somebody reads from the origin. Unwound before the end, it takes the flight with it: nobody could go on
// with a connection that was left in the middle of a read.
struct Flight::PullGuard {
  explicit PullGuard(Flight& flight) : flight_(flight) { flight_.pulling_ = true; }
  ~PullGuard() {
    flight_.pulling_ = false;
    if (!done) flight_.fail(Error{ErrorKind::cancelled, Side::self, "the fetch was given up"});
  }
  PullGuard(const PullGuard&) = delete;
  PullGuard& operator=(const PullGuard&) = delete;
  bool done = false;

 private:
  Flight& flight_;
};

Flight::Flight(FlightTable& table, CacheKey key, Reactor& home, TaskGroup& tasks, Store& store)
    : table_(table), key_(std::move(key)), home_(home), tasks_(tasks), store_(store) {}

// --- beginning and end

void Flight::take_off(Departure departure) {
  fetch_ = std::move(departure.fetch);
  writer_ = std::move(departure.writer);
  head_ = std::move(departure.head);
  length_ = departure.length;
  partition_ = std::move(departure.partition);
  body_ = writer_->body();
  state_.store(State::flying, std::memory_order_release);
  wake_all();
}

void Flight::release(EntryPtr confirmed) {
  confirmed_ = std::move(confirmed);
  end(State::released);
}

void Flight::land() {
  trailers_ = fetch_->response->trailers();
  StoredHead settled = *head_;
  if (!settled.range) {
    writer_->commit();
  } else if (settle_length(settled, body_->length())) {
    writer_->replace_head(std::move(settled));
    writer_->commit();
  }
  fetch_->response->finish_now();
  fetch_.reset();
  end(State::landed);
}

void Flight::fail(Error error) {
  if (state() != State::flying) return;
  {
    const std::lock_guard lock{mutex_};
    failure_ = std::move(error);
  }
  fetch_.reset();
  end(State::failed);
}

void Flight::end(State state) {
  state_.store(state, std::memory_order_release);
  table_.remove(key_, this);
  wake_all();
}

Error Flight::failure() const {
  const std::lock_guard lock{mutex_};
  return failure_.value_or(Error{ErrorKind::internal, Side::self, "a flight without an end"});
}

// --- waiting

void Flight::wake_all() {
  std::vector<std::shared_ptr<Waiter>> waiters;
  {
    const std::lock_guard lock{mutex_};
    waiters.swap(waiters_);
  }
  for (std::shared_ptr<Waiter>& waiter : waiters) {
    Reactor& reactor = waiter->reactor;
    reactor.post([waiter = std::move(waiter)] {
      waiter->woken = true;
      waiter->event.notify();
    });
  }
}

bool Flight::is_awaited() const {
  const std::lock_guard lock(mutex_);
  return !waiters_.empty();
}

Task<> Flight::wait_for_head(Reactor& mine, Deadline deadline) {
  const std::shared_ptr<Flight> alive = shared_from_this();
  const auto waiter = std::make_shared<Waiter>(mine);
  {
    const std::lock_guard lock{mutex_};
    if (state() != State::waiting) co_return;
    waiters_.push_back(waiter);
  }
  const struct Leaving {  // however it ends: who does not wait any more must not keep a fetch alive
    ~Leaving() {
      const std::lock_guard lock{flight.mutex_};
      std::erase(flight.waiters_, who);
    }
    Flight& flight;
    const std::shared_ptr<Waiter>& who;
  } leaving{*this, waiter};
  while (!waiter->woken && !deadline.passed(mine.clock())) co_await waiter->event.wait(deadline);
}

Task<> Flight::wait_for_more(Reactor& mine, std::uint64_t have, Deadline deadline) {
  const std::shared_ptr<Flight> alive = shared_from_this();
  const auto waiter = std::make_shared<Waiter>(mine);
  {
    const std::lock_guard lock{mutex_};
    if (state() != State::flying || body_->length() > have) co_return;
    waiters_.push_back(waiter);
  }
  while (!waiter->woken && !deadline.passed(mine.clock())) co_await waiter->event.wait(deadline);
}

// --- readers

Flight::Seat Flight::board() {
  const std::lock_guard lock{mutex_};
  if (beginning_gone_) return nullptr;
  return seats_.emplace_back(std::make_shared<std::atomic<std::uint64_t>>(0));
}

void Flight::leave(const Seat& seat) {
  {
    const std::lock_guard lock{mutex_};
    std::erase(seats_, seat);
  }
  if (state() != State::flying) return;
  if (home_.executor().running_in_this_thread()) {
    someone_left();
  } else {
    home_.post([self = shared_from_this()] { self->someone_left(); });
  }
}

void Flight::someone_left() {
  bool empty = false;
  {
    const std::lock_guard lock{mutex_};
    empty = seats_.empty();
  }
  if (!empty) {
    wake_all();  // the one who left may have been the slowest, or the one who was to pull
    return;
  }
  if (state() != State::flying) return;
  if (pulling_) {
    wake_all();  // whoever pulls may be waiting for the last of them to read on
    return;
  }
  if (worth_completing()) {
    start_pump();
  } else {
    fail(Error{ErrorKind::cancelled, Side::self, "nobody wants it any more"});
  }
}

void Flight::progressed() {
  if (only_passing_.load(std::memory_order_relaxed)) wake_all();
}

std::uint64_t Flight::slowest() const {
  const std::lock_guard lock{mutex_};
  std::uint64_t least = body_->length();
  for (const Seat& seat : seats_) least = std::min(least, seat->load(std::memory_order_relaxed));
  return least;
}

bool Flight::worth_completing() const {
  if (!writer_->storing()) return false;
  const std::uint64_t have = body_->length();
  if (!length_) return have <= kUnknownAtMost;
  return *length_ - std::min(have, *length_) <= kCompleteAlone || have >= *length_ / 2;
}

// --- reading from the origin

// With what is there already, the end above all: who has read everything must find it in the store.
void Flight::absorb(const Result<std::string_view>& first) {
  std::optional<Result<std::string_view>> piece = first;
  for (std::size_t bytes = 0; piece;) {
    if (!*piece) return fail(piece->error());
    if ((*piece)->empty()) return land();
    writer_->append(**piece);
    bytes += (*piece)->size();
    if (bytes >= kAbsorbAtOnce || !writer_->storing()) break;
    piece = fetch_->response->read_now();
  }
  if (!writer_->storing()) {
    only_passing_ = true;
    beginning_gone_ = true;
    writer_->release(slowest());
  }
  wake_all();
}

bool Flight::pull_now() {
  if (pulling_ || state() != State::flying) return false;
  if (only_passing_ && body_->length() - slowest() > kReadAhead) return false;
  const std::optional<Result<std::string_view>> piece = fetch_->response->read_now();
  if (!piece) return false;
  absorb(*piece);
  return true;
}

Task<> Flight::pull() {
  const std::shared_ptr<Flight> alive = shared_from_this();
  PullGuard guard{*this};
  // What is not kept must not pile up for a reader that lags behind.
  while (only_passing_ && body_->length() - slowest() > kReadAhead) {
    const auto waiter = std::make_shared<Waiter>(home_);
    {
      const std::lock_guard lock{mutex_};
      waiters_.push_back(waiter);
    }
    if (body_->length() - slowest() <= kReadAhead) break;  // in the meantime
    while (!waiter->woken) co_await waiter->event.wait();
  }
  const Result<std::string_view> piece = co_await fetch_->response->read();
  fetch_->response->pause();
  guard.done = true;
  pulling_ = false;
  absorb(piece);
}

void Flight::want_pump() {
  home_.post([self = shared_from_this()] { self->start_pump(); });
}

void Flight::start_pump() {
  if (pumping_ || state() != State::flying) return;
  pumping_ = true;
  tasks_.spawn(pump(), "flight");
}

Task<> Flight::pump() {
  const std::shared_ptr<Flight> alive = shared_from_this();
  Deadline patience = Deadline::never();
  std::uint64_t had = 0;  // when it was set
  while (state() == State::flying) {
    bool empty = false;
    {
      const std::lock_guard lock{mutex_};
      empty = seats_.empty();
    }
    if (!empty) {
      patience = Deadline::never();
    } else if (patience.is_never() || (length_ && body_->length() - had >= kAtLeast)) {
      patience = home_.sweeper().in(length_ ? kKnownFor : kUnknownFor);
      had = body_->length();
    }
    if (pulling_) {
      co_await wait_for_more(home_, body_->length());
    } else if (empty && (!worth_completing() || patience.passed(home_.clock()))) {
      fail(Error{ErrorKind::cancelled, Side::self, "nobody wants it any more"});
    } else {
      co_await pull();
    }
  }
}

}  // namespace outrider
