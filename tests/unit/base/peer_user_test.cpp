#include "base/peer_user.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>

namespace outrider {
namespace {

struct PeerUserTest : ::testing::TestWithParam<const char*> {
  PeerUserTest() {
    ErrorCode failed;
    const tcp::endpoint any{asio::ip::make_address(GetParam()), 0};
    acceptor.open(any.protocol(), failed);
    if (!failed) acceptor.bind(any, failed);
    if (!failed) acceptor.listen(1, failed);
    if (failed) return;
    client.connect(acceptor.local_endpoint(), failed);
    if (!failed) acceptor.accept(server, failed);
    connected = !failed;
  }
  void SetUp() override {
    if (!connected) GTEST_SKIP() << "no such address here";
  }

  asio::io_context context;
  asio::ip::tcp::acceptor acceptor{context};
  asio::ip::tcp::socket client{context}, server{context};
  bool connected = false;
};

TEST_P(PeerUserTest, OpenConnection_BelongsToUs) {
  const std::optional<uid_t> user = peer_user(server.remote_endpoint(), server.local_endpoint());
  ASSERT_TRUE(user);
  EXPECT_EQ(*user, ::geteuid());
  EXPECT_TRUE(is_our_user(server.remote_endpoint(), server.local_endpoint()));
}

// The kernel says root of those: who closes at once after asking must not be taken for root.
TEST_P(PeerUserTest, ClosedConnection_BelongsToNobody) {
  const tcp::endpoint peer = server.remote_endpoint(), ours = server.local_endpoint();
  client.close();
  EXPECT_FALSE(peer_user(peer, ours));
  server.close();
  EXPECT_FALSE(peer_user(peer, ours));
}

TEST_P(PeerUserTest, NoConnection_BelongsToNobody) {
  const tcp::endpoint stranger{server.remote_endpoint().address(), 1};
  EXPECT_FALSE(peer_user(stranger, server.local_endpoint()));
  EXPECT_FALSE(peer_user(server.local_endpoint(), {server.remote_endpoint().address(), 1}));  // a listening one
}

TEST_P(PeerUserTest, ConnectionOfAnotherAccount_IsToldApart) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  client.close();
  server.close();
  const tcp::endpoint to = acceptor.local_endpoint();
  const pid_t child = ::fork();
  if (child == 0) {
    const int number = ::setuid(65534) == 0 ? ::socket(to.protocol().family(), SOCK_STREAM, 0) : -1;
    if (number < 0 || ::connect(number, to.data(), static_cast<socklen_t>(to.size())) != 0) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  acceptor.accept(server);
  const std::optional<uid_t> user = peer_user(server.remote_endpoint(), server.local_endpoint());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(user);
  EXPECT_EQ(*user, 65534U);
}

INSTANTIATE_TEST_SUITE_P(BothFamilies, PeerUserTest, ::testing::Values("127.0.0.1", "::1"));

// A socket for both families shows its IPv4 peers as ::ffff:127.0.0.1.
TEST(PeerUser, MappedAddress_IsThatOfIPv4) {
  asio::io_context context;
  asio::ip::tcp::acceptor acceptor{context, {asio::ip::make_address("127.0.0.1"), 0}};
  asio::ip::tcp::socket client{context}, server{context};
  client.connect(acceptor.local_endpoint());
  acceptor.accept(server);
  const auto mapped = [](const tcp::endpoint& end) {
    return tcp::endpoint{asio::ip::make_address("::ffff:127.0.0.1"), end.port()};
  };
  EXPECT_EQ(peer_user(mapped(server.remote_endpoint()), mapped(server.local_endpoint())), ::geteuid());
}

}  // namespace
}  // namespace outrider
