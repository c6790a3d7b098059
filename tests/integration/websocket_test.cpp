// WebSockets through tunnels that are opened up: Upgrade in HTTP/1 (RFC 6455) and extended CONNECT in HTTP/2 (RFC 8441)
// on either side, in all four combinations, with origins that echo.
#include "tests/support/running_outrider.hpp"
#include "tests/support/tls_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::SiteAnswer;
using testing::SiteRequest;
using testing::Speaks;

SiteAnswer reply(const SiteRequest& request) {
  SiteAnswer answer;
  answer.status = request.path == "/nothing" ? 404 : 200;
  answer.headers.add("Cache-Control", "no-store");
  answer.body = request.method + " " + request.path;
  return answer;
}

// Each is written before its echo is read, so it has to fit into the windows on its way; together they do not.
std::vector<std::string> words() {
  std::vector<std::string> all = {"hello", std::string(100'000, 'w'), ""};
  for (char c = 'a'; c <= 'z'; ++c) all.emplace_back(100'000, c);
  return all;
}

struct Combination {
  Speaks client, origin;
};

struct WebSocketTest : ::testing::TestWithParam<Combination> {
  testing::TestCa ca;
  std::string ca_file = ::testing::TempDir() + "outrider-ws-ca-" + std::to_string(::getpid()) + ".pem";
  std::unique_ptr<testing::TlsSite> site;
  std::unique_ptr<testing::RunningOutrider> outrider;
  Reactor reactor;
  std::unique_ptr<testing::TlsPeer> peer;

  void begin(bool websockets_in_http2 = true, const std::string& threads = "1") {
    std::ofstream{ca_file} << ca.pem();
    site = std::make_unique<testing::TlsSite>(ca, GetParam().origin, reply, websockets_in_http2);
    outrider = std::make_unique<testing::RunningOutrider>(
        std::vector<std::string>{"--set", "tls.intercept=all", "--set", "tls.intercept_ports=[\"*\"]", "--set",
                                 "tls.origin_ca_file=" + ca_file, "--set", "proxy.threads=" + threads});
    peer = new_peer();
  }
  void TearDown() override { std::remove(ca_file.c_str()); }

  std::unique_ptr<testing::TlsPeer> new_peer() {
    auto made = std::make_unique<testing::TlsPeer>(reactor, outrider->port(), site->port(), GetParam().client);
    const Result<void> connected = run_task(reactor, made->connect());
    if (!connected) throw std::runtime_error{connected.error().to_string()};
    return made;
  }
  SiteAnswer get(testing::TlsPeer& from, std::string path) {
    SiteRequest request;
    request.path = std::move(path);
    return run_task(reactor, from.ask(std::move(request)));
  }

  // "200 chat ended": what the handshake said, and that all words came back.
  std::string talk(testing::TlsPeer& from, const std::string& path) {
    return run_task(reactor, from.http2() ? talk_http2(from, path) : talk_http1(from, path));
  }

  static Task<std::string> talk_http2(testing::TlsPeer& from, std::string path) {
    RequestHead head;
    head.method = Method::connect;
    head.method_text = "CONNECT";
    head.headers.add(HeaderId::host, from.authority());
    head.headers.add("Sec-WebSocket-Version", "13");
    head.headers.add("Sec-WebSocket-Protocol", "chat");
    const std::shared_ptr<Http2Stream> stream = from.http2()->open();
    stream->send_extended_connect(head, "websocket", path);
    Result<Http2Block::Response> got = co_await stream->next_head();
    if (!got) co_return got.error().to_string();
    std::string seen = std::to_string(got->head.status);
    if (got->head.status != 200) {
      for (;;) {
        Result<std::string_view> piece = co_await stream->read();
        if (!piece || piece->empty()) co_return seen;
        seen += *piece;
      }
    }
    seen += " " + std::string{got->head.headers.find("sec-websocket-protocol").value_or("")};
    for (const std::string& word : words()) {
      if (!stream->put(word)) co_await stream->sent(60s);
      std::string back;
      while (back.size() < word.size()) {
        Result<std::string_view> piece = co_await stream->read();
        if (!piece || piece->empty()) co_return "the WebSocket ended early";
        back += *piece;
      }
      if (back != word) co_return "another word came back";
    }
    stream->end({});
    Result<std::string_view> last = co_await stream->read();
    co_return seen + (last && last->empty() ? " ended" : " failed");
  }

  static Task<std::string> talk_http1(testing::TlsPeer& from, std::string path) {
    Stream& stream = from.stream();
    const std::string ask = "GET " + path + " HTTP/1.1\r\nHost: " + from.authority() +
                            "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                            "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    co_await stream.write(ask);
    std::string text;
    std::string buffer(64 * 1024, '\0');
    while (text.find("\r\n\r\n") == std::string::npos) {
      Result<std::size_t> got = co_await stream.read_some(std::span{buffer.data(), buffer.size()});
      if (!got || *got == 0) co_return "no head: " + text;
      text.append(buffer.data(), *got);
    }
    std::string seen = text.substr(9, 3);
    if (seen != "101") co_return seen + text;
    if (text.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") == std::string::npos) co_return "another key: " + text;
    if (text.find("chat") != std::string::npos) seen += " chat";
    for (const std::string& word : words()) {
      co_await stream.write(word);
      std::string back;
      while (back.size() < word.size()) {
        Result<std::size_t> got = co_await stream.read_some(std::span{buffer.data(), buffer.size()});
        if (!got || *got == 0) co_return "the WebSocket ended early";
        back.append(buffer.data(), *got);
      }
      if (back != word) co_return "another word came back";
    }
    stream.shutdown_write();
    Result<std::size_t> last = co_await stream.read_some(std::span{buffer.data(), buffer.size()});
    co_return seen + (!last || *last == 0 ? " ended" : " failed");
  }
  std::string opened() const { return GetParam().client == Speaks::http2 ? "200 chat ended" : "101 chat ended"; }
};

TEST_P(WebSocketTest, AfterAPage_IsOpened_AndEchoes) {
  begin();
  EXPECT_EQ(get(*peer, "/page").body, "GET /page");
  EXPECT_EQ(talk(*peer, "/socket"), opened());
  EXPECT_EQ(site->websockets(), 1U);
  const auto other = new_peer();
  EXPECT_EQ(get(*other, "/after").body, "GET /after") << "others go on";
  // In HTTP/2 it is one more stream of the connection that is there (RFC 8441).
  EXPECT_EQ(site->connections(), GetParam().origin == Speaks::http2 ? 1U : 2U);
}

TEST_P(WebSocketTest, WithoutAnyConnection_IsOpened_AndEchoes) {
  begin();
  EXPECT_EQ(talk(*peer, "/socket"), opened());
  EXPECT_EQ(site->websockets(), 1U);
}

// The connection may live on another thread than the client's.
TEST_P(WebSocketTest, OfManyThreads_AreOpened_AndEcho) {
  begin(true, "3");
  EXPECT_EQ(get(*peer, "/page").body, "GET /page");
  for (int i = 0; i < 6; ++i) {
    const auto other = new_peer();
    EXPECT_EQ(talk(*other, "/socket"), opened());
  }
  EXPECT_EQ(site->websockets(), 6U);
  if (GetParam().origin == Speaks::http2) {
    EXPECT_EQ(site->connections(), 1U);
  }
}

TEST_P(WebSocketTest, Refused_IsRefused) {
  begin();
  EXPECT_EQ(get(*peer, "/page").body, "GET /page");
  EXPECT_THAT(talk(*peer, "/nothing"), ::testing::StartsWith("404"));
  EXPECT_EQ(site->websockets(), 0U);
}

// The bytes of a tunnel are no body: an origin that is told of one would take the next request for it.
TEST_P(WebSocketTest, LengthOfTheTunnel_IsNotPassedOn) {
  if (GetParam().client == Speaks::http1) return;
  begin();
  EXPECT_EQ(get(*peer, "/page").body, "GET /page");
  auto ask = [this]() -> Task<int> {
    RequestHead head;
    head.method = Method::connect;
    head.method_text = "CONNECT";
    head.headers.add(HeaderId::host, peer->authority());
    head.headers.add("Sec-WebSocket-Version", "13");
    head.headers.add("Content-Length", "40");
    const std::shared_ptr<Http2Stream> stream = peer->http2()->open();
    stream->send_extended_connect(head, "websocket", "/nothing");
    Result<Http2Block::Response> got = co_await stream->next_head();
    co_return got ? got->head.status : 0;
  };
  EXPECT_EQ(run_task(reactor, ask()), 404);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get(*peer, "/victim").body, "GET /victim");
}

// Chromium and Firefox say "failed" either way; who looks into the answer finds the reason.
TEST_P(WebSocketTest, OriginWithHttp2Alone_ThatHasNone_IsNamed) {
  if (GetParam().origin == Speaks::http1) return;
  begin(false);
  EXPECT_EQ(get(*peer, "/page").body, "GET /page");
  const std::string answer = talk(*peer, "/socket");
  EXPECT_THAT(answer, ::testing::StartsWith("502"));
  EXPECT_THAT(answer, ::testing::HasSubstr("HTTP/2"));
  EXPECT_EQ(site->websockets(), 0U);
}

std::string name_of(const ::testing::TestParamInfo<Combination>& info) {
  const auto name = [](Speaks s) { return s == Speaks::http2 ? "Http2" : "Http1"; };
  return std::string{name(info.param.client)} + "ClientTo" + name(info.param.origin) + "Origin";
}

INSTANTIATE_TEST_SUITE_P(AllFour, WebSocketTest,
                         ::testing::Values(Combination{Speaks::http1, Speaks::http1},
                                           Combination{Speaks::http1, Speaks::http2},
                                           Combination{Speaks::http2, Speaks::http1},
                                           Combination{Speaks::http2, Speaks::http2}),
                         name_of);

}  // namespace
}  // namespace outrider
