#include "base/early_connections.hpp"

#include "base/egress.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;

struct EarlyConnectionsTest : ::testing::Test {
  FakeClock clock;
  Reactor reactor{clock};
  EarlyConnections early{reactor};

  void pass(Duration time) {
    clock.advance(time);
    reactor.sweeper().sweep();
  }
};

TEST_F(EarlyConnectionsTest, AnAttempt_IsClaimedOnce) {
  const auto attempt = early.begin("a");
  ASSERT_NE(attempt, nullptr);
  EXPECT_EQ(early.begin("a"), nullptr);
  EXPECT_EQ(early.claim("b"), nullptr);
  EXPECT_EQ(early.claim("a"), attempt);
  EXPECT_EQ(early.claim("a"), nullptr);
  EXPECT_NE(early.begin("a"), nullptr);
}

TEST_F(EarlyConnectionsTest, WhatNobodyClaims_IsLetGo) {
  const std::weak_ptr<EarlyConnections::Attempt> first = early.begin("a");
  pass(5s);
  const std::weak_ptr<EarlyConnections::Attempt> second = early.begin("b");
  pass(5s);
  EXPECT_TRUE(first.expired());
  EXPECT_FALSE(second.expired());
  pass(5s);
  EXPECT_TRUE(second.expired());
  EXPECT_EQ(early.claim("b"), nullptr);
}

TEST_F(EarlyConnectionsTest, Number_IsBounded) {
  for (std::size_t i = 0; i < EarlyConnections::kAtMost; ++i) EXPECT_NE(early.begin(std::to_string(i)), nullptr);
  EXPECT_EQ(early.begin("one more"), nullptr);
  early.claim("0");
  EXPECT_NE(early.begin("one more"), nullptr);
}

// The reason is worth as much as the connection: it need not be found out twice.
TEST_F(EarlyConnectionsTest, AFailure_IsHandedOutToo) {
  const auto attempt = early.begin("a");
  attempt->outcome =
      std::make_unique<Result<EgressConnection>>(Error{ErrorKind::tls_untrusted, Side::origin, "expired"});
  EXPECT_EQ(early.claim("a"), attempt);
}

TEST_F(EarlyConnectionsTest, AConnectionThatHasEnded_IsNot) {
  TcpAcceptor acceptor{reactor.executor(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
  TcpSocket peer{reactor.executor()};
  peer.connect(acceptor.local_endpoint());
  const auto attempt = early.begin("a");
  EgressConnection connection;
  connection.stream = std::make_shared<Stream>(reactor, acceptor.accept(), Side::origin);
  attempt->outcome = std::make_unique<Result<EgressConnection>>(std::move(connection));
  peer.close();
  EXPECT_EQ(early.claim("a"), nullptr);
}

}  // namespace
}  // namespace outrider
