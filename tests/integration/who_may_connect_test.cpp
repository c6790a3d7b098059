// Whoever may not use the proxy takes nobody's place, and whoever may not any longer is out.
#include "tests/support/http_peer.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/secret_folder.hpp"
#include "tests/support/tls_site.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// An IPv4 address of this machine that is not a loopback one; "" = it has none.
std::string outer_address() {
  ifaddrs* all = nullptr;
  std::string found;
  if (::getifaddrs(&all) != 0) return found;
  for (const ifaddrs* one = all; one != nullptr && found.empty(); one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_LOOPBACK) != 0)
      continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    found = ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
  }
  ::freeifaddrs(all);
  return found;
}

TEST(WhoMayConnect, StrangersAreTurnedAwayAtTheDoor) {
  const std::string outer = outer_address();
  if (outer.empty()) GTEST_SKIP() << "no address but loopback";
  RunningOutrider outrider{
      {"--listen", "0.0.0.0:0", "--set", "access.allow=[\"127.0.0.1\"]", "--set", "limits.connections=2"}};
  std::vector<RawSocket> strangers;
  for (int i = 0; i < 8; ++i) strangers.push_back(RawSocket::connect(outrider.port(), outer.c_str(), outer.c_str()));
  for (RawSocket& stranger : strangers) {
    const std::string answer = stranger.read_message();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 ")) << "without having been asked";
    EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(answer, HasSubstr("\r\nProxy-Status: outrider; error=http_request_denied"));
    EXPECT_TRUE(stranger.closed_by_peer());
  }
  HttpPeer known{outrider.port()};
  EXPECT_EQ(known.get("http://outrider.internal/healthz").status, 200);
}

// The monitor, the command line and health checks of this machine are not a use of the proxy.
TEST(WhoMayConnect, ThisMachineSeesTheOwnPages_ButWhoIsDeniedHasToGo) {
  RunningOutrider outrider{{"--set", "access.allow=[\"127.0.0.1\"]"}};
  RawSocket other = RawSocket::connect(outrider.port(), "127.0.0.1", "127.0.0.2");
  other.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(other.read_message(), StartsWith("HTTP/1.1 200 "));
  other.send("GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string answer = other.read_message();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(other.closed_by_peer());
}

// --- users who are removed while a tunnel of theirs is open

struct RemovedUser : ::testing::TestWithParam<Speaks> {
  SecretFolder folder;
  TestCa ca;
  TlsSite site{ca, GetParam(), [](const SiteRequest& request) {
                 SiteAnswer answer;
                 answer.headers.add("Cache-Control", "no-store");
                 answer.body = request.path;
                 return answer;
               }};
  std::string users = folder.file("users");
  std::unique_ptr<RunningOutrider> outrider;
  Reactor reactor;

  static void user(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "user");
    testing_support::ProcessOptions options;
    options.input = "pw\n";
    EXPECT_EQ(testing_support::run_process(OUTRIDER_BINARY, arguments, options).exit_code, 0);
  }
  void SetUp() override {
    for (const char* name : {"anna", "bert"}) user({"add", name, "--file", users});
    outrider = std::make_unique<RunningOutrider>(std::vector<std::string>{
        "--set", "tls.intercept=all", "--set", "tls.intercept_ports=[\"*\"]", "--set",
        "tls.origin_ca_file=" + folder.write("ca.pem", ca.pem()), "--set", "access.users_file=" + users});
  }
  std::unique_ptr<TlsPeer> tunnel_of(const std::string& login) {
    auto made = std::make_unique<TlsPeer>(reactor, outrider->port(), site.port(), GetParam());
    made->connect_fields = "Proxy-Authorization: Basic " + login + "\r\n";
    const Result<void> connected = run_task(reactor, made->connect());
    if (!connected) throw std::runtime_error{connected.error().to_string()};
    return made;
  }
  SiteAnswer get(TlsPeer& peer, const std::string& path) {
    SiteRequest request;
    request.path = path;
    return run_task(reactor, peer.ask(std::move(request)));
  }
};

TEST_P(RemovedUser, IsOutOfOpenTunnelsToo) {
  const auto anna = tunnel_of("YW5uYTpwdw=="), bert = tunnel_of("YmVydDpwdw==");
  EXPECT_EQ(get(*anna, "/a").body, "/a");
  EXPECT_EQ(get(*bert, "/a").body, "/a");
  user({"remove", "anna", "--file", users});
  outrider->signal(SIGHUP);
  int status = 0;  // the reload is over when she can open no new one
  for (int i = 0; i < 10'000 && status != 407; ++i) {
    HttpPeer fresh{outrider->port()};
    status = fresh.get("http://outrider.internal/healthz", "Proxy-Authorization: Basic YW5uYTpwdw==\r\n").status;
  }
  EXPECT_EQ(status, 407);
  const std::size_t asked = site.requests();
  EXPECT_EQ(get(*anna, "/b").status, 403);
  EXPECT_EQ(site.requests(), asked) << "nobody was asked for her";
  EXPECT_TRUE(get(*anna, "/b").failed) << "the connection ends";
  EXPECT_EQ(get(*bert, "/b").body, "/b");
}

INSTANTIATE_TEST_SUITE_P(Both, RemovedUser, ::testing::Values(Speaks::http1, Speaks::http2));

// --- what a connection keeps while nothing happens on it

TEST(IdleClients, DoNotKeepTheMemoryOfTheirLargestRequest) {
  if (!RunningOutrider::kMemoryCanBeJudged) GTEST_SKIP() << "skipped: the sanitizer keeps what was freed";
  RunningOutrider outrider{{"--set", "limits.connections_per_client=2000"}};
  const std::string request =
      "GET http://outrider.internal/healthz HTTP/1.1\r\nHost: x\r\nCookie: " + std::string(60'000, 'c') + "\r\n\r\n";
  std::vector<RawSocket> clients;
  const auto connect_some = [&](int count) {
    for (int i = 0; i < count; ++i) {
      clients.push_back(RawSocket::connect(outrider.port()));
      clients.back().send(request);
      EXPECT_THAT(clients.back().read_message(), StartsWith("HTTP/1.1 200 "));
    }
  };
  connect_some(20);
  const std::size_t before = outrider.resident_kilobytes();
  connect_some(300);
  EXPECT_LT(outrider.resident_kilobytes(), before + 300 * 16) << "kilobytes";
}

}  // namespace
}  // namespace outrider::testing
