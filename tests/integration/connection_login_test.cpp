// Logins that hold for a connection (NTLM, Negotiate): they work, and what comes over such a connection is for nobody
// but the client that logged in on it.
#include "tests/support/cache_stage.hpp"
#include "tests/support/tls_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPleaseLogIn = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM";

// As servers with NTLM do it: two steps on one connection, which is that person's from then on.
void serve_ntlm(RawSocket& socket) {
  std::string user;
  bool challenged = false;
  for (std::string request = socket.read_message(); !request.empty(); request = socket.read_message()) {
    const std::string given = field_of(request, "Authorization");
    const std::string_view words = std::string_view{given}.substr(std::min<std::size_t>(given.size(), 5));
    if (request.starts_with("GET /dead ")) return;
    std::string answer{kPleaseLogIn};
    if (words == "hello") {
      challenged = true;
      answer += " who are you?";
    } else if (challenged && words.starts_with("I am ")) {
      user = words.substr(5);
    }
    answer += "\r\nContent-Length: 0\r\n\r\n";
    if (!user.empty() && words != "hello") answer = page("SECRET OF " + user, kFresh);
    if (!socket.send(answer)) return;
  }
}

struct ConnectionLogin : ::testing::TestWithParam<std::string> {
  TestOrigin origin{serve_ntlm};
  RunningOutrider outrider;

  HttpPeer client(const char* from = "127.0.0.1") { return HttpPeer{outrider.port(), from}; }
  std::string credentials(const std::string& words) const {
    return "Authorization: " + GetParam() + " " + words + "\r\n";
  }
  void log_in(HttpPeer& peer, const std::string& name) {
    EXPECT_EQ(peer.get(origin.url("/login")).status, 401);
    const HttpAnswer challenge = peer.get(origin.url("/login"), credentials("hello"));
    EXPECT_EQ(challenge.status, 401);
    EXPECT_THAT(challenge.head, HasSubstr("who are you?"));
    EXPECT_EQ(peer.get(origin.url("/login"), credentials("I am " + name)).body, "SECRET OF " + name);
  }
};

TEST_P(ConnectionLogin, ItHoldsForTheClientsConnection) {
  HttpPeer ann = client();
  log_in(ann, "ann");
  for (const char* path : {"/a", "/b", "/a", "/a"}) EXPECT_EQ(ann.get(origin.url(path)).body, "SECRET OF ann");
}

TEST_P(ConnectionLogin, TwoAtATime_AreNotMixedUp) {
  HttpPeer ann = client(), bob = client();
  log_in(ann, "ann");
  log_in(bob, "bob");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ann.get(origin.url("/a")).body, "SECRET OF ann");
    EXPECT_EQ(bob.get(origin.url("/a")).body, "SECRET OF bob");
  }
}

TEST_P(ConnectionLogin, NobodyElseUsesTheConnection) {
  HttpPeer ann = client(), bob = client("127.0.0.2");
  log_in(ann, "ann");
  EXPECT_EQ(bob.get(origin.url("/a")).status, 401);
  ann.leave();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bob.get(origin.url("/a")).status, 401);
  EXPECT_EQ(client().get(origin.url("/a")).status, 401);
}

// Later requests look like anybody's: no field says whose they are.
TEST_P(ConnectionLogin, NothingOfWhatCameOverItIsKept) {
  HttpPeer ann = client();
  log_in(ann, "ann");
  const HttpAnswer hers = ann.get(origin.url("/kept"));
  EXPECT_EQ(hers.body, "SECRET OF ann");
  EXPECT_THAT(hers.field("Cache-Status"), Not(HasSubstr("stored")));
  EXPECT_EQ(client("127.0.0.2").get(origin.url("/kept")).status, 401);
  EXPECT_EQ(client().get(origin.url("/kept")).status, 401);
}

// Elsewhere the same connection of the client is an ordinary one.
TEST_P(ConnectionLogin, OtherHostsAreCachedAsBefore) {
  ScriptedOrigin other;
  other.on("/a", page("a", kFresh));
  HttpPeer ann = client();
  log_in(ann, "ann");
  EXPECT_EQ(ann.get(other.url("/a")).body, "a");
  EXPECT_THAT(ann.get(other.url("/a")).field("Cache-Status"), HasSubstr("; hit"));
  EXPECT_EQ(ann.get(origin.url("/a")).body, "SECRET OF ann");
}

TEST_P(ConnectionLogin, Failures_SayWhatTheCacheHadToDoWithThem) {
  HttpPeer ann = client();
  log_in(ann, "ann");
  const HttpAnswer answer = ann.get(origin.url("/dead"));
  EXPECT_EQ(answer.status, 502);
  EXPECT_THAT(answer.field("Cache-Status"), HasSubstr("fwd=bypass; detail=\"the origin is asked whatever is kept"));
}

// RFC 4559 section 6: without the field some clients do not even try.
TEST_P(ConnectionLogin, ClientsAreToldThatItWorks) {
  const HttpAnswer answer = client().get(origin.url("/"));
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.field("Proxy-Support"), "Session-Based-Authentication");
  EXPECT_THAT(answer.field("Connection"), HasSubstr("Proxy-Support"));
}

INSTANTIATE_TEST_SUITE_P(Spelt, ConnectionLogin, ::testing::Values("NTLM", "ntlm"));

// --- in tunnels that are opened up

struct Combination {
  Speaks client, origin;
};

struct ConnectionLoginTls : ::testing::TestWithParam<Combination> {
  TestCa ca;
  std::string ca_file = ::testing::TempDir() + "outrider-login-ca-" + std::to_string(::getpid()) + ".pem";
  TlsSite site{ca, GetParam().origin, [](const SiteRequest& request) {
                 SiteAnswer answer;
                 answer.headers.add("Cache-Control", "max-age=600");
                 answer.body = request.path;
                 return answer;
               }};
  std::unique_ptr<RunningOutrider> outrider;
  Reactor reactor;

  void SetUp() override {
    std::ofstream{ca_file} << ca.pem();
    outrider = std::make_unique<RunningOutrider>(
        std::vector<std::string>{"--set", "proxy.threads=1", "--set", "tls.intercept=all", "--set",
                                 "tls.intercept_ports=[\"*\"]", "--set", "tls.origin_ca_file=" + ca_file});
  }
  void TearDown() override { std::remove(ca_file.c_str()); }

  std::unique_ptr<TlsPeer> new_peer() {
    auto made = std::make_unique<TlsPeer>(reactor, outrider->port(), site.port(), GetParam().client);
    const Result<void> connected = run_task(reactor, made->connect());
    if (!connected) throw std::runtime_error{connected.error().to_string()};
    return made;
  }
  void get(TlsPeer& peer, const std::string& path, const std::string& authorization = "") {
    SiteRequest request;
    request.path = path;
    if (!authorization.empty()) request.headers.add("Authorization", authorization);
    const SiteAnswer answer = run_task(reactor, peer.ask(std::move(request)));
    EXPECT_FALSE(answer.failed);
    EXPECT_EQ(answer.body, path);
  }
};

TEST_P(ConnectionLoginTls, TheConnectionIsTheClientsOwn_AndNothingIsKept) {
  const auto ann = new_peer(), bob = new_peer();
  get(*bob, "/begin");
  get(*ann, "/before");
  const std::size_t common = site.connections();
  get(*ann, "/login", "Negotiate xyz");
  const std::size_t with_hers = site.connections();
  EXPECT_EQ(with_hers, common + 1) << "not the one that others use";
  get(*ann, "/page");
  EXPECT_EQ(site.connections(), with_hers) << "she stays where she logged in";
  const std::size_t asked = site.requests();
  get(*bob, "/page");
  get(*bob, "/login");
  EXPECT_EQ(site.requests(), asked + 2) << "nothing that she was given is his";
  EXPECT_EQ(site.connections(), with_hers);
  get(*bob, "/page");
  EXPECT_EQ(site.requests(), asked + 2) << "what he was given is everybody's";
}

INSTANTIATE_TEST_SUITE_P(All, ConnectionLoginTls,
                         ::testing::Values(Combination{Speaks::http1, Speaks::http1},
                                           Combination{Speaks::http1, Speaks::http2},
                                           Combination{Speaks::http2, Speaks::http1},
                                           Combination{Speaks::http2, Speaks::http2}));

}  // namespace
}  // namespace outrider::testing
