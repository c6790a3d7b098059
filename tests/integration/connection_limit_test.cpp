// What a client that is over the limit on connections gets to see.
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <vector>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct ConnectionLimit : ::testing::Test {
  RunningOutrider outrider{{"--set", "limits.connections=1"}};
  RawSocket admitted = RawSocket::connect(outrider.port());

  void SetUp() override {  // the place is taken only when the connection has been accepted
    admitted.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_THAT(admitted.read_message(), StartsWith("HTTP/1.1 200 "));
  }
  // A connection whose request lies in the socket before the program looks at it.
  RawSocket one_too_many() {
    outrider.signal(SIGSTOP);
    RawSocket socket = RawSocket::connect(outrider.port());
    socket.send("POST http://example.org/ HTTP/1.1\r\nHost: example.org\r\nContent-Length: 1000\r\n\r\nsome of it");
    outrider.signal(SIGCONT);
    return socket;
  }
};

// RFC 9112 section 9.6: closing a socket with unread bytes sends a reset, which can destroy the answer on its way.
TEST_F(ConnectionLimit, OneTooMany_GetsAnAnswerAndAnOrderlyEnd) {
  RawSocket socket = one_too_many();
  const std::string answer = socket.read_message();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(answer, HasSubstr("\r\nRetry-After: "));
  EXPECT_TRUE(socket.send("and the rest of it"));
  socket.finish_sending();
  char byte = 0;
  EXPECT_EQ(::recv(socket.descriptor(), &byte, 1, 0), 0) << "not a reset";
}

// Turning away must not cost more than admitting: the number of those who are seen to the door is bounded.
TEST_F(ConnectionLimit, ACrowdOfThem_IsAnsweredToo) {
  std::vector<RawSocket> crowd;
  for (int i = 0; i < 300; ++i) crowd.push_back(RawSocket::connect(outrider.port()));
  for (RawSocket& socket : crowd) EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 503 "));
  for (RawSocket& socket : crowd) EXPECT_TRUE(socket.closed_by_peer());
  admitted.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(admitted.read_message(), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace outrider::testing
