#include "proxy/http2_tunnel.hpp"

#include "base/async_event.hpp"
#include "base/buffer_pool.hpp"

#include <algorithm>

namespace outrider {
namespace {

// When one side has said goodbye the other one has this long to do so as well: browsers and TLS servers often just
// wait.
constexpr Duration kGoodbye = std::chrono::seconds{5};
constexpr Duration kLastWord = std::chrono::seconds{1};

struct Shared {
  Shared(const Executor& executor, std::shared_ptr<Http2Stream> c, std::shared_ptr<Stream> o, Duration limit)
      : ended(executor), client(std::move(c)), origin(std::move(o)), idle(limit) {}
  AsyncEvent ended;
  std::shared_ptr<Http2Stream> client;
  std::shared_ptr<Stream> origin;
  Duration idle;
  std::uint64_t in = 0, out = 0;
  int running = 2;
  bool ending = false;

  void touch() const {
    const Deadline until = origin->reactor().sweeper().in(idle);
    client->set_read_deadline(until);
    origin->set_deadline(until);
  }
  void fail() {
    client->reset(ending ? NGHTTP2_NO_ERROR : NGHTTP2_CONNECT_ERROR);
    origin->close();
  }
  void one_less() {
    --running;
    ending = true;
    idle = std::min(idle, kGoodbye);
    touch();
    ended.notify();
  }
};

Task<Result<void>> copy_up(Shared& shared) {
  for (;;) {
    Result<std::string_view> piece = co_await shared.client->read();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return Result<void>{};
    shared.touch();
    shared.in += piece->size();
    Result<void> sent = co_await shared.origin->write(*piece);
    if (!sent) co_return sent;
  }
}

Task<Result<void>> copy_down(Shared& shared) {
  Buffer buffer;
  for (;;) {
    buffer.release();  // no memory is held while there is nothing to move
    Result<void> ready = co_await shared.origin->wait_readable();
    if (!ready) co_return ready;
    buffer.acquire();
    Result<std::size_t> got = co_await shared.origin->read_some(buffer.span());
    if (!got) co_return got.error();
    if (*got == 0) co_return Result<void>{};
    shared.touch();
    shared.out += *got;
    if (!shared.client->put({buffer.data(), *got})) {
      Result<void> sent = co_await shared.client->sent(shared.idle);
      if (!sent) co_return sent;
    }
  }
}

Task<> run_up(std::shared_ptr<Shared> shared) {
  Result<void> done = co_await copy_up(*shared);
  if (done) {
    // Not everybody understands the half-close of TLS: what the origin still has to say is waited for.
    Reactor& reactor = shared->origin->reactor();
    const Deadline patience = reactor.sweeper().in(shared->origin->is_tls() ? kLastWord : Duration::zero());
    while (shared->running == 2 && !patience.passed(reactor.clock())) co_await shared->ended.wait(patience);
    if (shared->running == 2) shared->origin->shutdown_write();
  } else {
    shared->fail();
  }
  shared->one_less();
}

Task<> run_down(std::shared_ptr<Shared> shared) {
  Result<void> done = co_await copy_down(*shared);
  if (done) {
    shared->client->end({});
  } else if (done.error().side == Side::origin && !shared->client->failed()) {
    // Many just close, without the goodbye of TLS; a reset would take with it what they said before.
    shared->client->end({});
    Result<void> delivered = co_await shared->client->finished(kGoodbye);
    if (!delivered) shared->fail();
    shared->origin->close();
  } else {
    shared->fail();
  }
  shared->one_less();
}

}  // namespace

Task<> relay(std::shared_ptr<Http2Stream> client, std::shared_ptr<Stream> origin, Duration idle, IoWorker& worker,
             std::uint64_t& bytes_in, std::uint64_t& bytes_out) {
  auto shared = std::make_shared<Shared>(worker.reactor().executor(), std::move(client), std::move(origin), idle);
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
  shared->client->set_read_deadline(Deadline::never());
  shared->origin->close();
}

}  // namespace outrider
