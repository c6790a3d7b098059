#include "base/reactor.hpp"

#include <boost/asio/post.hpp>

namespace outrider {

namespace {

asio::io_context& begun(asio::io_context& context, Readiness& readiness) {
  readiness.begin(context);
  return context;
}

}  // namespace

// UNSAFE_IO: no locks around sockets (one thread), but posting from other threads stays safe.
Reactor::Reactor(const Clock& clock)
    : clock_(clock),
      context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      sweeper_(begun(context_, readiness_).get_executor(), clock) {}

Reactor::~Reactor() {
  readiness_.end();
}

void Reactor::run() {
  context_.run();
}

void Reactor::stop() {
  context_.stop();
}

void Reactor::post(std::function<void()> work) {
  asio::post(context_, std::move(work));
}

}  // namespace outrider
