#include "base/readiness_loop.hpp"

#include "base/reactor.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <thread>

#include <boost/asio/signal_set.hpp>

namespace outrider {
namespace {

// A socket on which nothing ever happens: the loop has something to wait for.
struct ReadinessLoopTest : ::testing::Test {
  Reactor reactor;
  int far = -1;
  std::unique_ptr<ReadySocket> silent = open();

  ~ReadinessLoopTest() override { ::close(far); }
  std::unique_ptr<ReadySocket> open() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    far = ends[1];
    return std::make_unique<ReadySocket>(reactor.readiness(), ends[0]);
  }
  void wait_for_ever() {
    silent->async_wait(ReadySocket::Direction::read, [this](const ErrorCode& code) { outcome = code; });
  }
  ErrorCode outcome;
};

TEST_F(ReadinessLoopTest, PostOfAnotherThread_WakesIt) {
  wait_for_ever();
  std::thread other;
  asio::post(reactor.context(), [&] {  // from now on it is in the loop, or about to wait there
    other = std::thread{[&] { reactor.post([&] { silent->close(); }); }};
  });
  reactor.run();  // ends, because nobody waits any more
  other.join();
  EXPECT_EQ(outcome, asio::error::operation_aborted);
}

TEST_F(ReadinessLoopTest, StopOfAnotherThread_EndsIt) {
  wait_for_ever();
  std::thread other;
  asio::post(reactor.context(), [&] { other = std::thread{[&] { reactor.stop(); }}; });
  reactor.run();
  other.join();
  EXPECT_FALSE(outcome);
}

TEST_F(ReadinessLoopTest, TimersRunWhileSocketsAreSilent) {
  wait_for_ever();
  Timer timer{reactor.executor()};
  int rung = 0;
  timer.expires_after(std::chrono::milliseconds{1});
  timer.async_wait([&](const ErrorCode& code) {
    if (code) return;
    ++rung;
    timer.expires_after(std::chrono::milliseconds{1});
    timer.async_wait([&](const ErrorCode& again) {
      if (!again) ++rung;
      silent->close();
    });
  });
  reactor.run();
  EXPECT_EQ(rung, 2);
}

TEST_F(ReadinessLoopTest, SignalsAreHeardWhileSocketsAreSilent) {
  wait_for_ever();
  asio::signal_set signals{reactor.context(), SIGUSR1};
  int heard = 0;
  signals.async_wait([&](const ErrorCode& code, int signal) {
    if (!code) heard = signal;
    silent->close();
  });
  asio::post(reactor.context(), [] { ::raise(SIGUSR1); });
  reactor.run();
  EXPECT_EQ(heard, SIGUSR1);
}

// Asio's sockets and ours in one loop.
TEST_F(ReadinessLoopTest, AsioSocketsWorkBesideOurs) {
  TcpAcceptor acceptor{reactor.executor(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
  TcpSocket caller{reactor.executor()};
  bool accepted = false;
  acceptor.async_accept([&](const ErrorCode& code, const TcpSocket&) {
    accepted = !code;
    ASSERT_EQ(::send(far, "x", 1, 0), 1);
  });
  caller.async_connect(acceptor.local_endpoint(), [](const ErrorCode&) {});
  outcome = asio::error::would_block;
  wait_for_ever();
  reactor.run();
  EXPECT_TRUE(accepted);
  EXPECT_FALSE(outcome);
}

// Nobody may have a reactor without this loop in it.
TEST_F(ReadinessLoopTest, ContextThatIsInUse_IsRefused) {
  asio::io_context context;
  const Timer earlier{context.get_executor()};
  Readiness readiness;
  EXPECT_THROW(readiness.begin(context), asio::service_already_exists);
}

}  // namespace
}  // namespace outrider
