#include "base/stream.hpp"

#include "base/task_group.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace outrider {
namespace {

using namespace std::chrono_literals;

// One end of a connection on loopback as a Stream whose clock stands still, the other as a plain socket.
struct StreamTest : ::testing::Test {
  FakeClock clock;
  Reactor reactor{clock};
  TcpSocket peer{reactor.executor()};
  std::array<char, 64> buffer{};
  static inline const std::string big = std::string(32 << 20, 'x');  // more than any socket buffer takes
  TaskGroup tasks{reactor.executor()};

  std::shared_ptr<Stream> connect(Side side) {
    TcpAcceptor acceptor{reactor.executor(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
    peer.connect(acceptor.local_endpoint());
    return std::make_shared<Stream>(reactor, acceptor.accept(), side);
  }
  template <class T>
  void start(Task<Result<T>> operation, std::optional<Result<T>>& outcome) {
    auto run = [](Task<Result<T>> inner, std::optional<Result<T>>* out) -> Task<> {
      Result<T> result = co_await std::move(inner);
      out->emplace(std::move(result));
    };
    tasks.spawn(run(std::move(operation), &outcome), "operation");
    reactor.context().poll();
  }
  // Lets the writer finish; how much arrived.
  std::size_t received(Stream& stream) {
    std::size_t total = 0;
    std::vector<char> sink(1 << 20);
    ErrorCode code;
    while (total < big.size() && !code) {
      total += peer.read_some(asio::buffer(sink), code);
      reactor.context().poll();
    }
    stream.shutdown_write();
    return total;
  }
  void pass(Duration time) {
    clock.advance(time);
    reactor.sweeper().sweep();
    reactor.context().poll();
  }
};

TEST_F(StreamTest, ClearingTheWriteDeadline_LeavesTheReadDeadline) {
  const auto stream = connect(Side::client);
  std::optional<Result<std::size_t>> read;
  stream->read_expires_in(10s);
  start(stream->read_some(buffer), read);
  stream->write_expires_in(60s);
  stream->no_write_deadline();
  pass(9s);
  EXPECT_FALSE(read.has_value());
  pass(1s);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->error().kind, ErrorKind::timeout);
}

TEST_F(StreamTest, ClearingTheReadDeadline_LeavesTheWriteDeadline) {
  const auto stream = connect(Side::client);
  std::optional<Result<void>> write;
  stream->write_expires_in(10s);
  start(stream->write(big), write);
  stream->read_expires_in(60s);
  stream->no_read_deadline();
  pass(9s);
  EXPECT_FALSE(write.has_value());
  pass(1s);
  ASSERT_TRUE(write.has_value());
  EXPECT_EQ(write->error().kind, ErrorKind::timeout);
}

TEST_F(StreamTest, TheLaterDeadline_IsStillKeptAfterTheSoonerWasCleared) {
  const auto stream = connect(Side::client);
  std::optional<Result<std::size_t>> read;
  stream->read_expires_in(20s);
  stream->write_expires_in(10s);
  start(stream->read_some(buffer), read);
  stream->no_write_deadline();
  pass(15s);
  EXPECT_FALSE(read.has_value());
  pass(5s);
  EXPECT_TRUE(read.has_value());
}

// A deadline that passes while nothing is pending must not leave the next operation waiting for ever.
TEST_F(StreamTest, OperationBegunTooLate_FailsAtOnce) {
  const auto stream = connect(Side::client);
  stream->read_expires_in(10s);
  pass(10s);
  std::optional<Result<std::size_t>> read;
  start(stream->read_some(buffer), read);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->error().kind, ErrorKind::timeout);
}

// 408: the answer to a request that came too slowly is still written.
TEST_F(StreamTest, LateRead_DoesNotForbidToSayWhy) {
  const auto stream = connect(Side::client);
  stream->read_expires_in(10s);
  pass(10s);
  std::optional<Result<void>> write;
  start(stream->write("HTTP/1.1 408 Request Timeout\r\n\r\n"), write);
  ASSERT_TRUE(write.has_value());
  EXPECT_TRUE(write->has_value());
}

// An upload that stalls says nothing about the answer that is on its way.
TEST_F(StreamTest, LateRead_DoesNotEndAPendingWrite) {
  const auto stream = connect(Side::client);
  std::optional<Result<std::size_t>> read;
  std::optional<Result<void>> write;
  stream->read_expires_in(10s);
  start(stream->read_some(buffer), read);
  start(stream->write(big), write);
  pass(10s);
  EXPECT_TRUE(read.has_value());
  ASSERT_FALSE(write.has_value());
  EXPECT_EQ(received(*stream), big.size());
  ASSERT_TRUE(write.has_value());
  EXPECT_TRUE(write->has_value());
}

TEST_F(StreamTest, LateWrite_EndsTheConnectionToAClient) {
  const auto stream = connect(Side::client);
  stream->write_expires_in(10s);
  pass(10s);
  EXPECT_FALSE(stream->is_open());
}

// The kernel tells of room when much has been taken. Until then it knows whether anything is.
TEST_F(StreamTest, SlowReader_HasAsMuchTimeAsItNeeds_AndOneThatStopsHasNot) {
  const auto stream = connect(Side::client);
  std::optional<Result<void>> write;
  stream->sends_at_once(big.size());
  stream->write_expires_in(10s);
  start(stream->write(big), write);
  std::vector<char> some(128 * 1024);
  const std::size_t sent = stream->bytes_out();
  while (stream->bytes_out() == sent) {
    for (int i = 0; i < 2; ++i) asio::read(peer, asio::buffer(some));
    pass(10s);
    ASSERT_FALSE(write.has_value()) << "it reads";
  }
  pass(10s);
  pass(10s);
  ASSERT_TRUE(write.has_value());
  EXPECT_EQ(write->error().kind, ErrorKind::timeout);
}

// A cancellation would only reach what is pending at that moment, and let the next step of a TLS operation begin.
TEST_F(StreamTest, DeadlineTowardsAnOrigin_ClosesTheConnection) {
  for (const Side side : {Side::origin, Side::parent}) {
    const auto stream = connect(side);
    std::optional<Result<void>> write;
    stream->read_expires_in(10s);
    start(stream->write(big), write);
    pass(10s);
    EXPECT_FALSE(stream->is_open());
    ASSERT_TRUE(write.has_value());
    EXPECT_EQ(write->error().kind, ErrorKind::timeout);
    peer.close();
  }
}

// A peer that sends without end, and faster than we read, does not keep the others from their turn.
TEST_F(StreamTest, ReaderThatNeverHasToWait_GivesOthersTheirTurn) {
  const auto stream = connect(Side::origin);
  peer.non_blocking(true);
  ErrorCode full;
  while (!full) peer.write_some(asio::buffer(big), full);
  ASSERT_GT(stream->peek(1).size(), 0u);
  std::size_t before_the_other = 0;
  bool other_had_its_turn = false;
  auto read_all = [](std::shared_ptr<Stream> from, const bool* other, std::size_t* count) -> Task<> {
    std::array<char, 4096> piece{};
    while (!*other) {
      Result<std::size_t> got = co_await from->read_some(piece);
      if (!got || *got == 0) co_return;
      *count += *got;
    }
  };
  tasks.spawn(read_all(stream, &other_had_its_turn, &before_the_other), "reader");
  reactor.context().poll_one();  // it has begun
  asio::post(reactor.executor(), [&] { other_had_its_turn = true; });
  reactor.context().poll();
  EXPECT_TRUE(other_had_its_turn);
  EXPECT_LE(before_the_other, 128u * 1024);
}

TEST_F(StreamTest, WhoLooksNowAndThenInsteadOfWaiting_FindsWhatCame) {
  const auto stream = connect(Side::client);
  for (const std::string_view sent : {"first", "second"}) {
    peer.write_some(asio::buffer(sent));
    stream->look_anew();
    const auto got = stream->read_now(buffer);
    ASSERT_TRUE(got && *got) << sent;
    EXPECT_EQ((std::string_view{buffer.data(), **got}), sent);
    EXPECT_FALSE(stream->read_now(buffer)) << "nothing more";
    reactor.context().poll();  // nobody waits, so nothing is told
  }
}

// For the other half of a tunnel: an orderly end would say that everything has arrived.
TEST_F(StreamTest, Reset_IsHeardAsSuch) {
  const auto stream = connect(Side::origin);
  stream->reset();
  ErrorCode code;
  peer.read_some(asio::buffer(buffer), code);
  EXPECT_EQ(code, asio::error::connection_reset);
}

// RFC 9110 section 9.3.6: what is on its way is delivered before the tunnel is closed.
TEST_F(StreamTest, Reset_LetsArriveWhatWasSent) {
  const auto stream = connect(Side::origin);
  std::array<std::string_view, 1> pieces{big};
  ASSERT_TRUE(stream->write_now(pieces).has_value());
  stream->reset();
  std::size_t total = 0;
  std::vector<char> sink(1 << 20);
  ErrorCode code;
  while (!code) total += peer.read_some(asio::buffer(sink), code);
  EXPECT_EQ(code, asio::error::eof);
  EXPECT_EQ(total, stream->bytes_out());
}

TEST_F(StreamTest, GatheredBytes_AreToldWhenThereAreEnough) {
  const auto stream = connect(Side::origin);
  std::optional<Result<std::size_t>> read;
  stream->gather(1000);
  start(stream->read_some(buffer), read);
  asio::write(peer, asio::buffer(big, 999));
  reactor.context().poll();
  EXPECT_FALSE(read.has_value());
  asio::write(peer, asio::buffer(big, 1));
  reactor.context().poll();
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->value(), buffer.size());
}

TEST_F(StreamTest, TooFewToGather_AreToldAfterAMoment_AndNothingElseHappens) {
  const auto stream = connect(Side::origin);
  std::optional<Result<std::size_t>> read, next;
  stream->read_expires_in(60s);
  stream->gather(1000);
  start(stream->read_some(buffer), read);
  asio::write(peer, asio::buffer(big, 10));
  pass(99ms);
  EXPECT_FALSE(read.has_value());
  pass(1ms);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->value(), 10U);
  start(stream->read_some(buffer), next);
  asio::write(peer, asio::buffer(big, 1));
  reactor.context().poll();
  ASSERT_TRUE(next.has_value()) << "it gathers once only";
  EXPECT_EQ(next->value(), 1U);
}

TEST_F(StreamTest, TheEnd_IsToldAtOnce_HoweverMuchIsGathered) {
  const auto stream = connect(Side::origin);
  std::optional<Result<std::size_t>> read, end;
  stream->gather(1000);
  start(stream->read_some(buffer), read);
  asio::write(peer, asio::buffer(big, 10));
  peer.close();
  reactor.context().poll();
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->value(), 10U);
  start(stream->read_some(buffer), end);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->value(), 0U);
}

TEST_F(StreamTest, Gathering_ChangesNoDeadline) {
  const auto stream = connect(Side::client);
  std::optional<Result<std::size_t>> read;
  stream->read_expires_in(250ms);
  stream->gather(1000);
  start(stream->read_some(buffer), read);
  pass(100ms);
  pass(149ms);
  EXPECT_FALSE(read.has_value());
  pass(1ms);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->error().kind, ErrorKind::timeout);
}

}  // namespace
}  // namespace outrider
