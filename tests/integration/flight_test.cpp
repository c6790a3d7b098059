// One fetch, many readers (cache/flight.hpp): clients who ask for the same thing at the same time share one request to
// the origin and read its answer while it arrives.
#include "tests/support/flight_stage.hpp"

#include <gmock/gmock.h>

#include <set>
#include <thread>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Flights : FlightStage {};
INSTANTIATE_TEST_SUITE_P(Threads, Flights, ::testing::Values(1, 2, 4));

TEST_P(Flights, ManyClients_CauseOneRequest) {
  const std::string body = noise(200'000);
  Gate rest;
  stage->origin.talk("/a", [&](const auto&, RawSocket& socket) {
    const std::string whole = page(body, kFresh);
    gate.wait();  // nobody has the head yet
    socket.send(whole.substr(0, whole.size() / 2));
    rest.wait();
    return socket.send(whole.substr(whole.size() / 2));
  });
  std::deque<HttpPeer> all = clients(40, "/a");
  stage->settle();
  gate.open();
  stage->settle();
  rest.open();
  std::size_t collapsed = 0;
  for (HttpPeer& client : all) {
    const HttpAnswer answer = client.answer();
    EXPECT_TRUE(answer.complete);
    EXPECT_TRUE(answer.body == body);
    collapsed += answer.field("Cache-Status").find("; collapsed") != std::string::npos;
  }
  EXPECT_EQ(stage->origin.count("/a"), 1U);
  EXPECT_GT(collapsed, 0U);
}

TEST_P(Flights, LateClient_GetsTheFirstBytesBeforeTheOriginHasFinished) {
  for (const bool chunked : {false, true}) {
    const std::string target = chunked ? "/chunked" : "/length";
    const std::string body = noise(100'000, chunked);
    Gate open_later;
    stage->origin.talk(target, [&](const auto&, RawSocket& socket) {
      const std::string one = body.substr(0, 30'000), two = body.substr(30'000);
      socket.send(chunked ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + kFresh + "\r\n" + chunk(one)
                          : head_of(body.size()) + one);
      open_later.wait();
      return socket.send(chunked ? chunk(two) + "0\r\n\r\n" : two);
    });
    std::deque<HttpPeer> all = clients(1, target);
    EXPECT_EQ(all.front().body(30'000).body.size(), 30'000U);
    for (HttpPeer& late : clients(12, target)) all.push_back(std::move(late));
    for (HttpPeer& client : all) {  // the gate is still shut
      EXPECT_EQ(client.body(30'000).body.size(), 30'000U);
      EXPECT_FALSE(client.head().complete);
    }
    open_later.open();
    for (HttpPeer& client : all) {
      const HttpAnswer answer = client.answer();
      EXPECT_TRUE(answer.complete);
      EXPECT_TRUE(answer.body == body);
    }
    EXPECT_EQ(stage->origin.count(target), 1U);
  }
}

TEST_P(Flights, UncacheableAnswer_ReleasesTheWaitersInParallel) {
  constexpr std::size_t kClients = 10;
  Meeting others{kClients - 1};
  std::atomic<std::size_t> asked{0};
  stage->origin.talk("/a", [&](const auto&, RawSocket& socket) {
    const std::size_t number = ++asked;
    if (number == 1) {
      gate.wait();
    } else {
      others.arrive();  // all of them are here at the same time: nobody waits for another
    }
    return socket.send(page("page " + std::to_string(number), "Cache-Control: no-store\r\n"));
  });
  std::deque<HttpPeer> all = clients(kClients, "/a");
  stage->settle();
  gate.open();
  std::set<std::string> bodies;
  for (HttpPeer& client : all) {
    const HttpAnswer answer = client.answer();
    EXPECT_TRUE(answer.complete);
    bodies.insert(answer.body);
  }
  EXPECT_EQ(bodies.size(), kClients) << "everybody has an answer of their own";
  EXPECT_EQ(asked, kClients);
}

// The answer turns out to be one person's: the others get their own.
TEST_P(Flights, PersonalAnswer_IsNotSharedWithThoseWhoWait) {
  std::atomic<int> asked{0};
  stage->origin.talk("/a", [&](const auto&, RawSocket& socket) {
    const int number = ++asked;
    if (number == 1) gate.wait();
    return socket.send(
        page("page " + std::to_string(number), kFresh + "Set-Cookie: id=" + std::to_string(number) + "\r\n"));
  });
  HttpPeer anna{stage->outrider.port(), "127.0.0.1"};
  HttpPeer bert{stage->outrider.port(), "127.0.0.2"};
  anna.send("GET", stage->origin.url("/a"));
  while (asked == 0) std::this_thread::yield();
  bert.send("GET", stage->origin.url("/a"));
  stage->settle();
  gate.open();
  EXPECT_EQ(anna.answer().body, "page 1");
  const HttpAnswer his = bert.answer();
  EXPECT_EQ(his.body, "page 2");
  EXPECT_THAT(his.head, Not(HasSubstr("id=1")));
}

// RFC 9111 section 4.4: what is on its way when something is changed is as old as what is kept.
TEST_P(Flights, UnsafeRequest_EndsTheSharingOfWhatWasAskedForBefore) {
  std::atomic<int> round{0};
  stage->origin.talk("/a", [&](const ScriptedOrigin::Request& request, RawSocket& socket) {
    if (request.method == "POST") return socket.send(page("done"));
    const std::string body = "round " + std::to_string(++round);
    if (round > 1) return socket.send(page(body, kFresh));
    socket.send(head_of(body.size()) + body.substr(0, 3));
    gate.wait();
    return socket.send(body.substr(3));
  });
  std::deque<HttpPeer> before = clients(1, "/a");
  EXPECT_EQ(before.front().body(3).status, 200);
  EXPECT_EQ(stage->ask("POST", "/a", "", "127.0.0.1", "x").body, "done");
  EXPECT_EQ(stage->get("/a").body, "round 2");
  gate.open();
  EXPECT_EQ(before.front().answer().body, "round 1");
  EXPECT_EQ(stage->get("/a").body, "round 2") << "the old one did not take the place of the new one";
}

// The same for what nobody can join: a reload is not shared, but kept.
TEST_P(Flights, UnsafeRequest_AlsoOutdatesAReloadThatIsOnItsWay) {
  std::atomic<int> round{0};
  stage->origin.talk("/a", [&](const ScriptedOrigin::Request& request, RawSocket& socket) {
    if (request.method == "POST") return socket.send(page("done"));
    const std::string body = "round " + std::to_string(++round);
    if (round > 1) return socket.send(page(body, kFresh));
    socket.send(head_of(body.size()) + body.substr(0, 3));
    gate.wait();
    return socket.send(body.substr(3));
  });
  std::deque<HttpPeer> before = clients(1, "/a", "Cache-Control: no-cache\r\n");
  EXPECT_EQ(before.front().body(3).status, 200);
  EXPECT_EQ(stage->ask("POST", "/a", "", "127.0.0.1", "x").body, "done");
  gate.open();
  EXPECT_EQ(before.front().answer().body, "round 1");
  EXPECT_EQ(stage->get("/a").body, "round 2");
}

TEST_P(Flights, StalePage_IsValidatedOnceForEverybody) {
  stage->origin.talk("/a", [&](const ScriptedOrigin::Request& request, RawSocket& socket) {
    if (request.field("If-None-Match").empty()) return socket.send(page("body", kStale + "ETag: \"v1\"\r\n"));
    gate.wait();
    return socket.send("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n" + kFresh + "Set-Cookie: id=1\r\n\r\n");
  });
  EXPECT_EQ(stage->get("/a").body, "body");
  std::deque<HttpPeer> all = clients(20, "/a");
  stage->settle();
  gate.open();
  int cookies = 0;
  for (HttpPeer& client : all) {
    const HttpAnswer answer = client.answer();
    EXPECT_EQ(answer.body, "body");
    cookies += answer.field("Set-Cookie").empty() ? 0 : 1;
  }
  EXPECT_EQ(cookies, 1) << "it is for the one whose question the origin answered";
  EXPECT_EQ(stage->origin.count("/a"), 2U);
}

TEST_P(Flights, VaryingAnswer_IsSharedOnlyWithThoseItFits) {
  stage->origin.talk("/a", [&](const ScriptedOrigin::Request& request, RawSocket& socket) {
    if (request.field("Accept-Language") == "de") gate.wait();
    return socket.send(page("in " + request.field("Accept-Language"), kFresh + "Vary: Accept-Language\r\n"));
  });
  std::deque<HttpPeer> german = clients(4, "/a", "Accept-Language: de\r\n");
  while (stage->origin.count("/a") == 0) std::this_thread::yield();
  std::deque<HttpPeer> english = clients(4, "/a", "Accept-Language: en\r\n");
  stage->settle();
  gate.open();
  for (HttpPeer& client : german) EXPECT_EQ(client.answer().body, "in de");
  for (HttpPeer& client : english) EXPECT_EQ(client.answer().body, "in en");
}

TEST_P(Flights, SlowReader_DoesNotHoldUpAFastOne) {
  start({"cache.memory=1GiB"});  // all of it fits into the queue of the disk, however busy the machine is
  const std::string body = noise(24'000'000);
  stage->origin.on("/a", page(body, kFresh));
  for (const bool slow_is_first : {true, false}) {
    const std::string target = slow_is_first ? "/a" : "/b";
    stage->origin.on(target, page(body, kFresh));
    HttpPeer one{stage->outrider.port()};
    one.send("GET", stage->origin.url(target));
    EXPECT_EQ(one.body(1).status, 200);
    HttpPeer two{stage->outrider.port()};
    two.send("GET", stage->origin.url(target));
    EXPECT_EQ(two.body(1).status, 200);
    HttpPeer& slow = slow_is_first ? one : two;
    HttpPeer& fast = slow_is_first ? two : one;
    const HttpAnswer quick = fast.answer();  // to its end, while the other one reads nothing
    EXPECT_TRUE(quick.complete);
    EXPECT_TRUE(quick.body == body);
    const HttpAnswer late = slow.answer();
    EXPECT_TRUE(late.complete);
    EXPECT_TRUE(late.body == body);
    EXPECT_EQ(stage->origin.count(target), 1U);
  }
}

// What is too large to be kept is read at the pace of the slowest: when the last of them goes, somebody must notice.
TEST_P(Flights, SlowReadersOfALargeObjectLeave_TheFetchEnds) {
  start({"cache.max_object=1MiB"});
  // Who is not served by the first fetch has one of its own, and that may end after the test.
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  stage->origin.talk("/a", [ended](const auto&, RawSocket& socket) {
    const std::string piece = chunk(std::string(64 << 10, 'x'));
    bool sent = socket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + kFresh + "\r\n");
    while (sent) sent = socket.send(piece);
    *ended = true;
    return sent;
  });
  std::deque<HttpPeer> slow = clients(6, "/a");
  for (HttpPeer& client : slow) EXPECT_EQ(client.body(1).status, 200);
  stage->settle();
  for (HttpPeer& client : slow) client.leave();
  while (!*ended) std::this_thread::yield();  // or the test times out
}

TEST_P(Flights, OriginFailsInTheMiddle_EverybodySeesABrokenAnswer) {
  for (const bool chunked : {false, true}) {
    const std::string target = chunked ? "/chunked" : "/length";
    const std::string body = noise(100'000);
    Gate open_later;
    std::atomic<int> asked{0};
    stage->origin.talk(target, [&](const auto&, RawSocket& socket) {
      if (++asked > 1) return socket.send(page(body, kFresh));
      socket.send(chunked ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + kFresh + "\r\n" +
                                chunk(body.substr(0, 50'000))
                          : head_of(body.size()) + body.substr(0, 50'000));
      open_later.wait();
      return false;
    });
    std::deque<HttpPeer> all = clients(1, target);
    EXPECT_EQ(all.front().body(50'000).body.size(), 50'000U);
    for (HttpPeer& late : clients(8, target)) all.push_back(std::move(late));
    for (HttpPeer& client : all) EXPECT_EQ(client.body(50'000).body.size(), 50'000U);
    open_later.open();
    for (HttpPeer& client : all) {
      const HttpAnswer answer = client.answer();
      EXPECT_FALSE(answer.complete);
      EXPECT_EQ(answer.body.size(), 50'000U);
    }
    EXPECT_EQ(asked, 1);
    const HttpAnswer after = stage->get(target);
    EXPECT_TRUE(after.complete);
    EXPECT_TRUE(after.body == body);
    EXPECT_EQ(asked, 2) << "half an answer was not kept";
  }
}

TEST_P(Flights, OriginRefusesTheFirst_TheOthersAskForThemselves) {
  std::atomic<int> asked{0};
  stage->origin.talk("/a", [&](const auto&, RawSocket& socket) {
    if (++asked > 1) return socket.send(page("good", kFresh));
    gate.wait();
    return false;  // hangs up
  });
  std::deque<HttpPeer> all = clients(1, "/a", "Connection: close\r\n");
  while (asked == 0) std::this_thread::yield();
  for (HttpPeer& late : clients(6, "/a")) all.push_back(std::move(late));
  stage->settle();
  gate.open();
  std::size_t good = 0;
  for (HttpPeer& client : all) {
    const HttpAnswer answer = client.answer();
    EXPECT_TRUE(answer.complete);
    good += answer.body == "good";
  }
  EXPECT_GE(good, 6U);
}

// Larger than cache.max_object: it passes, and what everybody has read is let go.
TEST_P(Flights, ObjectTooLargeToKeep_PassesInBoundedMemory) {
  if (!RunningOutrider::kMemoryCanBeJudged) GTEST_SKIP() << "skipped: the sanitizer keeps what was freed";
  start({"cache.max_object=1MiB", "cache.memory=32MiB"});
  constexpr std::size_t kPieces = 160;
  const std::string piece = noise(1 << 20);
  stage->origin.talk("/a", [&](const auto&, RawSocket& socket) {
    socket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + kFresh + "\r\n");
    socket.send(chunk("x"));
    gate.wait();
    for (std::size_t i = 0; i < kPieces; ++i)
      if (!socket.send(chunk(piece))) return false;
    return socket.send("0\r\n\r\n");
  });
  constexpr std::size_t kReaders = 4;
  std::deque<HttpPeer> all = clients(kReaders, "/a", "Connection: close\r\n");
  for (HttpPeer& client : all) EXPECT_EQ(client.body(1).body, "x");
  EXPECT_EQ(stage->origin.count("/a"), 1U) << "nobody can know yet that it will be too large";
  const std::size_t before = stage->outrider.resident_kilobytes();
  std::atomic<std::size_t> right{0}, ended{0};
  std::vector<std::thread> readers;
  for (std::size_t i = 0; i < kReaders; ++i) {
    readers.emplace_back([&, i] {
      RawSocket& socket = all[i].socket();
      std::size_t bytes = 0;
      for (;;) {                                                                  // counts only: 640 MB
        if (i == 0) std::this_thread::sleep_for(std::chrono::microseconds{300});  // slower than the others
        const std::string some = socket.read_some(std::chrono::seconds{60});
        bytes += some.size();
        if (some.empty()) break;
      }
      right += bytes >= kPieces << 20;
      ++ended;
    });
  }
  gate.open();
  std::size_t highest = before;
  while (ended < kReaders) {
    highest = std::max(highest, stage->outrider.resident_kilobytes());
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(right, kReaders);
  EXPECT_LT(highest - before, 24U << 10) << "kilobytes; 160 MB passed";
  EXPECT_THAT(stage->get("/a", "Cache-Control: only-if-cached\r\n").status, 504);
}

}  // namespace
}  // namespace outrider::testing
