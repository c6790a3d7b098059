// Who waits for which socket. Asio arms a wait with a system call each, or tries a read that it expects to fail; here a
// socket is registered once, edge-triggered, with an epoll of our own, and a wait costs nothing. Asio's loop waits in
// this epoll (base/readiness_loop). Belongs to a reactor and its thread. Why: docs/decisions/0091-own-readiness.md.
#pragma once

#include "base/async.hpp"
#include "base/edge_socket.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

struct epoll_event;

namespace outrider {

class ReadySocket;

class Readiness {
 public:
  Readiness();
  ~Readiness();
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  // Between these two the context is alive. It is destroyed before this object, and with it coroutines that have
  // sockets here. The end destroys those that wait. The beginning comes before anything else uses the context.
  void begin(asio::io_context& context);
  void end();

  int native_handle() const { return epoll_; }
  void deliver(std::span<const epoll_event> events);  // as epoll_wait() on the descriptor has reported them

 private:
  friend class ReadySocket;
  struct Delivering;
  struct Place {
    ReadySocket* socket = nullptr;
    std::uint32_t generation = 0;  // what the kernel reports of a socket that has left its place is not for the next
  };
  std::uint32_t enter(ReadySocket& socket);
  void leave(std::uint32_t place);
  void wait_begins();
  void wait_ends() { --waits_; }
  void wait_canceled();
  void deliver(std::uint64_t to, std::uint32_t events);
  ReadySocket* at(std::uint64_t label) const;

  Executor executor() const { return context_->get_executor(); }

  asio::io_context* context_ = nullptr;
  int epoll_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
  std::size_t waits_ = 0;
  std::optional<asio::executor_work_guard<Executor>> work_;  // while somebody waits: then the context has not ended
  bool delivering_ = false;
};

// The handler of a wait, kept in place: no memory is asked for.
class Waiter {
 public:
  Waiter() = default;
  ~Waiter() { drop(); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  bool waits() const { return call_ != nullptr; }
  // There is nothing to wait for: it is to be resumed in the next round.
  void set_due() { due_ = true; }
  bool due() const { return due_; }
  template <class Handler>
  void hold(Handler handler) {
    static_assert(sizeof(Handler) <= kRoom && alignof(Handler) <= alignof(std::max_align_t));
    ::new (static_cast<void*>(room_.data())) Handler(std::move(handler));
    call_ = [](std::byte* room, How how, const Executor* executor, const ErrorCode& code) {
      Handler* const held = std::launder(reinterpret_cast<Handler*>(room));
      Handler mine{std::move(*held)};
      held->~Handler();  // before the call: it may begin the next wait here
      if (how == How::now) std::move(mine)(code);
      if (how == How::later) asio::post(*executor, [late = std::move(mine), code]() mutable { std::move(late)(code); });
    };
  }
  void resume() { run(How::now, nullptr, {}); }
  void abort(const Executor& executor) { run(How::later, &executor, asio::error::operation_aborted); }
  void drop() {
    if (waits()) run(How::never, nullptr, {});
  }

 private:
  enum class How : std::uint8_t { now, later, never };
  using Call = void (*)(std::byte*, How, const Executor*, const ErrorCode&);
  void run(How how, const Executor* executor, const ErrorCode& code) {
    due_ = false;
    std::exchange(call_, nullptr)(room_.data(), how, executor, code);
  }
  static constexpr std::size_t kRoom = 64;
  alignas(std::max_align_t) std::array<std::byte, kRoom> room_;
  Call call_ = nullptr;
  bool due_ = false;
};

// A connected socket. One wait in each direction at a time.
class ReadySocket final : public EdgeSocket {
 public:
  ReadySocket(Readiness& readiness, int descriptor);  // takes it over; −1 = closed from the beginning
  ~ReadySocket() { close(); }

  enum class Direction : std::uint8_t { read, write };
  // Until a call that said "not yet" may be tried again.
  template <class Token>
  auto async_wait(Direction direction, Token&& token) {
    return asio::async_initiate<Token, void(ErrorCode)>(
        [this](auto handler, Direction which) { this->begin_wait(which, std::move(handler)); }, token, direction);
  }
  void cancel(Direction direction);  // the wait fails, soon
  void close();

 private:
  friend class Readiness;
  Waiter& waiter(Direction direction) { return direction == Direction::read ? reader_ : writer_; }
  void note(std::uint32_t events);

  // A handler that is destroyed without having been called asks for memory: where there is none, that would be the end
  // of the program. Hence it is put into its place before anything that may fail.
  template <class Handler>
  void begin_wait(Direction direction, Handler handler) {
    if (!is_open() || waiter(direction).waits()) {
      const ErrorCode code = is_open() ? ErrorCode{asio::error::already_started} : asio::error::bad_descriptor;
      asio::post(readiness_.executor(), [late = std::move(handler), code]() mutable { std::move(late)(code); });
      return;
    }
    asio::cancellation_slot slot = asio::get_associated_cancellation_slot(handler);
    waiter(direction).hold(std::move(handler));
    readiness_.wait_begins();
    try {
      if (slot.is_connected()) slot.assign([this, direction](asio::cancellation_type) { cancel(direction); });
    } catch (const std::bad_alloc&) {  // it waits all the same; closing the socket ends it
    }
    if (direction == Direction::read ? may_read_ : may_write_) resume_soon(direction);
  }
  void resume_soon(Direction direction);

  Readiness& readiness_;
  std::uint32_t place_ = 0;
  Waiter reader_;
  Waiter writer_;
};

}  // namespace outrider
