// Our client against our server over a real socket.
#include "base/http2_connection.hpp"

#include "tests/support/http2_pair.hpp"

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::Http2Fixture;
using testing::run_task;

struct Http2ConnectionTest : Http2Fixture {
  struct Got {
    std::vector<int> statuses;
    std::string asked, body;
    HeaderMap trailers;
    std::optional<Error> error;
  };

  static RequestHead get_head() {
    RequestHead head;
    head.headers.add(HeaderId::host, "example.org");
    return head;
  }

  static Task<Got> receive(std::shared_ptr<Http2Stream> stream) {
    Got got;
    for (;;) {
      Result<Http2Block::Response> head = co_await stream->next_head();
      if (!head) {
        got.error = head.error();
        co_return got;
      }
      got.statuses.push_back(head->head.status);
      got.asked = head->head.headers.find("x-asked").value_or("");
      if (!head->head.is_informational()) break;
    }
    for (;;) {
      Result<std::string_view> piece = co_await stream->read();
      if (!piece) got.error = piece.error();
      if (!piece || piece->empty()) break;
      got.body += *piece;
    }
    got.trailers = stream->trailers();
    co_return got;
  }

  static Task<Got> fetch(std::shared_ptr<Http2Connection> client, std::string path) {
    std::shared_ptr<Http2Stream> stream = client->open();
    const RequestHead head = get_head();
    stream->send_request(head, "https", path, true);
    co_return co_await receive(stream);
  }

  static Task<Got> upload(std::shared_ptr<Http2Connection> client, std::string body, HeaderMap trailers) {
    std::shared_ptr<Http2Stream> stream = client->open();
    RequestHead head = get_head();
    head.set_method(Method::post);
    stream->send_request(head, "https", "/up", false);
    TaskGroup tasks{stream->connection()->stream().reactor().executor()};
    tasks.spawn(send_body(stream, std::move(body), std::move(trailers)), "upload");
    co_return co_await receive(stream);
  }
  static Task<> send_body(std::shared_ptr<Http2Stream> stream, std::string body, HeaderMap trailers) {
    if (!stream->put(body)) co_await stream->sent(10s);
    stream->end(trailers);
  }
};

TEST_F(Http2ConnectionTest, Request_IsAnswered) {
  auto client = start_pair();
  const Got got = run_task(reactor, fetch(client, "/a?b"));
  EXPECT_EQ(got.statuses, std::vector<int>{200});
  EXPECT_EQ(got.asked, "GET /a?b");
  EXPECT_EQ(got.body, "");
  EXPECT_FALSE(got.error) << got.error->to_string();
  EXPECT_EQ(client->streams(), 0U);
}

TEST_F(Http2ConnectionTest, LargeBodyGoesUpAndComesBack_WithTrailers) {
  auto client = start_pair();
  std::string body;
  for (int i = 0; body.size() < 3'000'000; ++i) body += std::to_string(i);
  HeaderMap trailers;
  trailers.add("Grpc-Status", "0");
  const Got got = run_task(reactor, upload(client, body, trailers));
  EXPECT_FALSE(got.error) << got.error->to_string();
  EXPECT_EQ(got.body.size(), body.size());
  EXPECT_TRUE(got.body == body);
  EXPECT_EQ(got.trailers.find("grpc-status"), "0");
}

TEST_F(Http2ConnectionTest, ManyStreamsAtOnce_ShareTheConnection) {
  auto client = start_pair();
  auto all = [this, client]() -> Task<int> {
    int right = 0;
    std::vector<std::shared_ptr<Http2Stream>> streams;
    const RequestHead head = get_head();
    for (int i = 0; i < 250; ++i) {  // more than may run at once: the rest waits its turn
      streams.push_back(client->open());
      streams.back()->send_request(head, "https", "/" + std::to_string(i), true);
    }
    for (int i = 0; i < 250; ++i) {
      const Got got = co_await receive(streams[static_cast<std::size_t>(i)]);
      if (got.asked == "GET /" + std::to_string(i)) ++right;
    }
    co_return right;
  };
  EXPECT_EQ(run_task(reactor, all()), 250);
  EXPECT_EQ(requests, 250U);
}

TEST_F(Http2ConnectionTest, InformationalHeads_ComeBeforeTheFinalOne) {
  serve = [](std::shared_ptr<Http2Stream> stream) -> Task<> {
    ResponseHead early;
    early.status = 103;
    stream->send_informational(early);
    ResponseHead head;
    head.status = 204;
    stream->send_response(head, true);
    co_return;
  };
  const Got got = run_task(reactor, fetch(start_pair(), "/"));
  EXPECT_EQ(got.statuses, (std::vector<int>{103, 204}));
}

// A reader that stops reading stops the sender: what waits in between is no more than the windows.
TEST_F(Http2ConnectionTest, SlowReader_HoldsTheSenderBack) {
  std::size_t taken = 0;
  serve = [&taken](std::shared_ptr<Http2Stream> stream) -> Task<> {
    const ResponseHead head;
    stream->send_response(head, false);
    const std::string piece(64 * 1024, 'x');
    for (int i = 0; i < 1000; ++i) {
      if (!stream->put(piece)) {
        Result<void> sent = co_await stream->sent(60s);
        if (!sent) co_return;
      }
      taken += piece.size();
    }
    stream->end({});
  };
  Http2Limits client_limits;
  client_limits.stream_window = 100'000;
  auto client = start_pair(client_limits);
  auto read_one = [client, &taken]() -> Task<std::size_t> {
    std::shared_ptr<Http2Stream> slow = client->open();
    const RequestHead head = get_head();
    slow->send_request(head, "https", "/slow", true);
    co_await slow->next_head();
    // Another stream of the same connection is not held back, and its end shows that the first had its chance.
    for (int i = 0; i < 3; ++i) {
      std::shared_ptr<Http2Stream> other = client->open();
      other->send_request(head, "https", "/other", true);
      co_await other->next_head();
      co_await other->read();
      other->reset(NGHTTP2_CANCEL);
    }
    co_return taken;
  };
  // The windows, a piece in each hand, and what sockets hold.
  EXPECT_LT(run_task(reactor, read_one()), 4 * (100'000U + 5 * 64 * 1024U));
}

// Fifty streams that nobody reads hold fifty small windows, and the fifty-first is served.
TEST_F(Http2ConnectionTest, StreamsThatNobodyReads_DoNotStopTheOthers) {
  serve = [](std::shared_ptr<Http2Stream> stream) -> Task<> {
    const ResponseHead head;
    stream->send_response(head, false);
    const std::string piece(64 * 1024, 'x');
    for (int i = 0; i < 100 && stream->request()->head.target == "/large"; ++i) {
      if (stream->put(piece)) continue;
      Result<void> sent = co_await stream->sent(60s);
      if (!sent) co_return;
    }
    stream->put("small");
    stream->end({});
  };
  auto client = start_pair();
  auto ask = [client]() -> Task<Got> {
    const RequestHead head = get_head();
    std::vector<std::shared_ptr<Http2Stream>> unread;
    for (int i = 0; i < 50; ++i) {
      unread.push_back(client->open());
      unread.back()->send_request(head, "https", "/large", true);
      co_await unread.back()->next_head();
    }
    co_return co_await fetch(client, "/small");
  };
  EXPECT_EQ(run_task(reactor, ask()).body, "small");
  EXPECT_FALSE(client->congested());
}

TEST_F(Http2ConnectionTest, ResetByTheClient_EndsTheServersStream) {
  std::optional<Error> seen;
  AsyncEvent done{reactor.executor()};
  serve = [&](std::shared_ptr<Http2Stream> stream) -> Task<> {
    const ResponseHead head;
    stream->send_response(head, false);
    Result<std::string_view> piece = co_await stream->read();
    if (!piece) seen = piece.error();
    done.notify();
  };
  auto client = start_pair();
  auto cancel = [&, client]() -> Task<bool> {
    std::shared_ptr<Http2Stream> stream = client->open();
    RequestHead head = get_head();
    head.set_method(Method::post);
    stream->send_request(head, "https", "/", false);
    co_await stream->next_head();
    stream->reset(NGHTTP2_CANCEL);
    while (!seen) co_await done.wait();
    co_return true;
  };
  EXPECT_TRUE(run_task(reactor, cancel()));
  EXPECT_EQ(seen->kind, ErrorKind::closed_early);
  EXPECT_EQ(seen->side, Side::client);
}

TEST_F(Http2ConnectionTest, ClosedConnection_WakesAllItsStreams) {
  serve = [](std::shared_ptr<Http2Stream> stream) -> Task<> {
    Http2Connection& connection = *stream->connection();
    if (stream->id() == 3) connection.close(Error{ErrorKind::io, Side::client, "test"});
    co_return;
  };
  auto client = start_pair();
  auto both = [client]() -> Task<std::vector<bool>> {
    std::shared_ptr<Http2Stream> first = client->open(), second = client->open();
    const RequestHead head = get_head();
    first->send_request(head, "https", "/1", true);
    second->send_request(head, "https", "/2", true);
    Result<Http2Block::Response> a = co_await first->next_head();
    Result<Http2Block::Response> b = co_await second->next_head();
    std::vector<bool> failed{!a, !b, first->closed(), client->closed()};
    co_return failed;
  };
  EXPECT_EQ(run_task(reactor, both()), (std::vector<bool>{true, true, true, true}));
}

// RFC 9113 section 6.8: what is running is finished, what comes later was not looked at and may be repeated.
TEST_F(Http2ConnectionTest, Drain_FinishesWhatRuns_AndRefusesTheRest) {
  serve = [](std::shared_ptr<Http2Stream> stream) -> Task<> {
    stream->connection()->drain();
    const ResponseHead head;
    stream->send_response(head, false);
    stream->put("finished");
    stream->end({});
    co_return;
  };
  auto client = start_pair();
  const Got got = run_task(reactor, fetch(client, "/"));
  EXPECT_EQ(got.body, "finished");
  EXPECT_FALSE(client->accepts_streams());
  std::shared_ptr<Http2Stream> late = client->open();
  const RequestHead head = get_head();
  if (late->send_request(head, "https", "/late", true)) {
    const Got refused = run_task(reactor, receive(late));
    ASSERT_TRUE(refused.error);
  }
}

TEST_F(Http2ConnectionTest, NoProgress_ResetsTheStream_AfterItsTime) {
  serve = [](std::shared_ptr<Http2Stream> stream) -> Task<> {
    co_await stream->read();  // never answers
    co_await stream->read();
  };
  auto client = start_pair();
  auto wait = [client]() -> Task<Error> {
    std::shared_ptr<Http2Stream> stream = client->open();
    RequestHead head = get_head();
    stream->send_request(head, "https", "/", false);
    stream->set_read_deadline(Deadline::after(0s));
    Result<Http2Block::Response> answer = co_await stream->next_head();
    co_return answer ? Error{} : answer.error();
  };
  EXPECT_EQ(run_task(reactor, wait()).kind, ErrorKind::timeout);
}

TEST_F(Http2ConnectionTest, IdleConnection_SaysGoodbye) {
  limits.idle = 0s;
  const std::vector<testing::h2::Frame> frames = ask("", true, false);
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames.back().type, testing::h2::goaway);
  EXPECT_EQ(frames.back().number_at(4), 0U) << "nothing went wrong";
}

}  // namespace
}  // namespace outrider
