// Readers of a flight (cache/flight.hpp) who leave before it has ended, and what becomes of the others and of the
// fetch.
#include "tests/support/flight_stage.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct FlightsLeft : FlightStage {};
INSTANTIATE_TEST_SUITE_P(Threads, FlightsLeft, ::testing::Values(1, 2, 4));

TEST_P(FlightsLeft, FirstClientLeavesInTheMiddle_TheOthersGetEverything) {
  const std::string body = noise(3'000'000);
  in_two_parts("/a", body, 100'000);
  std::deque<HttpPeer> first = clients(1, "/a");
  EXPECT_EQ(first.front().body(1000).status, 200);
  std::deque<HttpPeer> others = clients(12, "/a");
  for (HttpPeer& client : others) EXPECT_GE(client.body(1000).body.size(), 1000U);
  first.front().leave();
  stage->settle();
  others.front().leave();  // and one of the others
  others.pop_front();
  stage->settle();
  gate.open();
  for (HttpPeer& client : others) {
    const HttpAnswer answer = client.answer();
    EXPECT_TRUE(answer.complete);
    EXPECT_TRUE(answer.body == body);
  }
  EXPECT_EQ(stage->origin.count("/a"), 1U);
}

TEST_P(FlightsLeft, FirstClientLeavesBeforeTheHead_TheOthersGetEverything) {
  const std::string body = noise(300'000);
  Gate asked, left;
  std::atomic<bool> given_up = false;
  stage->origin.talk("/a", [&](const auto&, RawSocket& socket) {
    asked.open();
    left.wait();
    given_up =
        socket.closed_by_peer(std::chrono::milliseconds{2500});  // whether somebody left is looked at once a second
    return socket.send(page(body, kFresh));
  });
  std::deque<HttpPeer> first = clients(1, "/a");
  asked.wait();
  std::deque<HttpPeer> others = clients(8, "/a");
  stage->settle();
  first.front().leave();
  stage->settle();
  left.open();
  for (HttpPeer& client : others) {
    const HttpAnswer answer = client.answer();
    EXPECT_TRUE(answer.complete);
    EXPECT_TRUE(answer.body == body);
  }
  EXPECT_FALSE(given_up);
  EXPECT_EQ(stage->origin.count("/a"), 1U);
}

// An origin that takes its time is not kept busy for nobody.
TEST_P(FlightsLeft, TheOnlyClientLeavesBeforeTheHead_TheOriginIsLetGo) {
  const auto asked = std::make_shared<Gate>(), let_go = std::make_shared<Gate>();
  stage->origin.talk("/a", [asked, let_go](const auto&, RawSocket& socket) {
    asked->open();
    if (socket.closed_by_peer(std::chrono::seconds{30})) let_go->open();
    return false;
  });
  std::deque<HttpPeer> all = clients(1, "/a");
  asked->wait();
  all.front().leave();
  EXPECT_TRUE(let_go->wait());
  EXPECT_EQ(stage->origin.count("/a"), 1U);
  // Nobody has failed: it ended without an answer.
  const std::string ended = "outrider_exchanges_total{status=\"none\"} 1";
  std::string metrics;
  for (int looks = 0; looks < 1000 && metrics.find(ended) == std::string::npos; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
    metrics = HttpPeer{stage->outrider.port()}.get("http://outrider.internal/metrics").body;
  }
  EXPECT_THAT(metrics, HasSubstr(ended));
  EXPECT_THAT(metrics, Not(HasSubstr("outrider_exchanges_total{status=\"5xx\"} 1")));
}

// What one client paid for is not thrown away when it leaves: the rest of a small answer is fetched for the store.
TEST_P(FlightsLeft, EverybodyLeaves_ASmallAnswerIsCompletedForTheStore) {
  const std::string body = noise(300'000);
  Gate sent;
  stage->origin.talk("/a", [&](const auto&, RawSocket& socket) {
    socket.send(head_of(body.size()) + body.substr(0, 1000));
    gate.wait();
    socket.send(body.substr(1000));
    sent.open();
    return true;
  });
  std::deque<HttpPeer> all = clients(1, "/a");
  EXPECT_EQ(all.front().body(1000).status, 200);
  all.clear();
  stage->settle();
  gate.open();
  sent.wait();
  const HttpAnswer hit = stage->get("/a");
  EXPECT_TRUE(hit.complete);
  EXPECT_TRUE(hit.body == body);
  EXPECT_EQ(stage->origin.count("/a"), 1U);
}

// A stream that never ends, such as events for a page that was closed, is not fetched for the store for ever.
TEST(FlightAlone, EverybodyLeaves_AnEndlessAnswerIsGivenUp) {
  Gate given_up;
  CacheStage stage;
  stage.origin.talk("/a", [&](const auto&, RawSocket& socket) {
    socket.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (socket.send(chunk("data: tick\n\n"))) std::this_thread::sleep_for(std::chrono::milliseconds{20});
    given_up.open();
    return false;
  });
  HttpPeer client = stage.client();
  client.send("GET", stage.origin.url("/a"));
  EXPECT_GE(client.body(100).body.size(), 100U);
  client.leave();
  EXPECT_TRUE(given_up.wait());
}

// A large one is given up at once.
TEST_P(FlightsLeft, EverybodyLeaves_ALargeAnswerIsGivenUp) {
  Gate given_up;
  stage->origin.talk("/a", [&](const auto&, RawSocket& socket) {
    socket.send(head_of(1'000'000'000));
    while (socket.send(std::string(100'000, 'x'))) {
    }
    given_up.open();
    return false;
  });
  {
    std::deque<HttpPeer> all = clients(6, "/a");
    for (HttpPeer& client : all) EXPECT_GE(client.body(1000).body.size(), 1000U);
  }
  EXPECT_TRUE(given_up.wait());
}

}  // namespace
}  // namespace outrider::testing
