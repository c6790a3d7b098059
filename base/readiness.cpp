#include "base/readiness.hpp"

#include "base/readiness_loop.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace outrider {
namespace {

std::uint64_t label_of(std::uint32_t place, std::uint32_t generation) {
  return std::uint64_t{generation} << 32 | place;
}

epoll_event everything(std::uint64_t label) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = label;
  return event;
}

}  // namespace

Readiness::Readiness() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw std::system_error{errno, std::system_category(), "epoll_create1"};
}

Readiness::~Readiness() {
  ::close(epoll_);
}

void Readiness::begin(asio::io_context& context) {
  context_ = &context;
  ReadinessLoop::install(context, *this);
}

void Readiness::end() {
  work_.reset();
  // A coroutine that is destroyed may close other sockets, and free places with them.
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].socket != nullptr) places_[i].socket->reader_.drop();
    if (places_[i].socket != nullptr) places_[i].socket->writer_.drop();
  }
}

std::uint32_t Readiness::enter(ReadySocket& socket) {
  if (free_.empty()) {
    if (free_.capacity() <= places_.size()) free_.reserve(2 * places_.size() + 16);  // leave() asks for no memory
    places_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(places_.size() - 1));
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  places_[place].socket = &socket;
  epoll_event event = everything(label_of(place, places_[place].generation));
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket.native_handle(), &event) != 0) {
    leave(place);
    throw std::bad_alloc{};  // of memory, or of what the user may watch
  }
  return place;
}

void Readiness::leave(std::uint32_t place) {
  places_[place].socket = nullptr;
  ++places_[place].generation;
  free_.push_back(place);
}

ReadySocket* Readiness::at(std::uint64_t label) const {
  const Place& place = places_[static_cast<std::uint32_t>(label)];
  return place.generation == static_cast<std::uint32_t>(label >> 32) ? place.socket : nullptr;
}

void Readiness::wait_begins() {
  ++waits_;
  if (!work_) work_.emplace(executor());
}

// A context that nobody waits in may come to its end.
void Readiness::wait_canceled() {
  --waits_;
  if (waits_ == 0 && !delivering_) work_.reset();
}

struct Readiness::Delivering {
  explicit Delivering(Readiness& all) : readiness(all) { readiness.delivering_ = true; }
  ~Delivering() {
    readiness.delivering_ = false;
    if (readiness.waits_ == 0) readiness.work_.reset();
  }
  Readiness& readiness;
};

void Readiness::deliver(std::span<const epoll_event> events) {
  const Delivering delivering{*this};
  for (const epoll_event& event : events) deliver(event.data.u64, event.events);
}

void Readiness::deliver(std::uint64_t to, std::uint32_t events) {
  ReadySocket* socket = at(to);
  if (socket == nullptr) return;
  socket->note(events);
  if (socket->may_read() && socket->reader_.waits()) {
    wait_ends();
    socket->reader_.resume();
    socket = at(to);  // whoever read may have closed it
  }
  if (socket != nullptr && socket->may_write() && socket->writer_.waits()) {
    wait_ends();
    socket->writer_.resume();
  }
}

ReadySocket::ReadySocket(Readiness& readiness, int descriptor) : EdgeSocket(descriptor), readiness_(readiness) {
  if (!is_open()) return;
  watched_ = true;
  may_read_ = false;  // the first event tells
  try {
    place_ = readiness_.enter(*this);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

void ReadySocket::note(std::uint32_t events) {
  constexpr std::uint32_t kEnd = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
  if ((events & kEnd) != 0) hung_up_ = true;
  if ((events & (EPOLLIN | kEnd)) != 0) may_read_ = true;
  if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) may_write_ = true;
}

void ReadySocket::resume_soon(Direction direction) {
  waiter(direction).set_due();
  const std::uint64_t label = label_of(place_, readiness_.places_[place_].generation);
  try {
    asio::post(readiness_.executor(), [&all = readiness_, label, direction] {
      ReadySocket* const socket = all.at(label);
      if (socket == nullptr || !socket->waiter(direction).due()) return;  // somebody was quicker
      const Readiness::Delivering delivering{all};
      all.wait_ends();
      socket->waiter(direction).resume();
    });
  } catch (const std::bad_alloc&) {  // then the kernel is made to tell it once more
    epoll_event event = everything(label);
    ::epoll_ctl(readiness_.epoll_, EPOLL_CTL_MOD, descriptor_, &event);
  }
}

void ReadySocket::cancel(Direction direction) {
  if (!waiter(direction).waits()) return;
  waiter(direction).abort(readiness_.executor());
  readiness_.wait_canceled();
}

void ReadySocket::close() {
  if (!is_open()) return;
  cancel(Direction::read);
  cancel(Direction::write);
  readiness_.leave(place_);
  ::close(std::exchange(descriptor_, -1));  // leaves the epoll by that
}

}  // namespace outrider
