#include "proxy/relay.hpp"

#include "base/async_event.hpp"
#include "base/buffer_pool.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace outrider {
namespace {

constexpr std::size_t kSpliceAtOnce = 1 << 20;
constexpr int kFullReadsBeforeSplice = 2;
constexpr int kRoundsAtOnce = 16;

class Pipe {
 public:
  Pipe() = default;
  ~Pipe() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    if (ends_[1] >= 0) ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool open() {
    if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) return false;     // out of descriptors: copying still works
    ::fcntl(ends_[1], F_SETPIPE_SZ, static_cast<int>(kSpliceAtOnce));  // may be refused: then it is smaller
    return true;
  }
  int out() const { return ends_[0]; }
  int in() const { return ends_[1]; }

 private:
  int ends_[2] = {-1, -1};
};

struct Shared {
  Shared(const Executor& executor, Duration idle_limit) : ended(executor), idle(idle_limit) {}
  AsyncEvent ended;
  Duration idle;
  std::shared_ptr<Stream> client;
  std::shared_ptr<Stream> origin;
  int running = 2;

  void touch() const {
    const Deadline until = client->reactor().sweeper().in(idle);
    client->set_deadline(until);
    origin->set_deadline(until);
  }
  // Whatever is pending fails, and so does whatever would come next.
  void end() {
    client->close();
    origin->close();
  }
  // One side's reset is passed on as such: what looks like an orderly end could be taken for a complete message.
  void fail(const Error& why) {
    if (why.kind == ErrorKind::closed_early) (why.side == Side::client ? origin : client)->reset();
    end();
  }
};

// Moves what is there until the source would block. 1: go on waiting, 0: the source has ended, error otherwise.
Task<Result<int>> splice_available(Stream& from, Stream& to, const Pipe& pipe, const Shared& shared) {
  for (int round = 0; round < kRoundsAtOnce; ++round) {  // then others have their turn
    const ssize_t taken = ::splice(from.socket().native_handle(), nullptr, pipe.in(), nullptr, kSpliceAtOnce,
                                   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    if (taken == 0) co_return 0;
    if (taken < 0) {
      if (errno == EAGAIN) {
        from.socket().nothing_to_read();
        co_return 1;
      }
      if (errno == EINTR) continue;
      co_return from_system(ErrorCode{errno, boost::system::system_category()}, from.side(), "relaying");
    }
    shared.touch();
    from.count_in(static_cast<std::uint64_t>(taken));
    for (ssize_t left = taken; left > 0;) {
      const ssize_t given = ::splice(pipe.out(), nullptr, to.socket().native_handle(), nullptr,
                                     static_cast<std::size_t>(left), SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
      if (given > 0) {
        left -= given;
        shared.touch();  // a reader that takes its time is not idle
        to.count_out(static_cast<std::uint64_t>(given));
        continue;
      }
      if (given < 0 && errno == EINTR) continue;
      if (given == 0 || errno != EAGAIN)
        co_return from_system(ErrorCode{errno, boost::system::system_category()}, to.side(), "relaying");
      to.socket().no_room();
      Result<void> ready = co_await to.wait_writable();
      if (!ready) co_return ready.error();
    }
  }
  co_return 1;
}

Task<Result<void>> splice_all(Stream& from, Stream& to, const Pipe& pipe, const Shared& shared) {
  for (;;) {
    Result<int> more = co_await splice_available(from, to, pipe, shared);
    if (!more) co_return more.error();
    if (*more == 0) co_return Result<void>{};
    Result<void> ready = co_await from.wait_readable();
    if (!ready) co_return ready.error();
  }
}

Task<Result<void>> copy_all(Stream& from, Stream& to, const Shared& shared) {
  const bool plain = !from.is_tls() && !to.is_tls();
  Buffer buffer;
  int full_reads = 0;
  for (;;) {
    if (full_reads == 0) {  // no memory is held while there is nothing to move
      buffer.release();
      Result<void> ready = co_await from.wait_readable();
      if (!ready) co_return ready.error();
      buffer.acquire();
    }
    std::optional<Result<std::size_t>> got = from.read_now(buffer.span());
    if (!got) {
      Result<std::size_t> waited = co_await from.read_some(buffer.span());
      got.emplace(std::move(waited));
    }
    if (!*got) co_return got->error();
    const std::size_t count = **got;
    if (count == 0) co_return Result<void>{};
    shared.touch();
    std::array<std::string_view, 3> pieces{std::string_view{buffer.data(), count}, {}, {}};
    Result<bool> at_once = to.write_now(pieces);
    if (!at_once) co_return at_once.error();
    if (!*at_once) {
      Result<void> sent = co_await to.write(pieces);
      if (!sent) co_return sent.error();
    }
    full_reads = count == buffer.size() ? full_reads + 1 : 0;
    if (full_reads < kFullReadsBeforeSplice) continue;
    if (plain && !from.has_pushed_back()) {
      Pipe pipe;
      if (pipe.open()) {
        buffer.release();
        Result<void> done = co_await splice_all(from, to, pipe, shared);
        co_return done;
      }
    }
    buffer.acquire(Buffer::kLarge);
  }
}

Task<> one_way(std::shared_ptr<Shared> shared, std::shared_ptr<Stream> from, std::shared_ptr<Stream> to) {
  Result<void> done = co_await copy_all(*from, *to, *shared);
  if (!done) {
    shared->fail(done.error());
  } else {
    to->shutdown_write();
    if (to->is_tls()) shared->end();  // no half-close that everybody understands: the end of one direction is the end
  }
  --shared->running;
  shared->ended.notify();
}

}  // namespace

Task<> relay(std::shared_ptr<Stream> client, std::shared_ptr<Stream> origin, Duration idle, TaskGroup& tasks) {
  auto shared = std::make_shared<Shared>(client->reactor().executor(), idle);
  shared->client = client;
  shared->origin = origin;
  shared->touch();
  tasks.spawn(one_way(shared, origin, client), "relay");
  co_await one_way(shared, client, origin);
  while (shared->running > 0) co_await shared->ended.wait();
  client->close();
  origin->close();
}

}  // namespace outrider
