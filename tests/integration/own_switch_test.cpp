// The switch of the onboarding page, behind a login: nobody opens other people's HTTPS who may not use the proxy. And
// our own name in a tunnel, with the dot that a name may end with.
#include "tests/support/process.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/secret_folder.hpp"
#include "tests/support/tls_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <openssl/x509v3.h>

namespace outrider::testing {
namespace {

using ::testing::StartsWith;

const std::string kLogin = "Proxy-Authorization: Basic YW5uYTpwdw==\r\n";  // anna:pw
const std::string kWrongLogin = "Proxy-Authorization: Basic YW5uYTpwdQ==\r\n";

struct OwnSwitch : ::testing::Test {
  SecretFolder folder;
  std::unique_ptr<RunningOutrider> outrider;

  void SetUp() override {
    testing_support::ProcessOptions options;
    options.input = "pw\n";
    const std::string file = folder.file("users");
    ASSERT_EQ(testing_support::run_process(OUTRIDER_BINARY, {"user", "add", "anna", "--file", file}, options).exit_code,
              0);
    outrider = std::make_unique<RunningOutrider>(
        std::vector<std::string>{"--set", "access.users_file=" + file, "--set", "tls.intercept=onboarded"});
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(outrider->port()); }

  // The form of the page, sent to `site` ("http://…"): through the proxy, or to its own address.
  std::string turn_on(const std::string& site, bool through_proxy, const std::string& headers) const {
    RawSocket socket = RawSocket::connect(outrider->port());
    const std::string target = (through_proxy ? site : "") + "/interception";
    socket.send("POST " + target + " HTTP/1.1\r\nHost: " + site.substr(7) + "\r\nOrigin: " + site +
                "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n" + headers +
                "\r\naccept=yes");
    return socket.read_message();
  }

  // What the page offers to do is the contrary of what is.
  bool is_on() const {
    RawSocket socket = RawSocket::connect(outrider->port());
    socket.send("GET http://outrider.internal/ HTTP/1.1\r\nHost: outrider.internal\r\n" + kLogin + "\r\n");
    const std::string page = socket.read_message();
    const bool on = page.find("Stop opening HTTPS pages") != std::string::npos;
    EXPECT_NE(page.find("Allow Outrider to open HTTPS pages") != std::string::npos, on);
    return on;
  }
};

// RFC 9110 section 10.1.1: here we are the origin, so it is ours to say that the body may come.
TEST_F(OwnSwitch, ClientThatWaitsForContinue_IsToldToGoOn) {
  RawSocket socket = RawSocket::connect(outrider->port());
  socket.send(
      "POST http://outrider.internal/interception HTTP/1.1\r\nHost: outrider.internal\r\nOrigin: "
      "http://outrider.internal\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\nExpect: "
      "100-continue\r\n" +
      kLogin + "\r\n");
  EXPECT_EQ(socket.read_message(true), "HTTP/1.1 100 Continue\r\n\r\n");
  socket.send("accept=yes");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 303 "));
  EXPECT_TRUE(is_on());
}

TEST_F(OwnSwitch, BodyThatIsTooLarge_IsNotAskedFor) {
  RawSocket socket = RawSocket::connect(outrider->port());
  socket.send(
      "POST http://outrider.internal/interception HTTP/1.1\r\nHost: outrider.internal\r\nOrigin: "
      "http://outrider.internal\r\nContent-Length: 100000000\r\nExpect: 100-continue\r\n" +
      kLogin + "\r\n");
  EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(OwnSwitch, ThroughTheProxy_NeedsTheLogin) {  // RFC 9110 section 15.5.8
  for (const std::string& login : {std::string(), kWrongLogin}) {
    EXPECT_THAT(turn_on("http://outrider.internal", true, login), StartsWith("HTTP/1.1 407 "));
    EXPECT_FALSE(is_on());
  }
  EXPECT_THAT(turn_on("http://outrider.internal", true, kLogin), StartsWith("HTTP/1.1 303 "));
  EXPECT_TRUE(is_on());
}

TEST_F(OwnSwitch, AtTheProxysOwnAddress_NeedsTheLoginAsWell) {
  for (const std::string& login : {std::string(), kWrongLogin}) {
    EXPECT_THAT(turn_on("http://" + address(), false, login), StartsWith("HTTP/1.1 403 "));
    EXPECT_FALSE(is_on());
  }
  EXPECT_THAT(turn_on("http://" + address(), false, kLogin), StartsWith("HTTP/1.1 303 "));
  EXPECT_TRUE(is_on());
}

TEST(OwnNameInATunnel, DotAtItsEnd_ChangesNothing) {  // RFC 6066 section 3: SNI has no dot, and certificates have none
  RunningOutrider outrider;
  Reactor reactor;
  for (const Speaks protocol : {Speaks::http1, Speaks::http2}) {
    TlsPeer peer{reactor, outrider.port(), 443, protocol, "outrider.internal."};
    const Result<void> connected = run_task(reactor, peer.connect());
    ASSERT_TRUE(connected) << connected.error().to_string();
    X509* certificate = SSL_get0_peer_certificate(peer.stream().ssl());
    ASSERT_NE(certificate, nullptr);
    EXPECT_EQ(X509_check_host(certificate, "outrider.internal", 0, 0, nullptr), 1);
    SiteRequest request;
    request.path = "/healthz";
    const SiteAnswer answer = run_task(reactor, peer.ask(request));
    EXPECT_FALSE(answer.failed);
    EXPECT_EQ(answer.status, 200);
  }
}

}  // namespace
}  // namespace outrider::testing
