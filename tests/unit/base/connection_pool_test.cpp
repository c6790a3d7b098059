#include "base/connection_pool.hpp"

#include "tests/support/http_client_fixture.hpp"

#include <boost/asio/post.hpp>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::ScriptedServer;
using Lease = ConnectionPool::Lease;

// Most of what a pool promises is about places, with or without a connection.
struct ConnectionPoolTest : testing::HttpClientFixture {
  std::string order;  // who got a place, one letter each
  TaskGroup waiters{reactor.executor()};

  std::shared_ptr<ConnectionPool> make(std::size_t total, std::size_t per_origin, std::size_t waiting = 8) {
    PoolLimits limits;
    limits.total = total;
    limits.per_origin = per_origin;
    limits.waiting_per_origin = waiting;
    return std::make_shared<ConnectionPool>(reactor, limits);
  }
  static Lease take(ConnectionPool& from, std::string_view key) {
    Lease lease;
    EXPECT_TRUE(from.try_acquire(key, lease, false)) << key;
    return lease;
  }
  static Task<> wait_in_line(std::shared_ptr<ConnectionPool> from, char name, std::string* order, bool keep) {
    Result<Lease> lease = co_await from->acquire("a", Deadline::after(5s));
    if (!lease) co_return;
    *order += name;
    const Executor executor = co_await asio::this_coro::executor;
    AsyncEvent never{executor};
    while (keep) co_await never.wait();
  }
  void line_up(const std::shared_ptr<ConnectionPool>& at, char name, bool keep = false) {
    waiters.spawn(wait_in_line(at, name, &order, keep), "waiter");
  }
  static Task<bool> turns(Reactor& reactor) {
    for (int i = 0; i < 50; ++i) co_await asio::post(reactor.executor(), asio::deferred);
    co_return true;
  }
  void let_run() { run_task(reactor, turns(reactor)); }
  Result<Lease> acquire(ConnectionPool& from, const std::string& key, Duration limit) {
    return run_task(reactor, from.acquire(key, Deadline::after(limit)));
  }
};

TEST_F(ConnectionPoolTest, Limits_PerOriginAndInTotal) {
  const auto small = make(3, 2);
  const Lease first = take(*small, "a"), second = take(*small, "a");
  Lease lease;
  EXPECT_FALSE(small->try_acquire("a", lease, false)) << "two at most for one origin";
  const Lease other = take(*small, "b");
  EXPECT_FALSE(small->try_acquire("c", lease, false)) << "three at most";
  EXPECT_EQ(small->in_use(), 3U);
  EXPECT_EQ(acquire(*small, "c", 10ms).error().kind, ErrorKind::timeout);
}

TEST_F(ConnectionPoolTest, TooManyWaiting_IsBusy) {
  const auto small = make(8, 1, 1);
  const Lease only = take(*small, "a");
  line_up(small, 'B');
  let_run();
  EXPECT_EQ(acquire(*small, "a", 5s).error().kind, ErrorKind::busy);
}

TEST_F(ConnectionPoolTest, WhoWaits_IsServedInTurn) {
  const auto small = make(8, 1);
  Lease only = take(*small, "a");
  for (const char name : {'B', 'C', 'D'}) line_up(small, name);
  let_run();
  only.give_back();
  Lease late;
  EXPECT_FALSE(small->try_acquire("a", late, false)) << "whoever comes now is not before those who wait";
  line_up(small, 'E');
  let_run();
  EXPECT_EQ(order, "BCDE");
  EXPECT_EQ(small->in_use(), 0U);
}

// One who comes between two places getting free and the first waiter hearing of it has missed the news of both.
TEST_F(ConnectionPoolTest, FreePlace_NeverWaitsForNewsThatWereMissed) {
  const auto small = make(8, 2);
  Lease first = take(*small, "a"), second = take(*small, "a");
  line_up(small, 'B', true);
  let_run();
  auto free_both_and_line_up = [&]() -> Task<> {
    first.give_back();
    second.give_back();
    co_await wait_in_line(small, 'C', &order, true);
  };
  waiters.spawn(free_both_and_line_up(), "the late one");
  let_run();
  EXPECT_EQ(order, "BC");
}

TEST_F(ConnectionPoolTest, CancelledWaiter_LeavesTheLine) {
  const auto small = make(8, 1, 1);
  Lease only = take(*small, "a");
  line_up(small, 'B');
  let_run();
  waiters.cancel();
  let_run();
  EXPECT_EQ(waiters.active(), 0U);
  line_up(small, 'C');  // there is room in the line again, and nobody before us in it
  let_run();
  only.give_back();
  let_run();
  EXPECT_EQ(order, "C");
}

struct KeptConnections : ConnectionPoolTest {
  static constexpr const char* kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  static Task<bool> until_idle(std::shared_ptr<ConnectionPool> of, std::size_t count, Executor executor) {
    AsyncEvent nothing{executor};
    const Deadline deadline = Deadline::after(5s);
    while (of->idle() != count && !deadline.passed()) co_await nothing.wait(Deadline::after(10ms));
    co_return of->idle() == count;
  }
};

TEST_F(KeptConnections, IdleForTooLong_AreClosed) {
  PoolLimits limits;
  limits.idle = 1ms;
  const auto brief = std::make_shared<ConnectionPool>(reactor, limits);
  HttpClient asking{reactor, egress, brief, HttpLimits{}};
  sender = &asking;
  ScriptedServer server{reactor, {ScriptedServer::answering(kAnswer)}};
  for (int i = 0; i < 2; ++i) {  // the second time too
    ASSERT_TRUE(get(server.port()).has_value());
    EXPECT_TRUE(run_task(reactor, until_idle(brief, 0, reactor.executor())));
  }
}

TEST_F(KeptConnections, InTotal_TheOneUnusedForLongestMakesRoom) {
  const auto small = make(2, 2);
  HttpClient asking{reactor, egress, small, HttpLimits{}};
  sender = &asking;
  ScriptedServer a{reactor, {ScriptedServer::answering(kAnswer)}};
  ScriptedServer b{reactor, {ScriptedServer::answering(kAnswer)}};
  ScriptedServer c{reactor, {ScriptedServer::answering(kAnswer)}};
  for (const ScriptedServer* server : {&a, &b, &a, &c}) ASSERT_TRUE(get(server->port()).has_value());
  EXPECT_EQ(small->idle(), 2U);
  ASSERT_TRUE(get(a.port()).has_value());
  EXPECT_EQ(a.accepted(), 1U) << "used again lately: kept";
  ASSERT_TRUE(get(b.port()).has_value());
  EXPECT_EQ(b.accepted(), 2U) << "made room for the third";
}

}  // namespace
}  // namespace outrider
