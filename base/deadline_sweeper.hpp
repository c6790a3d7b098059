// Time-outs for thousands of connections at the price of one timer. A connection states until when it may wait by
// storing a time; a sweep a few times a second ends those that are over. Setting a deadline is one store, an idle
// connection costs no timer, and nothing has to be re-armed. The price is precision: a deadline fires up to one sweep
// interval late.
#pragma once

#include "base/async.hpp"
#include "base/clock.hpp"

#include <boost/intrusive/list.hpp>

namespace outrider {

class DeadlineSweeper;

// Something that can run out of time. Belongs to one reactor.
class Watched : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  Watched() = default;
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void set_deadline(Deadline deadline) { deadline_ = deadline; }
  Deadline deadline() const { return deadline_; }

 protected:
  ~Watched() = default;

 private:
  friend class DeadlineSweeper;
  // Called once per expiry, on the reactor's thread.
  virtual void on_deadline() = 0;
  Deadline deadline_;
};

class DeadlineSweeper {
 public:
  static constexpr Duration kInterval = std::chrono::milliseconds{100};

  DeadlineSweeper(const Executor& executor, const Clock& clock);

  void watch(Watched& watched);
  SteadyTime now() const { return clock_.steady(); }
  Deadline in(Duration duration) const { return Deadline{now() + duration}; }
  void sweep();  // what the timer does; public for tests with a fake clock

 private:
  using List = boost::intrusive::list<Watched, boost::intrusive::constant_time_size<false>>;
  void arm();

  const Clock& clock_;
  Timer timer_;
  bool armed_ = false;
  List watched_;
};

}  // namespace outrider
