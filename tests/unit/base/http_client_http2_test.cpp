// The client against origins that speak HTTP/2 over TLS.
#include "base/http2_origins.hpp"
#include "tests/support/http_client_fixture.hpp"
#include "tests/support/test_ca.hpp"

#include <fstream>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;
using testing::ScriptedServer;
using testing::StringBody;

int choose_h2(SSL*, const unsigned char** out, unsigned char* length, const unsigned char* offered, unsigned size,
              void*) {
  static const unsigned char kList[] = "\x02h2\x08http/1.1";
  const int found =
      SSL_select_next_proto(const_cast<unsigned char**>(out), length, kList, sizeof kList - 1, offered, size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

struct HttpClientHttp2Test : testing::HttpClientFixture {
  testing::TestCa ca;
  std::string ca_file = ::testing::TempDir() + "outrider-h2-ca-" + std::to_string(::getpid()) + ".pem";
  asio::ssl::context context{asio::ssl::context::tls_server};
  std::unique_ptr<TlsClient> trusting;
  std::unique_ptr<Egress> way_out;
  std::unique_ptr<HttpClient> with_tls;
  std::function<void(Http2Connection&, std::shared_ptr<Http2Stream>)> on_request;
  std::size_t requests = 0, http1_requests = 0;
  std::vector<std::shared_ptr<Http2Connection>> connections;
  TaskGroup tasks{reactor.executor()};
  std::unique_ptr<ScriptedServer> server;

  void SetUp() override {
    std::ofstream{ca_file} << ca.pem();
    TlsClientOptions options = tls_options();
    options.extra_ca_file = ca_file;
    trusting = TlsClient::create(options).value();
    way_out = std::make_unique<Egress>(reactor, resolver, *trusting);
    with_tls = std::make_unique<HttpClient>(reactor, *way_out, pool, HttpLimits{});
    sender = with_tls.get();
    names["site.example"] = {asio::ip::make_address("127.0.0.1")};
    const testing::TestCertificate certificate = ca.issue("DNS:site.example");
    context.use_certificate_chain(asio::buffer(certificate.certificate_pem));
    context.use_private_key(asio::buffer(certificate.key_pem), asio::ssl::context::pem);
    SSL_CTX_set_alpn_select_cb(context.native_handle(), choose_h2, nullptr);
    on_request = [this](Http2Connection&, std::shared_ptr<Http2Stream> stream) { answer(std::move(stream)); };
    server = std::make_unique<ScriptedServer>(
        reactor, std::vector<ScriptedServer::Script>{[this](TcpSocket socket) { return serve(std::move(socket)); }});
  }
  void TearDown() override { std::remove(ca_file.c_str()); }

  Task<> serve(TcpSocket socket) {
    auto stream = std::make_shared<Stream>(reactor, std::move(socket), Side::client);
    Result<void> shaken = co_await stream->handshake(context, TlsChannel::Role::server, {});
    if (!shaken) co_return;
    const unsigned char* chosen = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(stream->ssl(), &chosen, &length);
    if (length != 2) {
      co_await serve_http1(*stream);
      co_return;
    }
    auto begin = [this](std::shared_ptr<Http2Stream> request) {
      ++requests;
      on_request(*request->connection(), request);
    };
    auto connection = std::make_shared<Http2Connection>(std::move(stream), Http2Connection::Role::server, Http2Limits{},
                                                        std::move(begin));
    connections.push_back(connection);
    co_await connection->run(tasks);
  }
  Task<> serve_http1(Stream& stream) {
    std::string buffer(4096, '\0');
    for (;;) {
      Result<std::size_t> got = co_await stream.read_some(std::span{buffer.data(), buffer.size()});
      if (!got || *got == 0) co_return;
      ++http1_requests;
      co_await stream.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold");
    }
  }

  void answer(std::shared_ptr<Http2Stream> stream) { tasks.spawn(echo(std::move(stream)), "answer"); }
  static Task<> echo(std::shared_ptr<Http2Stream> stream) {
    ResponseHead head;
    head.headers.add("X-Host", stream->request()->head.headers.find(HeaderId::host).value_or(""));
    std::string body = "new ";
    for (;;) {
      Result<std::string_view> piece = co_await stream->read();
      if (!piece) co_return;
      if (piece->empty()) break;
      body += *piece;
    }
    stream->send_response(head, false);
    if (!stream->put(body)) co_await stream->sent(10s);
    stream->end(stream->trailers());
  }

  Wanted wanted() const {
    Wanted w;
    w.port = server->port();
    w.host = "site.example";
    w.tls = true;
    return w;
  }
};

TEST_F(HttpClientHttp2Test, OriginThatChoosesHttp2_GetsOneConnectionForAll) {
  for (int i = 0; i < 3; ++i) {
    const Result<Got> got = fetch(wanted());
    ASSERT_TRUE(got) << got.error().to_string();
    EXPECT_EQ(got->body, "new ");
    EXPECT_EQ(got->headers.find("x-host"), "site.example");
    EXPECT_EQ(got->timings.reused, i > 0);
  }
  EXPECT_EQ(server->accepted(), 1U);
  EXPECT_EQ(pool->in_use(), 0U);
}

// Nobody knows yet what it speaks: the first finds out, the others wait for that instead of connecting too.
TEST_F(HttpClientHttp2Test, ManyAtOnce_ConnectOnce) {
  auto all = [this]() -> Task<int> {
    int right = 0, left = 20;
    AsyncEvent done{reactor.executor()};
    TaskGroup group{reactor.executor()};
    auto one = [&]() -> Task<> {
      Result<Got> got = co_await fetch_task(wanted());
      if (got && got->body == "new ") ++right;
      --left;
      done.notify();
    };
    for (int i = 0; i < 20; ++i) group.spawn(one(), "one of many");
    while (left > 0) co_await done.wait();
    co_return right;
  };
  EXPECT_EQ(run_task(reactor, all()), 20);
  EXPECT_EQ(server->accepted(), 1U);
}

TEST_F(HttpClientHttp2Test, FailureToConnect_IsEverybodys) {
  Wanted nowhere = wanted();
  nowhere.host = "unknown.example";
  auto both = [&, this]() -> Task<std::vector<ErrorKind>> {
    std::vector<ErrorKind> kinds;
    AsyncEvent done{reactor.executor()};
    TaskGroup group{reactor.executor()};
    auto one = [&]() -> Task<> {
      Result<Got> got = co_await fetch_task(nowhere);
      kinds.push_back(got ? ErrorKind::internal : got.error().kind);
      done.notify();
    };
    for (int i = 0; i < 3; ++i) group.spawn(one(), "one of many");
    while (kinds.size() < 3) co_await done.wait();
    co_return kinds;
  };
  EXPECT_EQ(run_task(reactor, both()), std::vector<ErrorKind>(3, ErrorKind::dns_failure));
}

TEST_F(HttpClientHttp2Test, Upload_WithTrailers) {
  Wanted up = wanted();
  up.method = Method::post;
  auto body = std::make_shared<StringBody>(std::vector<std::string>{"one ", std::string(200'000, 'x'), " three"});
  body->trailers_.add("Sum", "7");
  up.body = body;
  up.framing.kind = BodyFraming::Kind::chunked;
  const Result<Got> got = fetch(up);
  ASSERT_TRUE(got) << got.error().to_string();
  EXPECT_EQ(got->body, "new one " + std::string(200'000, 'x') + " three");
  EXPECT_EQ(got->trailers.find("sum"), "7");
}

// RFC 9113 section 8.7: REFUSED_STREAM says that nothing has happened, so any method may be sent again.
TEST_F(HttpClientHttp2Test, RefusedStream_IsSentAgain_WhateverItsMethod) {
  on_request = [this](Http2Connection&, std::shared_ptr<Http2Stream> stream) {
    if (requests == 1) {
      stream->reset(NGHTTP2_REFUSED_STREAM);
    } else {
      answer(std::move(stream));
    }
  };
  Wanted post = wanted();
  post.method = Method::post;
  const Result<Got> got = fetch(post);
  ASSERT_TRUE(got) << got.error().to_string();
  EXPECT_EQ(got->body, "new ");
  EXPECT_TRUE(got->timings.retried);
  EXPECT_EQ(requests, 2U);
}

TEST_F(HttpClientHttp2Test, StreamThatWasReset_IsNotSentAgain) {
  on_request = [](Http2Connection&, std::shared_ptr<Http2Stream> stream) { stream->reset(NGHTTP2_INTERNAL_ERROR); };
  Wanted post = wanted();
  post.method = Method::post;
  const Result<Got> got = fetch(post);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().side, Side::origin);
  EXPECT_EQ(requests, 1U);
}

// RFC 9113 section 6.8.
TEST_F(HttpClientHttp2Test, AfterGoaway_AnotherConnectionIsOpened) {
  ASSERT_TRUE(fetch(wanted()));
  connections.front()->drain();
  for (int i = 0; i < 3; ++i) {
    const Result<Got> got = fetch(wanted());
    ASSERT_TRUE(got) << got.error().to_string();
    EXPECT_EQ(got->body, "new ");
  }
  EXPECT_EQ(server->accepted(), 2U);
}

TEST_F(HttpClientHttp2Test, KeptConnectionThatIsGone_IsReplaced) {
  ASSERT_TRUE(fetch(wanted()));
  connections.front()->close(Error{ErrorKind::io, Side::client, "the origin was restarted"});
  const Result<Got> got = fetch(wanted());
  ASSERT_TRUE(got) << got.error().to_string();
  EXPECT_EQ(server->accepted(), 2U);
}

// HTTP_1_1_REQUIRED (RFC 9113 section 7): asked again in HTTP/1, and not offered HTTP/2 any more.
TEST_F(HttpClientHttp2Test, OriginThatInsistsOnHttp1_GetsIt) {
  on_request = [](Http2Connection&, std::shared_ptr<Http2Stream> stream) { stream->reset(NGHTTP2_HTTP_1_1_REQUIRED); };
  const Result<Got> got = fetch(wanted());
  ASSERT_TRUE(got) << got.error().to_string();
  EXPECT_EQ(got->body, "old");
  EXPECT_EQ(fetch(wanted())->body, "old");
  EXPECT_EQ(requests, 1U);
  EXPECT_EQ(http1_requests, 2U);
}

// Beside the limit on those that wait to be read: an origin that never comes to the point, one after the other.
TEST_F(HttpClientHttp2Test, InformationalResponses_HaveAnEnd) {
  int hints = 0, seen = 0;
  AsyncEvent read{reactor.executor()};
  on_informational = [&] {
    ++seen;
    read.notify();
  };
  auto hint_and_answer = [&](std::shared_ptr<Http2Stream> stream) -> Task<> {
    ResponseHead head;
    head.status = 103;
    for (int sent = 1; sent <= hints; ++sent) {
      stream->send_informational(head);
      while (seen < sent && sent < hints) co_await read.wait();
    }
    co_await echo(stream);
  };
  on_request = [&](Http2Connection&, std::shared_ptr<Http2Stream> stream) {
    tasks.spawn(hint_and_answer(std::move(stream)), "hints");
  };
  hints = kMostInformational;
  const Result<Got> enough = fetch(wanted());
  ASSERT_TRUE(enough) << enough.error().to_string();
  EXPECT_EQ(enough->informational.size(), static_cast<std::size_t>(kMostInformational));
  EXPECT_EQ(enough->body, "new ");
  hints = kMostInformational + 1;
  seen = 0;
  const Result<Got> too_many = fetch(wanted());
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().kind, ErrorKind::bad_message);
  EXPECT_EQ(too_many.error().side, Side::origin);
  EXPECT_EQ(seen, kMostInformational);
}

// "site.example." is a name in the DNS, but neither certificates nor SNI know the dot (RFC 6066 section 3).
TEST_F(HttpClientHttp2Test, NameWithADotAtItsEnd_IsVerifiedWithoutIt) {
  std::string asked_for;
  const auto note = [](SSL* ssl, int*, void* into) -> int {
    const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    *static_cast<std::string*>(into) = name != nullptr ? name : "";
    return SSL_TLSEXT_ERR_OK;
  };
  SSL_CTX_set_tlsext_servername_callback(context.native_handle(), +note);
  SSL_CTX_set_tlsext_servername_arg(context.native_handle(), &asked_for);
  names["site.example."] = {asio::ip::make_address("127.0.0.1")};
  names["other.example."] = {asio::ip::make_address("127.0.0.1")};
  Wanted dotted = wanted();
  dotted.host = "site.example.";
  const Result<Got> got = fetch(dotted);
  ASSERT_TRUE(got) << got.error().to_string();
  EXPECT_EQ(asked_for, "site.example");
  EXPECT_EQ(got->headers.find("x-host"), "site.example.");
  dotted.host = "other.example.";
  const Result<Got> other = fetch(dotted);
  ASSERT_FALSE(other) << "the dot does not turn verification off";
  EXPECT_EQ(other.error().kind, ErrorKind::tls_untrusted);
}

TEST_F(HttpClientHttp2Test, SilentOrigin_IsGivenUp_AndTheConnectionStays) {
  on_request = [this](Http2Connection&, std::shared_ptr<Http2Stream> stream) {
    if (requests > 1) answer(std::move(stream));
  };
  Wanted impatient = wanted();
  impatient.timeouts.head = 0s;
  const Result<Got> got = fetch(impatient);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::timeout);
  EXPECT_EQ(fetch(wanted())->body, "new ");
  EXPECT_EQ(server->accepted(), 1U);
}

// Whoever opened the connection may have been allowed more than the one who wants to use it.
TEST_F(HttpClientHttp2Test, SharedConnection_IsNotForWhoMayNotGoThere) {
  ASSERT_TRUE(fetch(wanted()));
  policy = std::make_shared<AddressPolicy>(AddressPolicy::public_only());
  const Result<Got> got = fetch(wanted());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::address_denied);
  EXPECT_EQ(requests, 1U);
}

}  // namespace
}  // namespace outrider
