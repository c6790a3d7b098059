#include "base/http_client.hpp"

#include "tests/support/http_client_fixture.hpp"

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::ScriptedServer;
using testing::StringBody;

constexpr const char* kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

struct HttpClientTest : testing::HttpClientFixture {
  static Task<> answer_once_then_close(TcpSocket socket, std::string text) {
    const std::string head = co_await ScriptedServer::read_head(socket);
    co_await ScriptedServer::send(socket, text);
  }
  static ScriptedServer::Script once(std::string text) {
    return [text](TcpSocket socket) { return answer_once_then_close(std::move(socket), text); };
  }
  static Task<> close_at_once_after_request(TcpSocket socket) { co_await ScriptedServer::read_head(socket); }
};

TEST_F(HttpClientTest, KeptConnection_ServesTheNextRequest) {
  ScriptedServer server{reactor, {ScriptedServer::answering(kHello)}};
  const Result<Got> first = get(server.port());
  ASSERT_TRUE(first.has_value()) << first.error().to_string();
  EXPECT_EQ(first->body, "hello");
  EXPECT_FALSE(first->timings.reused);
  const Result<Got> second = get(server.port());
  ASSERT_TRUE(second.has_value());
  EXPECT_TRUE(second->timings.reused);
  EXPECT_EQ(server.accepted(), 1U);
  EXPECT_EQ(pool->idle(), 1U);
  EXPECT_EQ(pool->in_use(), 0U);
}

TEST_F(HttpClientTest, ConnectionClose_IsNotKept) {
  ScriptedServer server{
      reactor, {ScriptedServer::answering("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")}};
  EXPECT_EQ(get(server.port())->body, "hi");
  EXPECT_EQ(pool->idle(), 0U);
}

// RFC 4559: the login is the connection's, so whoever got it next would be logged in, too.
TEST_F(HttpClientTest, ConnectionThatSomebodyHasLoggedIn_IsForNobodyElse) {
  ScriptedServer server{reactor, {ScriptedServer::answering(kHello), ScriptedServer::answering(kHello)}};
  Wanted wanted;
  wanted.port = server.port();
  wanted.headers.add(HeaderId::authorization, "Negotiate YII=");
  EXPECT_EQ(fetch(wanted)->body, "hello");
  EXPECT_EQ(pool->idle(), 0U);
  wanted.apart = "one person";
  EXPECT_EQ(fetch(wanted)->body, "hello");
  EXPECT_EQ(pool->idle(), 1U) << "those with the same word are one";
  EXPECT_FALSE(get(server.port())->timings.reused);
}

TEST_F(HttpClientTest, ConnectionOnWhichALoginBegins_IsForNobodyElse) {
  ScriptedServer server{reactor,
                        {ScriptedServer::answering("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\n"
                                                   "WWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n")}};
  EXPECT_EQ(get(server.port())->status, 401);
  EXPECT_EQ(pool->idle(), 0U);
}

TEST_F(HttpClientTest, BytesBehindTheResponse_SpoilTheConnection) {
  ScriptedServer server{reactor, {ScriptedServer::answering(std::string{kHello} + "HTTP/1.1 200 OK\r\n")}};
  EXPECT_EQ(get(server.port())->body, "hello");
  EXPECT_EQ(pool->idle(), 0U) << "somebody smuggles: never reuse";
}

TEST_F(HttpClientTest, ChunkedBodyWithTrailers) {
  ScriptedServer server{reactor,
                        {ScriptedServer::answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                                   "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nChecksum: 42\r\n\r\n")}};
  const Result<Got> got = get(server.port());
  ASSERT_TRUE(got.has_value()) << got.error().to_string();
  EXPECT_EQ(got->body, "abcdefg");
  EXPECT_EQ(got->trailers.find("checksum"), "42");
  EXPECT_EQ(pool->idle(), 1U);
}

TEST_F(HttpClientTest, UntilCloseBody_EndsWithTheConnection) {
  ScriptedServer server{reactor, {once("HTTP/1.1 200 OK\r\n\r\nall of it")}};
  EXPECT_EQ(get(server.port())->body, "all of it");
  EXPECT_EQ(pool->idle(), 0U);
}

TEST_F(HttpClientTest, TruncatedBody_IsAnError) {
  ScriptedServer server{reactor, {once("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")}};
  const Result<Got> got = get(server.port());
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, ErrorKind::closed_early);
  EXPECT_EQ(got.error().side, Side::origin);
}

TEST_F(HttpClientTest, BulkThatStalls_IsHandedOnAsFarAsItCame) {
  struct Progress {
    std::string body = std::string(2'000'000, 'b');
    std::size_t received = 0;
    bool all_came = false;
  } progress;
  const auto stall = [](TcpSocket socket, Progress* now) -> Task<> {
    constexpr std::size_t kBeforeTheStall = 1'000'003;
    const std::string head = co_await ScriptedServer::read_head(socket);
    const std::string length = std::to_string(now->body.size());
    const std::string begin =
        "HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n" + now->body.substr(0, kBeforeTheStall);
    const std::string rest = now->body.substr(kBeforeTheStall);
    co_await ScriptedServer::send(socket, begin);
    Timer timer{socket.get_executor()};
    for (int i = 0; i < 1000 && now->received < kBeforeTheStall; ++i) {
      timer.expires_after(10ms);
      co_await timer.async_wait(as_result);
    }
    now->all_came = now->received == kBeforeTheStall;
    co_await ScriptedServer::send(socket, rest);
    const std::string next = co_await ScriptedServer::read_head(socket);
    const std::string hello = kHello;
    co_await ScriptedServer::send(socket, hello);
  };
  ScriptedServer server{reactor, {[&](TcpSocket socket) { return stall(std::move(socket), &progress); }}};
  on_piece = [&](std::size_t size) { progress.received = size; };
  const Result<Got> got = get(server.port());
  ASSERT_TRUE(got.has_value()) << got.error().to_string();
  EXPECT_TRUE(progress.all_came);
  EXPECT_EQ(got->body, progress.body);
  const Result<Got> next = get(server.port());
  ASSERT_TRUE(next.has_value()) << next.error().to_string();
  EXPECT_EQ(next->body, "hello");
  EXPECT_EQ(server.accepted(), 1U);
}

// Across a network a body comes in bursts. Each is handed on when it is there, and not when the next one comes.
struct ClockByHand {
  FakeClock clock;
};
struct DistantOrigin : ClockByHand, testing::HttpClientFixture {
  DistantOrigin() : HttpClientFixture(clock) {}
};

TEST_F(DistantOrigin, BurstsOfALargeBody_AreNotHeldBack) {
  struct Progress {
    FakeClock* clock;
    std::size_t received = 0, sent = 0;
    bool held_back = false;
  } progress{&clock};
  constexpr std::size_t kAll = 800'000, kFirst = 14'000, kBurst = 40'000;  // TCP begins with less (RFC 6928)
  const auto far_away = [](TcpSocket socket, Progress* now) -> Task<> {
    const std::string request = co_await ScriptedServer::read_head(socket);
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kAll) + "\r\n\r\n";
    co_await ScriptedServer::send(socket, head);
    Timer timer{socket.get_executor()};
    while (now->sent < kAll && !now->held_back) {
      const std::size_t most = now->sent == 0 ? kFirst : kBurst;
      const std::string burst(std::min(most, kAll - now->sent), 'b');
      co_await ScriptedServer::send(socket, burst);
      now->sent += burst.size();
      for (int looks = 0; looks < 3000 && now->received < now->sent; ++looks) {
        timer.expires_after(1ms);
        co_await timer.async_wait(as_result);
      }
      now->held_back = now->received < now->sent;
      now->clock->advance(50ms);
    }
  };
  ScriptedServer server{reactor, {[&](TcpSocket socket) { return far_away(std::move(socket), &progress); }}};
  on_piece = [&](std::size_t size) { progress.received = size; };
  const Result<Got> got = get(server.port());
  EXPECT_FALSE(progress.held_back) << progress.received << " of " << progress.sent << " bytes";
  ASSERT_TRUE(got.has_value()) << got.error().to_string();
  EXPECT_EQ(got->body.size(), kAll);
}

TEST_F(HttpClientTest, HeadAnd304_HaveNoBody) {
  ScriptedServer server{reactor, {ScriptedServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")}};
  Wanted wanted;
  wanted.method = Method::head;
  wanted.port = server.port();
  const Result<Got> got = fetch(wanted);
  ASSERT_TRUE(got.has_value()) << got.error().to_string();
  EXPECT_EQ(got->body, "");
  EXPECT_EQ(pool->idle(), 1U);
}

TEST_F(HttpClientTest, InformationalResponses_ComeBeforeTheFinalOne) {
  ScriptedServer server{reactor,
                        {ScriptedServer::answering(std::string{"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                                                               "HTTP/1.1 102 Processing\r\n\r\n"} +
                                                   kHello)}};
  const Result<Got> got = get(server.port());
  ASSERT_TRUE(got.has_value()) << got.error().to_string();
  EXPECT_EQ(got->informational, (std::vector<int>{103, 102}));
  EXPECT_EQ(got->body, "hello");
}

// RFC 9110 section 15.2 has no limit; an origin that never comes to the point is given up.
TEST_F(HttpClientTest, InformationalResponses_HaveAnEnd) {
  const auto hints = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "HTTP/1.1 103 Early Hints\r\n\r\n";
    return text + kHello;
  };
  ScriptedServer server{reactor,
                        {ScriptedServer::answering(hints(kMostInformational)), once(hints(kMostInformational + 1))}};
  const Result<Got> enough = get(server.port());
  ASSERT_TRUE(enough.has_value()) << enough.error().to_string();
  EXPECT_EQ(enough->informational.size(), static_cast<std::size_t>(kMostInformational));
  EXPECT_EQ(enough->body, "hello");
  pool->close_idle();
  const Result<Got> too_many = get(server.port());
  ASSERT_FALSE(too_many.has_value());
  EXPECT_EQ(too_many.error().kind, ErrorKind::bad_message);
  EXPECT_EQ(too_many.error().side, Side::origin);
  EXPECT_EQ(pool->idle() + pool->in_use(), 0U) << "nobody knows what is still on its way";
}

// RFC 9112 section 9.3.1: an idempotent request may be repeated when a kept connection turns out to be closed.
TEST_F(HttpClientTest, StaleKeptConnection_IdempotentRequestIsRepeatedOnce) {
  auto answer_first_then_drop = [](TcpSocket socket) -> Task<> {
    co_await ScriptedServer::read_head(socket);
    co_await ScriptedServer::send(socket, kHello);
    co_await ScriptedServer::read_head(
        socket);  // the second request is read, then the connection dies without an answer
  };
  ScriptedServer server{reactor, {answer_first_then_drop, ScriptedServer::answering(kHello)}};
  ASSERT_TRUE(get(server.port()).has_value());
  const Result<Got> second = get(server.port());
  ASSERT_TRUE(second.has_value()) << second.error().to_string();
  EXPECT_TRUE(second->timings.retried);
  EXPECT_EQ(server.accepted(), 2U);
}

TEST_F(HttpClientTest, StaleKeptConnection_PostIsNeverRepeated) {
  auto answer_first_then_drop = [](TcpSocket socket) -> Task<> {
    co_await ScriptedServer::read_head(socket);
    co_await ScriptedServer::send(socket, kHello);
    co_await ScriptedServer::read_head(socket);
  };
  ScriptedServer server{reactor, {answer_first_then_drop, ScriptedServer::answering(kHello)}};
  ASSERT_TRUE(get(server.port()).has_value());
  Wanted post;
  post.method = Method::post;
  post.port = server.port();
  post.framing = {BodyFraming::Kind::length, 0};
  const Result<Got> second = fetch(post);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ErrorKind::closed_early);
  EXPECT_EQ(server.accepted(), 1U);
}

TEST_F(HttpClientTest, FreshConnectionThatDies_IsNotRepeated) {
  ScriptedServer server{reactor, {close_at_once_after_request}};
  EXPECT_EQ(get(server.port()).error().kind, ErrorKind::closed_early);
  EXPECT_EQ(server.accepted(), 1U);
}

Task<> echo_length(TcpSocket socket, std::string* received) {
  std::string text = co_await ScriptedServer::read_head(socket);
  std::array<char, 4096> buffer;
  while (text.find("END") == std::string::npos) {
    auto [code, count] = co_await socket.async_read_some(asio::buffer(buffer), as_result);
    if (code) co_return;
    text.append(buffer.data(), count);
  }
  *received = text;
  co_await ScriptedServer::send(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

TEST_F(HttpClientTest, UploadsAreFramedAsTold) {
  std::string received;
  ScriptedServer server{reactor, {[&](TcpSocket s) { return echo_length(std::move(s), &received); }}};
  Wanted post;
  post.method = Method::post;
  post.port = server.port();
  post.framing = {BodyFraming::Kind::chunked, 0};
  auto body = std::make_shared<StringBody>(std::vector<std::string>{"one", "two END"});
  body->trailers_.add("X-Sum", "1");
  post.body = body;
  const Result<Got> got = fetch(post);
  ASSERT_TRUE(got.has_value()) << got.error().to_string();
  EXPECT_NE(received.find("\r\n\r\n3\r\none\r\n7\r\ntwo END\r\n"), std::string::npos) << received;

  post.framing = {BodyFraming::Kind::length, 7};
  post.body = std::make_shared<StringBody>(std::vector<std::string>{"two", " END"});
  ASSERT_TRUE(fetch(post).has_value());
  EXPECT_NE(received.find("\r\n\r\ntwo END"), std::string::npos) << received;
}

// A body that never comes, as of a client that waits for 100 (Continue).
class SilentBody final : public BodySource {
 public:
  explicit SilentBody(const Executor& executor) : event_(executor) {}
  Task<Result<std::string_view>> read() override {
    while (!cancelled_) co_await event_.wait();
    co_return Error{ErrorKind::cancelled, Side::client, "cancelled"};
  }
  const HeaderMap& trailers() const override { return trailers_; }
  void cancel() override {
    cancelled_ = true;
    event_.notify();
  }

 private:
  AsyncEvent event_;
  bool cancelled_ = false;
  HeaderMap trailers_;
};

TEST_F(HttpClientTest, EarlyFinalAnswer_EndsTheUploadAndTheConnection) {
  ScriptedServer server{reactor, {ScriptedServer::answering("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")}};
  Wanted post;
  post.method = Method::post;
  post.port = server.port();
  post.framing = {BodyFraming::Kind::length, 1'000'000};
  post.body = std::make_shared<SilentBody>(reactor.executor());
  const Result<Got> got = fetch(post);
  ASSERT_TRUE(got.has_value()) << got.error().to_string();
  EXPECT_EQ(got->status, 413);
  EXPECT_EQ(got->body, "no");
  EXPECT_EQ(pool->idle(), 0U) << "the rest of the request may still be expected there";
}

TEST_F(HttpClientTest, SlowOrigin_TimesOut) {
  auto silent = [](TcpSocket socket) -> Task<> {
    co_await ScriptedServer::read_head(socket);
    co_await ScriptedServer::read_head(socket);
  };
  ScriptedServer server{reactor, {silent}};
  Wanted wanted;
  wanted.port = server.port();
  wanted.timeouts.head = 50ms;
  const Result<Got> got = fetch(wanted);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().kind, ErrorKind::timeout);
  EXPECT_EQ(got.error().side, Side::origin);
}

// RFC 9110 section 15.5.8: it is us who are asked, not our client.
TEST_F(HttpClientTest, ProxyLogin_IsAnErrorOfWhoeverWantsIt) {
  ScriptedServer server{reactor, {ScriptedServer::answering("HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n")}};
  const Result<Got> direct = get(server.port());
  ASSERT_FALSE(direct.has_value());
  EXPECT_EQ(direct.error().kind, ErrorKind::bad_message);
  EXPECT_EQ(direct.error().side, Side::origin);
  Wanted wanted;
  wanted.host = "somewhere.example";
  wanted.port = 80;
  wanted.parent =
      std::make_shared<ParentProxy>(ParentProxy::parse("127.0.0.1:" + std::to_string(server.port())).value());
  const Result<Got> through = fetch(wanted);
  ASSERT_FALSE(through.has_value());
  EXPECT_EQ(through.error().kind, ErrorKind::parent_refused);
  EXPECT_EQ(through.error().side, Side::parent);
  EXPECT_EQ(pool->idle() + pool->in_use(), 0U);
}

TEST_F(HttpClientTest, HostileResponses_AreErrorsOfTheOrigin) {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n", "HTTP/1.1 99 No\r\n\r\n"}) {
    ScriptedServer server{reactor, {once(text)}};
    const Result<Got> got = get(server.port());
    ASSERT_FALSE(got.has_value()) << text;
    EXPECT_EQ(got.error().kind, ErrorKind::bad_message) << text;
    EXPECT_EQ(got.error().side, Side::origin) << text;
    EXPECT_EQ(pool->idle(), 0U);
  }
}

}  // namespace
}  // namespace outrider
