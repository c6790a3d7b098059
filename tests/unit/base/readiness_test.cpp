#include "base/readiness.hpp"

#include "base/reactor.hpp"
#include "base/task_group.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace outrider {
namespace {

using Direction = ReadySocket::Direction;

// Sockets of a reactor, each with its far end as a bare descriptor.
struct ReadinessTest : ::testing::Test {
  struct Pair {
    std::unique_ptr<ReadySocket> near;
    int far = -1;
  };
  std::optional<Reactor> reactor{std::in_place};
  std::vector<int> far_ends;
  std::array<char, 16> buffer{};

  void TearDown() override {
    for (const int end : far_ends) ::close(end);
  }
  Pair open() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    far_ends.push_back(ends[1]);
    return {std::make_unique<ReadySocket>(reactor->readiness(), ends[0]), ends[1]};
  }
  static void say(int end, std::string_view words) {
    ASSERT_EQ(::send(end, words.data(), words.size(), 0), static_cast<ssize_t>(words.size()));
  }
  // What became of a wait.
  std::shared_ptr<std::optional<ErrorCode>> wait(ReadySocket& socket, Direction direction) {
    auto outcome = std::make_shared<std::optional<ErrorCode>>();
    socket.async_wait(direction, [outcome](const ErrorCode& code) { *outcome = code; });
    return outcome;
  }
  void turn() {
    reactor->context().restart();  // it stops when it has nothing to do
    reactor->context().poll();
  }
};

TEST_F(ReadinessTest, WaitEndsWhenSomethingArrives) {
  const Pair one = open();
  EXPECT_EQ(one.near->receive(buffer), -1);
  const auto outcome = wait(*one.near, Direction::read);
  turn();
  EXPECT_FALSE(outcome->has_value());
  say(one.far, "hello");
  turn();
  ASSERT_TRUE(outcome->has_value());
  EXPECT_FALSE(**outcome);
  EXPECT_EQ(one.near->receive(buffer), 5);
}

// A read that was not filled has taken all there was: the kernel will tell of more.
TEST_F(ReadinessTest, ShortRead_NeedsNoSecondOneToKnow) {
  const Pair one = open();
  const auto outcome = wait(*one.near, Direction::read);
  say(one.far, "hello");
  turn();
  ASSERT_TRUE(outcome->has_value());
  EXPECT_EQ(one.near->receive(buffer), 5);
  EXPECT_FALSE(one.near->may_read());
  const auto next = wait(*one.near, Direction::read);
  say(one.far, "again");
  turn();
  EXPECT_TRUE(next->has_value());
}

TEST_F(ReadinessTest, FullRead_MayHaveLeftSomething) {
  const Pair one = open();
  const auto outcome = wait(*one.near, Direction::read);
  say(one.far, std::string(buffer.size(), 'x'));
  turn();
  ASSERT_TRUE(outcome->has_value());
  EXPECT_EQ(one.near->receive(buffer), static_cast<ssize_t>(buffer.size()));
  EXPECT_TRUE(one.near->may_read());
  EXPECT_FALSE(one.near->has_something());  // asks, and knows from then on
  EXPECT_FALSE(one.near->may_read());
}

// Words and the end may come as one event: there will be no second one for the end.
TEST_F(ReadinessTest, EndBehindAShortRead_IsSeen) {
  const Pair one = open();
  const auto outcome = wait(*one.near, Direction::read);
  say(one.far, "bye");
  ::shutdown(one.far, SHUT_WR);
  turn();
  ASSERT_TRUE(outcome->has_value());
  EXPECT_EQ(one.near->receive(buffer), 3);
  EXPECT_TRUE(one.near->may_read());
  EXPECT_EQ(one.near->receive(buffer), 0);
}

TEST_F(ReadinessTest, WriterWaitsUntilThereIsRoom) {
  const Pair one = open();
  std::string much(1 << 20, 'x');
  iovec piece{much.data(), much.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  while (one.near->send(message) > 0) {
  }
  EXPECT_FALSE(one.near->may_write());
  const auto outcome = wait(*one.near, Direction::write);
  turn();
  EXPECT_FALSE(outcome->has_value());
  while (::recv(one.far, much.data(), much.size(), 0) > 0) {
  }
  turn();
  ASSERT_TRUE(outcome->has_value());
  EXPECT_GT(one.near->send(message), 0);
}

TEST_F(ReadinessTest, BothDirections_WaitSideBySide) {
  const Pair one = open();
  one.near->no_room();
  const auto write = wait(*one.near, Direction::write);
  turn();  // the first event says that there is room
  EXPECT_TRUE(write->has_value());
  one.near->no_room();
  const auto read = wait(*one.near, Direction::read);
  const auto again = wait(*one.near, Direction::write);
  say(one.far, "x");
  turn();
  EXPECT_TRUE(read->has_value());
  EXPECT_TRUE(again->has_value());
}

TEST_F(ReadinessTest, SecondWaitInOneDirection_IsRefused) {
  const Pair one = open();
  const auto first = wait(*one.near, Direction::read);
  const auto second = wait(*one.near, Direction::read);
  turn();
  ASSERT_TRUE(second->has_value());
  EXPECT_EQ(**second, asio::error::already_started);
  EXPECT_FALSE(first->has_value());
}

TEST_F(ReadinessTest, Cancel_EndsOneDirection) {
  const Pair one = open();
  one.near->no_room();
  turn();
  one.near->no_room();
  const auto read = wait(*one.near, Direction::read);
  const auto write = wait(*one.near, Direction::write);
  one.near->cancel(Direction::read);
  EXPECT_FALSE(read->has_value());  // not before whoever cancels has finished
  turn();
  ASSERT_TRUE(read->has_value());
  EXPECT_EQ(**read, asio::error::operation_aborted);
}

TEST_F(ReadinessTest, Close_EndsWaits_AndLaterOnesFail) {
  const Pair one = open();
  const auto before = wait(*one.near, Direction::read);
  one.near->close();
  const auto after = wait(*one.near, Direction::read);
  turn();
  ASSERT_TRUE(before->has_value() && after->has_value());
  EXPECT_EQ(**before, asio::error::operation_aborted);
  EXPECT_EQ(**after, asio::error::bad_descriptor);
}

// Nothing to wait for any more: a reactor without work ends.
TEST_F(ReadinessTest, CanceledWait_DoesNotKeepTheReactorRunning) {
  const Pair one = open();
  const auto outcome = wait(*one.near, Direction::read);
  turn();
  one.near->cancel(Direction::read);
  reactor->run();
  EXPECT_TRUE(outcome->has_value());
}

// Both are reported at once; the first to be resumed closes the other, and opens a new one in its place.
TEST_F(ReadinessTest, EventOfAClosedSocket_IsNotGivenToItsSuccessor) {
  Pair one = open();
  Pair two = open();
  std::optional<Pair> three;
  bool wrong = false;
  int resumed = 0;
  const auto take_over = [&](Pair& other) {
    ++resumed;
    other.near->close();
    three = open();
    three->near->async_wait(Direction::read, [&](const ErrorCode& code) { wrong = !code; });
  };
  one.near->async_wait(Direction::read, [&](const ErrorCode& code) {
    if (!code) take_over(two);
  });
  two.near->async_wait(Direction::read, [&](const ErrorCode& code) {
    if (!code) take_over(one);
  });
  say(one.far, "x");
  say(two.far, "x");
  turn();
  EXPECT_EQ(resumed, 1);
  EXPECT_FALSE(wrong);
}

Task<> wait_for_ever(std::shared_ptr<ReadySocket> socket, std::shared_ptr<int> resumed) {
  auto [code] = co_await socket->async_wait(Direction::read, as_result);
  (void)code;
  ++*resumed;
}

// A coroutine owns the socket that it waits for, and the socket holds the coroutine.
TEST_F(ReadinessTest, ReactorThatEnds_DestroysWhoeverWaits) {
  Pair one = open();
  std::shared_ptr<ReadySocket> socket{std::move(one.near)};
  const std::weak_ptr<ReadySocket> seen{socket};
  const auto resumed = std::make_shared<int>(0);
  asio::co_spawn(reactor->executor(), wait_for_ever(socket, resumed), asio::detached);
  socket.reset();
  turn();
  EXPECT_FALSE(seen.expired());
  reactor.reset();
  EXPECT_TRUE(seen.expired());
  EXPECT_EQ(*resumed, 0);
}

TEST_F(ReadinessTest, CanceledTask_StopsWaiting) {
  Pair one = open();
  const std::shared_ptr<ReadySocket> socket{std::move(one.near)};
  const auto resumed = std::make_shared<int>(0);
  TaskGroup tasks{reactor->executor()};
  tasks.spawn(wait_for_ever(socket, resumed), "waiting");
  turn();
  tasks.cancel();
  turn();
  EXPECT_EQ(*resumed, 1);
  EXPECT_EQ(tasks.active(), 0u);
}

}  // namespace
}  // namespace outrider
