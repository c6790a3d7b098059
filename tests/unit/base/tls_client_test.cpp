#include "base/tls_client.hpp"

#include "tests/support/http_client_fixture.hpp"
#include "tests/support/test_ca.hpp"

#include <unistd.h>
#include <boost/asio/ssl.hpp>

#include <fstream>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::ScriptedServer;
using testing::TestCa;
using testing::TestCertificate;

int choose_h2(SSL*, const unsigned char** out, unsigned char* length, const unsigned char* in, unsigned in_length,
              void*) {
  static const unsigned char kOurs[] = "\x02h2";
  return SSL_select_next_proto(const_cast<unsigned char**>(out), length, kOurs, 3, in, in_length) ==
                 OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_NOACK;
}

struct TlsClientTest : testing::HttpClientFixture {
  TestCa ca;
  std::string ca_file = ::testing::TempDir() + "outrider-test-ca-" + std::to_string(::getpid()) + ".pem";
  int resumed = 0;
  std::string server_name;

  void SetUp() override {
    std::ofstream{ca_file} << ca.pem();
    TlsClientOptions options = tls_options();
    options.extra_ca_file = ca_file;
    tls = TlsClient::create(options).value();
  }
  void TearDown() override { std::remove(ca_file.c_str()); }

  std::shared_ptr<asio::ssl::context> server_context(const TestCertificate& certificate) {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    context->use_certificate_chain(asio::buffer(certificate.certificate_pem));
    context->use_private_key(asio::buffer(certificate.key_pem), asio::ssl::context::pem);
    SSL_CTX_set_alpn_select_cb(context->native_handle(), choose_h2, nullptr);
    return context;
  }
  Task<> serve(TcpSocket socket, std::shared_ptr<asio::ssl::context> context) {
    asio::ssl::stream<TcpSocket> stream{std::move(socket), *context};
    auto [code] = co_await stream.async_handshake(asio::ssl::stream_base::server, as_result);
    if (code) co_return;
    if (SSL_session_reused(stream.native_handle()) == 1) ++resumed;
    const char* name = SSL_get_servername(stream.native_handle(), TLSEXT_NAMETYPE_host_name);
    server_name = name == nullptr ? "" : name;
    std::array<char, 1024> buffer;
    for (;;) {
      auto [failed, count] = co_await stream.async_read_some(asio::buffer(buffer), as_result);
      if (failed) co_return;
      co_await asio::async_write(stream, asio::buffer(std::string{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"}),
                                 as_result);
    }
  }
  Result<EgressConnection> connect(const TestCertificate& certificate, const std::string& host,
                                   std::vector<std::string> alpn = {}) {
    names[host] = {asio::ip::make_address("127.0.0.1")};
    auto context = server_context(certificate);
    ScriptedServer server{reactor, {[this, context](TcpSocket s) { return serve(std::move(s), context); }}};
    return connect_to(server.port(), host, std::move(alpn));
  }
  Result<EgressConnection> connect_to(std::uint16_t port, const std::string& host, std::vector<std::string> alpn = {},
                                      std::string apart = {}) {
    Egress egress_with_ca{reactor, resolver, *tls};
    EgressTarget target;
    target.host = host;
    target.port = port;
    target.tls = true;
    target.alpn = std::move(alpn);
    target.policy = policy;
    target.apart = std::move(apart);
    return run_task(reactor, egress_with_ca.connect(target, Deadline::after(5s)));
  }
};

TEST_F(TlsClientTest, TrustedCertificate_IsAcceptedAndTheNameIsSent) {
  const auto connection = connect(ca.issue("DNS:site.example"), "site.example");
  ASSERT_TRUE(connection.has_value()) << connection.error().to_string();
  EXPECT_TRUE(connection->stream->is_tls());
}

TEST_F(TlsClientTest, AddressLiteral_IsCheckedAgainstTheAddressAndSendsNoName) {
  EXPECT_TRUE(connect(ca.issue("IP:127.0.0.1"), "127.0.0.1").has_value());
  EXPECT_FALSE(connect(ca.issue("DNS:127.0.0.1"), "127.0.0.1").has_value());
}

struct Refused {
  const char* what;
  const char* alt_name;
  int from;
  int to;
  const char* reason;
};

TEST_F(TlsClientTest, BadCertificates_AreRefusedWithTheTrueReason) {
  for (const Refused& bad : {Refused{"expired", "DNS:site.example", -30, -1, "expired"},
                             Refused{"not yet valid", "DNS:site.example", 2, 30, "not yet valid"},
                             Refused{"another name", "DNS:other.example", -1, 30, "hostname mismatch"},
                             Refused{"partial wildcard", "DNS:s*.example", -1, 30, "hostname mismatch"}}) {
    const auto connection = connect(ca.issue(bad.alt_name, bad.from, bad.to), "site.example");
    ASSERT_FALSE(connection.has_value()) << bad.what;
    EXPECT_EQ(connection.error().kind, ErrorKind::tls_untrusted) << bad.what;
    EXPECT_NE(connection.error().detail.find(bad.reason), std::string::npos) << connection.error().detail;
  }
  const TestCa stranger;
  const auto connection = connect(stranger.issue("DNS:site.example"), "site.example");
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().kind, ErrorKind::tls_untrusted);
}

TEST_F(TlsClientTest, ServerThatSpeaksNoTls_IsAHandshakeFailure) {
  auto plain = [](TcpSocket socket) -> Task<> {
    co_await ScriptedServer::send(socket, "HTTP/1.1 400 Bad Request\r\n\r\n");
  };
  ScriptedServer server{reactor, {plain}};
  names["plain.example"] = {asio::ip::make_address("127.0.0.1")};
  const auto connection = connect_to(server.port(), "plain.example");
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().kind, ErrorKind::tls_failed);
}

TEST_F(TlsClientTest, Alpn_TellsWhatTheOriginChose) {
  EXPECT_EQ(connect(ca.issue("DNS:site.example"), "site.example", {"h2", "http/1.1"})->protocol, "h2");
  EXPECT_EQ(connect(ca.issue("DNS:site.example"), "site.example")->protocol, "");
}

TEST_F(TlsClientTest, SecondConnection_ResumesTheSession) {
  names["site.example"] = {asio::ip::make_address("127.0.0.1")};
  auto context = server_context(ca.issue("DNS:site.example"));
  ScriptedServer server{reactor, {[this, context](TcpSocket s) { return serve(std::move(s), context); }}};
  auto exchange = [](std::shared_ptr<Stream> stream) -> Task<bool> {  // TLS 1.3 tickets come with the first bytes
    std::array<char, 256> buffer;
    Result<void> sent = co_await stream->write("GET / HTTP/1.1\r\n\r\n");
    Result<std::size_t> got = co_await stream->read_some(buffer);
    co_return sent&& got;
  };
  const auto talk = [&](const std::string& apart) {
    const auto connection = connect_to(server.port(), "site.example", {}, apart);
    ASSERT_TRUE(connection.has_value()) << connection.error().to_string();
    ASSERT_TRUE(run_task(reactor, exchange(connection->stream)));
  };
  talk("");
  talk("");
  EXPECT_EQ(resumed, 1);
  EXPECT_EQ(server_name, "site.example");
  talk("x");
  talk("y");
  EXPECT_EQ(resumed, 1) << "who is kept apart is not recognised";
  talk("x");
  EXPECT_EQ(resumed, 2);
}

TEST_F(TlsClientTest, MissingTrustAnchorFile_IsAnErrorWithItsName) {
  TlsClientOptions options;
  options.extra_ca_file = "/nonexistent/ca.pem";
  const auto client_without = TlsClient::create(options);
  ASSERT_FALSE(client_without.has_value());
  EXPECT_NE(client_without.error().detail.find("/nonexistent/ca.pem"), std::string::npos);
}

}  // namespace
}  // namespace outrider
