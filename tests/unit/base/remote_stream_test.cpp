// Requests that are sent from the reactor that has the connection: two real clients on two threads, one real origin.
#include "base/remote_stream.hpp"

#include "base/http2_origins.hpp"
#include "tests/support/http_client_fixture.hpp"
#include "tests/support/tls_site.hpp"

#include <fstream>
#include <future>
#include <thread>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::SiteAnswer;
using testing::SiteRequest;
using testing::Speaks;
using testing::StringBody;

SiteAnswer reply(const SiteRequest& request) {
  SiteAnswer answer;
  answer.informational = {103};
  answer.headers.add("X-Method", request.method);
  answer.body = request.body.empty() ? std::string(3'000'000, 'd') : request.body;
  answer.trailers = request.trailers;
  answer.trailers.add("X-Last", "word");
  return answer;
}

// Another thread with a client of its own.
struct Neighbour {
  Neighbour(TlsClient& tls, Http2Homes& homes)
      : egress(reactor, resolver, tls), client(reactor, egress, pool, HttpLimits{}, &homes, true) {
    thread = std::thread{[this] {
      const auto guard = asio::make_work_guard(reactor.context());
      reactor.run();
    }};
  }
  ~Neighbour() { stop(); }
  void stop() {
    reactor.stop();
    if (thread.joinable()) thread.join();
  }
  std::size_t connections() {
    std::promise<std::size_t> counted;
    reactor.post([&] { counted.set_value(client.http2().connections()); });
    return counted.get_future().get();
  }

  Reactor reactor;
  WorkerPool workers{1, 16};
  Resolver resolver{reactor, workers};
  Egress egress;
  std::shared_ptr<ConnectionPool> pool = std::make_shared<ConnectionPool>(reactor, PoolLimits{});
  HttpClient client;
  std::thread thread;
};

struct RemoteStreamTest : testing::HttpClientFixture {
  testing::TestCa ca;
  std::string ca_file = ::testing::TempDir() + "outrider-remote-ca-" + std::to_string(::getpid()) + ".pem";
  Http2Homes homes;
  std::unique_ptr<TlsClient> trusting;
  std::unique_ptr<Egress> way_out;
  std::unique_ptr<Neighbour> neighbour;
  std::unique_ptr<HttpClient> guest;
  std::unique_ptr<testing::TlsSite> site;

  void SetUp() override {
    std::ofstream{ca_file} << ca.pem();
    TlsClientOptions options = tls_options();
    options.extra_ca_file = ca_file;
    trusting = TlsClient::create(options).value();
    way_out = std::make_unique<Egress>(reactor, resolver, *trusting);
    neighbour = std::make_unique<Neighbour>(*trusting, homes);
    guest = std::make_unique<HttpClient>(reactor, *way_out, pool, HttpLimits{}, &homes);
    sender = guest.get();
  }
  void TearDown() override { std::remove(ca_file.c_str()); }

  void serve(Speaks protocol) { site = std::make_unique<testing::TlsSite>(ca, protocol, reply); }
  Wanted wanted() const {
    Wanted w;
    w.port = site->port();
    w.tls = true;
    return w;
  }
};

TEST_F(RemoteStreamTest, Answer_ComesWhole_FromTheNeighboursConnection) {
  serve(Speaks::http2);
  for (int i = 0; i < 3; ++i) {
    const Result<Got> got = fetch(wanted());
    ASSERT_TRUE(got) << got.error().to_string();
    EXPECT_EQ(got->status, 200);
    EXPECT_TRUE(got->body == std::string(3'000'000, 'd')) << got->body.size();
    EXPECT_EQ(got->informational, std::vector<int>{103});
    EXPECT_EQ(got->trailers.find("X-Last"), "word");
    EXPECT_EQ(got->headers.find("X-Method"), "GET");
  }
  EXPECT_EQ(site->connections(), 1U);
  EXPECT_EQ(guest->http2().connections(), 0U);
  EXPECT_EQ(neighbour->connections(), 1U);
}

TEST_F(RemoteStreamTest, LargeBody_GoesUp_WithItsTrailers) {
  serve(Speaks::http2);
  std::vector<std::string> pieces;
  std::string whole;
  for (int i = 0; i < 40; ++i) {
    pieces.push_back(std::string(50'000, static_cast<char>('a' + i % 26)));
    whole += pieces.back();
  }
  auto body = std::make_shared<StringBody>(std::move(pieces));
  body->trailers_.add("X-Sum", "40");
  Wanted up = wanted();
  up.method = Method::post;
  up.body = body;
  up.framing.kind = BodyFraming::Kind::chunked;
  const Result<Got> got = fetch(std::move(up));
  ASSERT_TRUE(got) << got.error().to_string();
  EXPECT_TRUE(got->body == whole) << got->body.size();
  EXPECT_EQ(got->trailers.find("X-Sum"), "40");
}

// The first one is answered there; from then on everybody asks for themselves.
TEST_F(RemoteStreamTest, OriginWithHttp1_IsKnownAfterTheFirst) {
  serve(Speaks::http1);
  const Result<Got> first = fetch(wanted());
  ASSERT_TRUE(first) << first.error().to_string();
  EXPECT_TRUE(first->body == std::string(3'000'000, 'd'));
  EXPECT_EQ(pool->idle(), 0U);
  const Result<Got> second = fetch(wanted());
  ASSERT_TRUE(second) << second.error().to_string();
  EXPECT_EQ(pool->idle(), 1U);
}

TEST_F(RemoteStreamTest, Failure_IsTheNeighbours) {
  serve(Speaks::http2);
  Wanted nobody = wanted();
  {
    TcpAcceptor closed{reactor.executor(), tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
    nobody.port = closed.local_endpoint().port();
  }
  const Result<Got> refused = fetch(nobody);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::connect_refused);
  EXPECT_EQ(refused.error().side, Side::origin);
}

// Nothing that others did may show in it, not even a connection or a name that they looked up.
TEST_F(RemoteStreamTest, WhatIsKeptApart_StaysHere) {
  serve(Speaks::http2);
  ASSERT_TRUE(fetch(wanted()));
  Wanted apart = wanted();
  apart.apart = "looks";
  ASSERT_TRUE(fetch(apart));
  EXPECT_EQ(site->connections(), 2U);
  EXPECT_EQ(guest->http2().connections(), 1U);
  EXPECT_EQ(neighbour->connections(), 1U);
}

// What the guest is not allowed the neighbour does not do for it, although it has the connection.
TEST_F(RemoteStreamTest, RulesOfWhoAsks_Count) {
  serve(Speaks::http2);
  ASSERT_TRUE(fetch(wanted()));
  policy = std::make_shared<AddressPolicy>(AddressPolicy::public_only());
  const Result<Got> denied = fetch(wanted());
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().kind, ErrorKind::address_denied);
}

TEST_F(RemoteStreamTest, GivenUp_EndsAtTheOrigin) {
  site = std::make_unique<testing::TlsSite>(ca, Speaks::http2, [](const SiteRequest&) {
    SiteAnswer answer;
    answer.endless = true;
    return answer;
  });
  auto taste = [this]() -> Task<std::size_t> {
    RequestHead head;
    head.set_method(Method::get);
    head.headers.add(HeaderId::host, "127.0.0.1");
    ClientRequest request;
    request.target.host = "127.0.0.1";
    request.target.port = site->port();
    request.target.tls = true;
    request.target.policy = policy;
    request.head = &head;
    request.wire_target = "/";
    request.deadline = Deadline::after(20s);
    Result<std::unique_ptr<ClientResponse>> response = co_await guest->send(request);
    if (!response) co_return std::size_t{0};
    Result<std::string_view> piece = co_await (*response)->read();
    co_return piece ? piece->size() : 0;
  };
  EXPECT_GT(run_task(reactor, taste()), 0U);
  while (!site->endless_ended()) std::this_thread::yield();
  // A reader who does not read holds the origin up, not our memory.
  EXPECT_LT(site->endless_bytes(), 8U << 20);
}

// Its reactor may end at any time: whoever asked it asks for themselves.
TEST_F(RemoteStreamTest, NeighbourThatHasGone_IsDoneWithout) {
  serve(Speaks::http2);
  ASSERT_TRUE(fetch(wanted()));
  neighbour.reset();
  const Result<Got> got = fetch(wanted());
  ASSERT_TRUE(got) << got.error().to_string();
  EXPECT_EQ(guest->http2().connections(), 1U);
}

}  // namespace
}  // namespace outrider
