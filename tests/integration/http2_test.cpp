// HTTP/1 and HTTP/2 on both sides of the real program, in all four combinations, inside tunnels that are opened up.
#include "tests/support/running_outrider.hpp"
#include "tests/support/tls_site.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::SiteAnswer;
using testing::SiteRequest;
using testing::Speaks;

std::string numbered(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ' ';
  text.resize(bytes);
  return text;
}

const std::string& large() {
  static const std::string text = numbered(3'000'000);
  return text;
}

SiteAnswer reply(const SiteRequest& request) {
  SiteAnswer answer;
  answer.headers.add("Cache-Control", "no-store");
  if (request.path == "/large") {
    answer.body = large();
  } else if (request.path == "/echo") {
    answer.body = request.body;
    answer.trailers = request.trailers;
  } else if (request.path == "/grpc") {
    answer.headers.add("Content-Type", "application/grpc");
    answer.headers.add("X-Te", request.headers.find("te").value_or(""));
    answer.body = "message";
    answer.trailers.add("grpc-status", "0");
    answer.trailers.add("grpc-message", "fine");
  } else if (request.path == "/early") {
    answer.informational = {103};
    answer.body = "late";
  } else if (request.path == "/cached") {
    answer.headers.set("Cache-Control", "max-age=600");
    answer.body = "kept";
  } else if (request.path == "/unchanged") {
    answer.status = 304;
    answer.no_body = true;
  } else if (request.path == "/cookies") {
    answer.body = std::string{request.headers.find("cookie").value_or("")};
  } else if (request.path == "/endless") {
    answer.endless = true;
  } else {
    answer.body = request.method + " " + request.path;
  }
  if (request.method == "HEAD") {
    answer.headers.set("Content-Length", "123");
    answer.no_body = true;
  }
  return answer;
}

struct Combination {
  Speaks client, origin;
};

struct Http2Test : ::testing::TestWithParam<Combination> {
  testing::TestCa ca;
  std::string ca_file = ::testing::TempDir() + "outrider-http2-ca-" + std::to_string(::getpid()) + ".pem";
  testing::TlsSite site{ca, GetParam().origin, reply};
  std::unique_ptr<testing::RunningOutrider> outrider;
  Reactor reactor;
  std::unique_ptr<testing::TlsPeer> peer;

  void SetUp() override {
    std::ofstream{ca_file} << ca.pem();
    outrider = std::make_unique<testing::RunningOutrider>(
        std::vector<std::string>{"--set", "tls.intercept=all", "--set", "tls.intercept_ports=[\"*\"]", "--set",
                                 "tls.origin_ca_file=" + ca_file});
    peer = new_peer(GetParam().client);
  }
  void TearDown() override { std::remove(ca_file.c_str()); }

  std::unique_ptr<testing::TlsPeer> new_peer(Speaks protocol) {
    auto made = std::make_unique<testing::TlsPeer>(reactor, outrider->port(), site.port(), protocol);
    const Result<void> connected = run_task(reactor, made->connect());
    if (!connected) throw std::runtime_error{connected.error().to_string()};
    return made;
  }

  SiteAnswer ask(SiteRequest request) { return run_task(reactor, peer->ask(std::move(request))); }
  SiteAnswer get(std::string path, std::string method = "GET") {
    SiteRequest request;
    request.path = std::move(path);
    request.method = std::move(method);
    return ask(std::move(request));
  }
};

TEST_P(Http2Test, Requests_AreAnswered_OneConnectionEach) {
  for (int i = 0; i < 5; ++i) {
    const SiteAnswer answer = get("/page" + std::to_string(i));
    ASSERT_FALSE(answer.failed);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "GET /page" + std::to_string(i));
    EXPECT_FALSE(answer.headers.has("Connection"));
  }
  EXPECT_EQ(site.connections(), 1U);
}

TEST_P(Http2Test, LargeBodies_GoBothWays) {
  const SiteAnswer down = get("/large");
  EXPECT_FALSE(down.failed);
  EXPECT_TRUE(down.body == large()) << down.body.size();
  SiteRequest up;
  up.method = "POST";
  up.path = "/echo";
  up.body = numbered(1'500'000);
  up.has_body = true;
  if (GetParam().client == Speaks::http1) up.body.resize(200'000);  // this client writes all before it reads
  const std::string sent = up.body;
  const SiteAnswer back = ask(std::move(up));
  EXPECT_FALSE(back.failed);
  EXPECT_TRUE(back.body == sent) << back.body.size();
}

// What gRPC needs: TE: trailers on the way in, trailers on the way back.
TEST_P(Http2Test, Trailers_PassBothWays) {
  SiteRequest call;
  call.method = "POST";
  call.path = "/grpc";
  call.headers.add("TE", "trailers");
  if (GetParam().client == Speaks::http1) call.headers.add("Connection", "TE");
  call.body = "question";
  call.has_body = true;
  const SiteAnswer answer = ask(std::move(call));
  ASSERT_FALSE(answer.failed);
  EXPECT_EQ(answer.headers.find("x-te"), "trailers");
  EXPECT_EQ(answer.body, "message");
  EXPECT_EQ(answer.trailers.find("grpc-status"), "0");
  EXPECT_EQ(answer.trailers.find("grpc-message"), "fine");
  SiteRequest echo;
  echo.method = "POST";
  echo.path = "/echo";
  echo.body = "x";
  echo.has_body = true;
  echo.trailers.add("x-sum", "42");
  EXPECT_EQ(ask(std::move(echo)).trailers.find("x-sum"), "42");
}

TEST_P(Http2Test, InformationalResponses_ArePassedOn) {
  const SiteAnswer answer = get("/early");
  EXPECT_EQ(answer.informational, std::vector<int>{103});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "late");
}

TEST_P(Http2Test, AnswersWithoutBody_EndWithTheirHead) {
  const SiteAnswer head = get("/page", "HEAD");
  EXPECT_FALSE(head.failed);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.find("content-length"), "123");
  EXPECT_EQ(head.body, "");
  SiteRequest conditional;
  conditional.path = "/unchanged";
  conditional.headers.add("If-None-Match", "\"x\"");
  const SiteAnswer unchanged = ask(std::move(conditional));
  EXPECT_FALSE(unchanged.failed);
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(get("/after").body, "GET /after") << "the connection is still in step";
}

TEST_P(Http2Test, Cookies_ComeAsOneField) {
  SiteRequest request;
  request.path = "/cookies";
  request.headers.add("cookie", "a=1; b=2");
  EXPECT_EQ(ask(std::move(request)).body, "a=1; b=2");
}

TEST_P(Http2Test, StoredAnswer_ServesBothProtocols) {
  EXPECT_EQ(get("/cached").body, "kept");
  const std::size_t before = site.requests();
  const auto other = new_peer(GetParam().client == Speaks::http1 ? Speaks::http2 : Speaks::http1);
  SiteRequest request;
  request.path = "/cached";
  const SiteAnswer again = run_task(reactor, other->ask(std::move(request)));
  EXPECT_EQ(again.body, "kept");
  EXPECT_EQ(site.requests(), before);
}

// A reader that stops in the middle holds the origin back, in bounded memory; when it leaves, the origin is told.
TEST_P(Http2Test, SlowReader_IsWaitedFor_AndItsLeavingIsNoticed) {
  const std::size_t before = outrider->resident_kilobytes();
  auto read_some = [this]() -> Task<bool> {
    if (GetParam().client == Speaks::http1) {
      Result<void> sent =
          co_await peer->stream().write("GET /endless HTTP/1.1\r\nHost: " + peer->authority() + "\r\n\r\n");
      std::string buffer(1000, '\0');
      Result<std::size_t> got = co_await peer->stream().read_some(std::span{buffer.data(), buffer.size()});
      co_return sent&& got;
    }
    RequestHead head;
    head.headers.add(HeaderId::host, peer->authority());
    const std::shared_ptr<Http2Stream> stream = peer->http2()->open();
    stream->send_request(head, "https", "/endless", true);
    Result<Http2Block::Response> got = co_await stream->next_head();
    co_await stream->read();
    co_return got.has_value();
  };
  ASSERT_TRUE(run_task(reactor, read_some()));
  // The origin comes to a stop: nothing more is taken from it.
  std::uint64_t taken = 0;
  for (int unchanged = 0; unchanged < 20; std::this_thread::sleep_for(10ms)) {
    unchanged = site.endless_bytes() == taken ? unchanged + 1 : 0;
    taken = site.endless_bytes();
    ASSERT_LT(taken, 64U << 20);
  }
  if (testing::RunningOutrider::kMemoryCanBeJudged) {
    EXPECT_LT(outrider->resident_kilobytes(), before + 24 * 1024);
  }
  peer.reset();
  for (int i = 0; i < 3000 && !site.endless_ended(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(site.endless_ended()) << "nobody told the origin";
  peer = new_peer(GetParam().client);
  EXPECT_EQ(get("/after").body, "GET /after");
}

struct Http2NeverReadTest : Http2Test {};

// A client that asks for as much as it may and reads nothing of it: what waits for it is bounded, not multiplied.
TEST_P(Http2NeverReadTest, ManyStreams_StayInBounds) {
  const std::size_t before = outrider->resident_kilobytes();
  auto ask_for_all = [this]() -> Task<int> {
    RequestHead head;
    head.headers.add(HeaderId::host, peer->authority());
    std::vector<std::shared_ptr<Http2Stream>> streams;
    for (int i = 0; i < 90; ++i) {
      streams.push_back(peer->http2()->open());
      streams.back()->send_request(head, "https", "/endless", true);
    }
    int answered = 0;
    for (const std::shared_ptr<Http2Stream>& stream : streams) {
      Result<Http2Block::Response> got = co_await stream->next_head();
      if (got && got->head.status == 200) ++answered;
    }
    co_return answered;
  };
  EXPECT_EQ(run_task(reactor, ask_for_all()), 90);
  std::uint64_t taken = 0;
  for (int unchanged = 0; unchanged < 20; std::this_thread::sleep_for(10ms)) {
    unchanged = site.endless_bytes() == taken ? unchanged + 1 : 0;
    taken = site.endless_bytes();
    ASSERT_LT(taken, 256U << 20);
  }
  if (testing::RunningOutrider::kMemoryCanBeJudged) {
    EXPECT_LT(outrider->resident_kilobytes(), before + 48 * 1024);
  }
  const auto other = new_peer(Speaks::http1);
  SiteRequest request;
  request.path = "/page";
  EXPECT_EQ(run_task(reactor, other->ask(std::move(request))).body, "GET /page") << "others are served meanwhile";
}

std::string name_of(const ::testing::TestParamInfo<Combination>& info) {
  const auto name = [](Speaks s) { return s == Speaks::http2 ? "Http2" : "Http1"; };
  return std::string{name(info.param.client)} + "ClientTo" + name(info.param.origin) + "Origin";
}

INSTANTIATE_TEST_SUITE_P(AllFour, Http2Test,
                         ::testing::Values(Combination{Speaks::http1, Speaks::http1},
                                           Combination{Speaks::http1, Speaks::http2},
                                           Combination{Speaks::http2, Speaks::http1},
                                           Combination{Speaks::http2, Speaks::http2}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(One, Http2NeverReadTest, ::testing::Values(Combination{Speaks::http2, Speaks::http2}),
                         name_of);

}  // namespace
}  // namespace outrider
