#include "base/tls_channel.hpp"

#include "tests/support/test_ca.hpp"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

namespace outrider {
namespace {

using Kind = TlsStep::Kind;

// A server and a client on the two ends of a socket pair.
struct TlsChannelTest : ::testing::Test {
  testing::TestCa ca;
  SSL_CTX* server_context = SSL_CTX_new(TLS_server_method());
  SSL_CTX* client_context = SSL_CTX_new(TLS_client_method());
  int sockets[2] = {-1, -1};
  std::optional<UnwatchedSocket> server_end, client_end;
  std::unique_ptr<TlsChannel> server, client;
  std::array<char, 64 * 1024> buffer{};

  void SetUp() override {
    const testing::TestCertificate certificate = ca.issue("DNS:site.example");
    BIO* pem =
        BIO_new_mem_buf(certificate.certificate_pem.data(), static_cast<int>(certificate.certificate_pem.size()));
    X509* leaf = PEM_read_bio_X509(pem, nullptr, nullptr, nullptr);
    SSL_CTX_use_certificate(server_context, leaf);
    X509_free(leaf);
    BIO_free(pem);
    pem = BIO_new_mem_buf(certificate.key_pem.data(), static_cast<int>(certificate.key_pem.size()));
    EVP_PKEY* key = PEM_read_bio_PrivateKey(pem, nullptr, nullptr, nullptr);
    SSL_CTX_use_PrivateKey(server_context, key);
    EVP_PKEY_free(key);
    BIO_free(pem);
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets), 0);
  }
  void TearDown() override {
    server.reset();
    client.reset();
    SSL_CTX_free(server_context);
    SSL_CTX_free(client_context);
    for (const int socket : sockets)
      if (socket >= 0) ::close(socket);
  }
  void start(std::string received = {}) {
    server_end.emplace(sockets[0]);
    server = std::make_unique<TlsChannel>(server_context, *server_end, TlsChannel::Role::server, std::move(received));
    if (client) return;
    client_end.emplace(sockets[1]);
    client = std::make_unique<TlsChannel>(client_context, *client_end, TlsChannel::Role::client, "");
  }
  void hang_up(int end) {
    ::close(sockets[end]);
    sockets[end] = -1;
  }
  bool shake_hands() {
    Kind of_client = Kind::want_read, of_server = Kind::want_read;
    for (int i = 0; i < 20 && (of_client != Kind::done || of_server != Kind::done); ++i) {
      if (of_client != Kind::done) of_client = client->handshake().kind;
      if (of_server != Kind::done) of_server = server->handshake().kind;
    }
    return of_client == Kind::done && of_server == Kind::done;
  }
  // Writes all of it while the other side reads; what arrived.
  std::string carry(TlsChannel& from, TlsChannel& to, std::vector<std::string_view> pieces) {
    std::string arrived;
    for (;;) {
      const TlsStep written = from.write(pieces);
      for (;;) {
        const TlsStep read = to.read(buffer);
        if (read.kind != Kind::done) break;
        arrived.append(buffer.data(), read.count);
      }
      if (written.kind != Kind::want_write) {
        EXPECT_EQ(written.kind, Kind::done);
        return arrived;
      }
    }
  }
};

TEST_F(TlsChannelTest, BytesGoBothWays) {
  start();
  ASSERT_TRUE(shake_hands());
  EXPECT_EQ(carry(*client, *server, {"GET ", "", "/"}), "GET /");
  EXPECT_EQ(carry(*server, *client, {"answer"}), "answer");
  EXPECT_EQ(client->read(buffer).kind, Kind::want_read);
}

// A reader that is slow makes the writer wait, and nothing is lost or doubled.
TEST_F(TlsChannelTest, MoreThanTheSocketTakes_ArrivesInOrder) {
  start();
  ASSERT_TRUE(shake_hands());
  std::string large;
  for (int i = 0; large.size() < 3'000'000; ++i) large += std::to_string(i) + ",";
  for (const std::size_t split :
       {std::size_t{0}, std::size_t{1}, std::size_t{16383}, std::size_t{16384}, std::size_t{100'000}}) {
    const std::string_view all = large;
    EXPECT_EQ(carry(*client, *server, {all.substr(0, split), all.substr(split), "end"}), large + "end") << split;
  }
}

TEST_F(TlsChannelTest, WhatWasReadTooEarly_IsTheBeginningOfTheHandshake) {
  client_end.emplace(sockets[1]);
  client = std::make_unique<TlsChannel>(client_context, *client_end, TlsChannel::Role::client, "");
  ASSERT_EQ(client->handshake().kind, Kind::want_read);
  const ssize_t hello = ::recv(sockets[0], buffer.data(), buffer.size(), 0);
  ASSERT_GT(hello, 0);
  start(std::string{buffer.data(), static_cast<std::size_t>(hello)});
  EXPECT_TRUE(shake_hands());
}

TEST_F(TlsChannelTest, Goodbye_IsToldFromACut) {
  start();
  ASSERT_TRUE(shake_hands());
  carry(*server, *client, {"x"});  // the tickets are behind us
  server->shutdown();
  EXPECT_EQ(client->read(buffer).kind, Kind::ended);
}

// RFC 8446 section 6.1: without close_notify somebody else may have ended it.
TEST_F(TlsChannelTest, ConnectionThatIsCut_IsAFailure) {
  start();
  ASSERT_TRUE(shake_hands());
  hang_up(0);
  TlsStep step{Kind::done};
  while (step.kind == Kind::done) step = client->read(buffer);
  EXPECT_EQ(step.kind, Kind::failed);
  EXPECT_TRUE(client->peer_closed());
  EXPECT_EQ(client->failure(Side::origin, "reading").kind, ErrorKind::closed_early);
}

TEST_F(TlsChannelTest, WritingToNobody_IsAFailureAndNoSignal) {
  start();
  ASSERT_TRUE(shake_hands());
  hang_up(0);
  std::array<std::string_view, 1> pieces{"hello"};
  EXPECT_EQ(client->write(pieces).kind, Kind::failed);
  EXPECT_EQ(client->failure(Side::origin, "writing").kind, ErrorKind::closed_early);
}

TEST_F(TlsChannelTest, WhatCameBeforeTheEnd_IsDelivered) {
  start();
  ASSERT_TRUE(shake_hands());
  std::array<std::string_view, 1> pieces{"last words"};
  ASSERT_EQ(server->write(pieces).kind, Kind::done);
  server->shutdown();
  hang_up(0);
  const TlsStep words = client->read(buffer);
  EXPECT_EQ(words.kind, Kind::done);
  EXPECT_EQ(std::string_view(buffer.data(), words.count), "last words");
  EXPECT_TRUE(client->has_pending());  // nobody must wait for the socket to say it again
  EXPECT_EQ(client->read(buffer).kind, Kind::ended);
}

TEST_F(TlsChannelTest, SomethingElse_IsNoHandshake) {
  start("SSH-2.0-OpenSSH_9.2\r\n");
  EXPECT_EQ(server->handshake().kind, Kind::failed);
  EXPECT_EQ(server->failure(Side::client, "handshake").kind, ErrorKind::tls_failed);
  EXPECT_FALSE(server->peer_closed());
}

// The number of a closed socket may be somebody else's.
TEST_F(TlsChannelTest, AForgottenSocket_IsNotTouched) {
  start();
  ASSERT_TRUE(shake_hands());
  server_end->forget();
  std::array<std::string_view, 1> pieces{"for nobody"};
  EXPECT_EQ(server->write(pieces).kind, Kind::failed);
  carry(*client, *client, {});
  while (::recv(sockets[1], buffer.data(), buffer.size(), 0) > 0) {
  }
  server->shutdown();
  EXPECT_EQ(::recv(sockets[1], buffer.data(), buffer.size(), 0), -1);
}

// The certificate callback may ask for time.
TEST_F(TlsChannelTest, Lookup_IsWaitedFor) {
  static bool ready = false;
  SSL_CTX_set_cert_cb(
      server_context, [](SSL*, void*) { return ready ? 1 : -1; }, nullptr);
  start();
  client->handshake();
  EXPECT_EQ(server->handshake().kind, Kind::want_lookup);
  EXPECT_EQ(server->handshake().kind, Kind::want_lookup);
  ready = true;
  EXPECT_TRUE(shake_hands());
}

// RFC 8446 section 4.6.3: each request for new keys has to be answered. Who asks for ever and reads nothing is cut off.
TEST_F(TlsChannelTest, EndlessChangesOfKeys_CostBoundedMemory) {
  start();
  ASSERT_TRUE(shake_hands());
  carry(*server, *client, {"x"});
  TlsStep step{Kind::want_read};
  int asked = 0;
  for (; asked < 200'000 && step.kind == Kind::want_read; ++asked) {
    SSL_key_update(client->ssl(), SSL_KEY_UPDATE_REQUESTED);
    if (client->handshake().kind != Kind::done) break;
    step = server->read(buffer);
  }
  EXPECT_EQ(step.kind, Kind::failed) << asked;
}

}  // namespace
}  // namespace outrider
