#include "proxy/tls_server.hpp"

#include "base/tls_client.hpp"
#include "proxy/authority_certificate.hpp"
#include "tests/support/reactor_fixture.hpp"
#include "tests/support/secret_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509v3.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::run_task;

// An authority that may sign others, signed by `issuer`, or by itself.
AuthorityPair make_signed(const char* name, const AuthorityPair* issuer) {
  AuthorityPair pair = std::move(make_authority(name, Clock::system().now()).value());
  X509* certificate = pair.certificate.get();
  const AuthorityPair& signer = issuer == nullptr ? pair : *issuer;
  X509_EXTENSION_free(X509_delete_ext(certificate, X509_get_ext_by_NID(certificate, NID_basic_constraints, -1)));
  X509V3_CTX context;
  X509V3_set_ctx(&context, signer.certificate.get(), certificate, nullptr, nullptr, 0);
  X509_EXTENSION* unlimited = X509V3_EXT_conf_nid(nullptr, &context, NID_basic_constraints, "critical,CA:TRUE");
  X509_add_ext(certificate, unlimited, -1);
  X509_EXTENSION_free(unlimited);
  X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate.get()));
  X509_sign(certificate, signer.key.get(), EVP_sha256());
  return pair;
}

// Both ends of a real handshake on one reactor.
struct TlsServerTest : ::testing::Test {
  testing::SecretFolder folder;
  std::shared_ptr<const Authority> authority = Authority::open(folder.path() / "ca", Clock::system().now()).value();
  Reactor reactor;
  WorkerPool workers{2, 64};
  std::unique_ptr<LeafMint> mint = make_mint(1000);
  std::unique_ptr<TlsServer> server = make_server({"http/1.1"});
  std::unique_ptr<TlsClient> trusting = make_client(folder.write("ca.pem", authority->pem()));
  std::unique_ptr<TlsClient> stranger = make_client("");
  std::shared_ptr<Stream> ours, theirs;
  TaskGroup tasks{reactor.executor()};

  std::unique_ptr<LeafMint> make_mint(double per_second) const {
    LeafLimits limits;
    limits.per_second = per_second;
    return std::move(LeafMint::create(authority, limits).value());
  }
  std::unique_ptr<TlsServer> make_server(std::vector<std::string> alpn) {
    return std::move(TlsServer::create(*mint, workers, std::move(alpn)).value());
  }
  static std::unique_ptr<TlsClient> make_client(const std::string& ca_file) {
    TlsClientOptions options;
    options.system_trust = false;
    options.extra_ca_file = ca_file;
    return std::move(TlsClient::create(options).value());
  }
  void connect() {
    TcpAcceptor acceptor{reactor.executor(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
    TcpSocket socket{reactor.executor()};
    socket.connect(acceptor.local_endpoint());
    ours = std::make_shared<Stream>(reactor, acceptor.accept(), Side::client);
    theirs = std::make_shared<Stream>(reactor, std::move(socket), Side::origin);
  }
  static Task<> visit(TlsClient* client, std::shared_ptr<Stream> stream, std::string host,
                      std::vector<std::string> alpn, std::optional<Result<std::string>>* outcome) {
    Result<std::string> done = co_await client->handshake(*stream, host, 443, std::move(alpn));
    if (!done) stream->close();
    outcome->emplace(std::move(done));
  }
  // What the server says about it; `client_said` is the other side's view.
  std::optional<Result<std::string>> client_said;
  Result<std::string> handshake(TlsClient& client, const std::string& connect_host, const std::string& asked_host,
                                std::vector<std::string> alpn = {}) {
    connect();
    client_said.reset();
    tasks.spawn(visit(&client, theirs, asked_host, std::move(alpn), &client_said), "client");
    return run_task(reactor, server->handshake(*ours, connect_host, 443));
  }
  // One message to the client, so that it sees the tickets before it.
  std::string greet() {
    auto exchange = [](std::shared_ptr<Stream> from, std::shared_ptr<Stream> to) -> Task<std::string> {
      Result<void> sent = co_await from->write("hello");
      std::array<char, 64> buffer;
      Result<std::size_t> got = co_await to->read_some(buffer);
      co_return sent&& got ? std::string{buffer.data(), *got} : std::string{};
    };
    return run_task(reactor, exchange(ours, theirs));
  }
};

TEST_F(TlsServerTest, Client_SeesACertificateForItsHost) {
  for (const std::string host : {"www.example.com", "127.0.0.1", "::1"}) {
    const Result<std::string> done = handshake(*trusting, host, host);
    ASSERT_TRUE(done.has_value()) << done.error().to_string();
    EXPECT_EQ(greet(), "hello");
    ASSERT_TRUE(client_said && client_said->has_value()) << host;  // TlsClient has checked name and issuer
  }
  EXPECT_EQ(mint->minted(), 3U);
  ASSERT_TRUE(handshake(*trusting, "www.example.com", "WWW.Example.com").has_value());
  EXPECT_EQ(mint->minted(), 3U);
}

// RFC 8446 section 4.4.2: each certificate is followed by that of its issuer; the root may be left out.
TEST_F(TlsServerTest, ClientThatTrustsOnlyTheRoot_IsSentWhatLeadsThere) {
  const AuthorityPair root = make_signed("root", nullptr);
  const AuthorityPair middle = make_signed("middle", &root);
  const AuthorityPair sub = make_signed("sub", &middle);
  const AuthorityPair unrelated = make_signed("unrelated", nullptr);
  std::string text;
  for (const AuthorityPair* pair : {&sub, &unrelated, &root, &middle}) text += to_pem(pair->certificate.get()).value();
  trusting = make_client(folder.write("root.pem", to_pem(root.certificate.get()).value()));
  EXPECT_EQ(authority->chain(), nullptr) << "ours is a root";
  authority = Authority::open_own(folder.write("own.crt", text), folder.write("own.key", to_pem(sub.key.get()).value()),
                                  Clock::system().now())
                  .value();
  mint = make_mint(1000);
  server = make_server({});
  EXPECT_FALSE(handshake(*trusting, "a.example", "a.example").has_value()) << "the certificate alone is not enough";
  server = std::move(TlsServer::create(*mint, workers, {}, authority).value());
  const Result<std::string> done = handshake(*trusting, "b.example", "b.example");
  ASSERT_TRUE(done.has_value()) << done.error().to_string();
  EXPECT_EQ(greet(), "hello");
  STACK_OF(X509)* sent = SSL_get_peer_cert_chain(theirs->ssl());
  ASSERT_EQ(sk_X509_num(sent), 3);
  EXPECT_EQ(X509_cmp(sk_X509_value(sent, 1), sub.certificate.get()), 0);
  EXPECT_EQ(X509_cmp(sk_X509_value(sent, 2), middle.certificate.get()), 0);
}

// HOSTILE: SNI ≠ CONNECT host: closed, nothing minted.
TEST_F(TlsServerTest, AnotherServerName_IsTurnedAwayBeforeAnythingIsMinted) {
  const Result<std::string> done = handshake(*trusting, "www.example.com", "other.example");
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().kind, ErrorKind::bad_message);
  EXPECT_EQ(mint->minted(), 0U);
  EXPECT_EQ(certificate_rejection(*ours), std::nullopt);
}

TEST_F(TlsServerTest, Alpn_IsOurPreference) {
  EXPECT_EQ(handshake(*trusting, "a.example", "a.example", {"h2", "http/1.1"}).value(), "http/1.1");
  EXPECT_EQ(handshake(*trusting, "a.example", "a.example", {"h2"}).value(), "");
  EXPECT_EQ(handshake(*trusting, "a.example", "a.example", {}).value(), "");
  server = make_server({"h2", "http/1.1"});
  EXPECT_EQ(handshake(*trusting, "a.example", "a.example", {"http/1.1", "h2"}).value(), "h2");
}

// A ticket costs as much as a part of the handshake, and a packet.
TEST_F(TlsServerTest, ClientThatAsksForNothing_IsSentNoTicket) {
  ASSERT_TRUE(handshake(*trusting, "a.example", "a.example").has_value());
  theirs->shutdown_write();
  auto read_end = [](std::shared_ptr<Stream> from) -> Task<std::size_t> {
    std::array<char, 64> buffer;
    Result<std::size_t> end = co_await from->read_some(buffer);
    co_return end ? *end : 1;
  };
  EXPECT_EQ(run_task(reactor, read_end(ours)), 0U);
  char byte = 0;
  EXPECT_EQ(theirs->socket().peek({&byte, 1}), -1) << "nothing came behind the handshake";
}

TEST_F(TlsServerTest, Sessions_AreResumedForTheSameHost) {
  ASSERT_TRUE(handshake(*trusting, "a.example", "a.example").has_value());
  EXPECT_EQ(SSL_session_reused(ours->ssl()), 0);
  EXPECT_EQ(greet(), "hello");
  ASSERT_TRUE(handshake(*trusting, "a.example", "a.example").has_value());
  EXPECT_EQ(SSL_session_reused(ours->ssl()), 1);
  EXPECT_EQ(greet(), "hello");
  ASSERT_TRUE(handshake(*trusting, "b.example", "b.example").has_value());
  EXPECT_EQ(SSL_session_reused(ours->ssl()), 0);
}

TEST_F(TlsServerTest, ClientThatDoesNotTrustUs_IsRecognised) {
  const Result<std::string> done = handshake(*stranger, "www.example.com", "www.example.com");
  ASSERT_FALSE(done.has_value());
  const std::optional<std::string> why = certificate_rejection(*ours);
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("refused our certificate"));
}

TEST_F(TlsServerTest, ClientThatHangsUpAtOurCertificate_IsRecognised) {
  connect();
  // A real ClientHello, and then nothing more.
  auto hello_and_leave = [](TlsClient* client, std::shared_ptr<Stream> stream) -> Task<> {
    (void)client;
    asio::ssl::context context{asio::ssl::context::tls_client};
    TlsChannel channel{context.native_handle(), stream->socket(), TlsChannel::Role::client, {}};
    channel.handshake();
    Result<void> answer = co_await stream->wait_readable();
    EXPECT_TRUE(answer.has_value());
    stream->close();
  };
  tasks.spawn(hello_and_leave(trusting.get(), theirs), "client");
  const Result<std::string> done = run_task(reactor, server->handshake(*ours, "www.example.com", 443));
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(certificate_rejection(*ours).value_or(""), HasSubstr("hung up"));
}

TEST_F(TlsServerTest, ClientThatHangsUpBeforeIt_HasRefusedNothing) {
  connect();
  theirs->close();
  EXPECT_FALSE(run_task(reactor, server->handshake(*ours, "www.example.com", 443)).has_value());
  EXPECT_EQ(certificate_rejection(*ours), std::nullopt);
  EXPECT_EQ(mint->minted(), 0U);
}

TEST_F(TlsServerTest, TooManyNewNames_AreTurnedAway) {
  mint = make_mint(1);
  server = make_server({});
  EXPECT_TRUE(handshake(*trusting, "a.example", "a.example").has_value());
  const Result<std::string> refused = handshake(*trusting, "b.example", "b.example");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
}

TEST_F(TlsServerTest, OtherProtocols_AreNoHandshake) {
  connect();
  ours->unread("GET / HTTP/1.1\r\n\r\n");
  const Result<std::string> done = run_task(reactor, server->handshake(*ours, "www.example.com", 443));
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(certificate_rejection(*ours), std::nullopt);
}

}  // namespace
}  // namespace outrider
