#include "proxy/http2_tunnel.hpp"

#include "base/async_event.hpp"

#include <algorithm>

namespace outrider {
namespace {

// When one side has said goodbye the other one has this long to do so as well: browsers and TLS servers often just
// wait.
constexpr Duration kGoodbye = std::chrono::seconds{5};
constexpr Duration kLastWord = std::chrono::seconds{1};

struct Shared {
  Shared(Reactor& mine, std::unique_ptr<TunnelEnd> c, std::unique_ptr<TunnelEnd> o, Duration limit)
      : reactor(mine), ended(mine.executor()), client(std::move(c)), origin(std::move(o)), idle(limit) {}
  Reactor& reactor;
  AsyncEvent ended;
  std::unique_ptr<TunnelEnd> client, origin;
  Duration idle;
  std::uint64_t in = 0, out = 0;
  int running = 2;

  void touch() const {
    const Deadline until = reactor.sweeper().in(idle);
    client->set_deadline(until);
    origin->set_deadline(until);
  }
  void fail() const {
    client->fail();
    origin->fail();
  }
  void one_less() {
    --running;
    idle = std::min(idle, kGoodbye);
    touch();
    ended.notify();
  }
};

Task<Result<void>> copy(const Shared& shared, TunnelEnd& from, TunnelEnd& to, std::uint64_t& count) {
  for (;;) {
    Result<std::string_view> piece = co_await from.read();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return Result<void>{};
    shared.touch();
    count += piece->size();
    Result<void> sent = co_await to.write(*piece, shared.idle);
    if (!sent) co_return sent;
  }
}

Task<> run_up(std::shared_ptr<Shared> shared) {
  Result<void> done = co_await copy(*shared, *shared->client, *shared->origin, shared->in);
  if (done) {
    // What the origin still has to say is waited for.
    Reactor& reactor = shared->reactor;
    const Duration last_word = shared->origin->is_tls_connection() ? kLastWord : Duration::zero();
    const Deadline patience = reactor.sweeper().in(last_word);
    while (shared->running == 2 && !patience.passed(reactor.clock())) co_await shared->ended.wait(patience);
    if (shared->running == 2) shared->origin->end();
  } else {
    shared->fail();
  }
  shared->one_less();
}

Task<> run_down(std::shared_ptr<Shared> shared) {
  Result<void> done = co_await copy(*shared, *shared->origin, *shared->client, shared->out);
  TunnelEnd& client = *shared->client;
  if (done) {
    client.end();
  } else if (shared->origin->is_tls_connection() && done.error().side == Side::origin && !client.failed()) {
    // A reset would take with it what was said before.
    client.end();
    const bool delivered = co_await client.delivered(kGoodbye);
    if (!delivered) shared->fail();
    shared->origin->close();
  } else {
    shared->fail();
  }
  shared->one_less();
}

}  // namespace

Task<> relay(std::unique_ptr<TunnelEnd> client, std::unique_ptr<TunnelEnd> origin, Duration idle, IoWorker& worker,
             std::uint64_t& bytes_in, std::uint64_t& bytes_out) {
  auto shared = std::make_shared<Shared>(worker.reactor(), std::move(client), std::move(origin), idle);
  struct Tally {
    Tally(const Shared& s, std::uint64_t& i, std::uint64_t& o) : shared(s), in(i), out(o) {}
    ~Tally() {
      in += shared.in;
      out += shared.out;
    }
    const Shared& shared;
    std::uint64_t &in, &out;
  };
  const Tally tally{*shared, bytes_in, bytes_out};
  shared->touch();
  worker.tasks().spawn(run_down(shared), "http2 tunnel");
  co_await run_up(shared);
  while (shared->running > 0) co_await shared->ended.wait();
  shared->client->close();
  shared->origin->close();
}

}  // namespace outrider
