// What the store makes of bodies in the running program: large ones on disk, all of them after a restart, broken ones
// never.
#include "tests/support/cache_stage.hpp"
#include "tests/support/raw_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

bool is_hit(const HttpAnswer& answer) {
  return answer.field("Cache-Status").find("; hit") != std::string::npos;
}

// Programs that are started get EFBIG beyond RLIMIT_FSIZE, not the signal that would end them.
const auto kNoFileSizeSignal = std::signal(SIGXFSZ, SIG_IGN);

struct CacheStoreRun : ::testing::Test, CacheStage {
  // Until it is a hit without the origin: what was read to its end is kept a moment later.
  HttpAnswer hit_of(const std::string& target) {
    HttpAnswer answer;
    for (int i = 0; i < 1000 && !is_hit(answer); ++i) {
      answer = get(target, "Cache-Control: only-if-cached\r\n");
      if (!is_hit(answer)) std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return answer;
  }
};

// --- large ones

TEST_F(CacheStoreRun, LargeObject_ComesFromDiskWhole_AndInParts) {
  const std::string body = noise(20'000'000);
  origin.on("/a", page(body, kFresh + "ETag: \"v1\"\r\n"));
  EXPECT_TRUE(get("/a").body == body);
  const HttpAnswer hit = hit_of("/a");
  EXPECT_TRUE(hit.complete);
  EXPECT_TRUE(hit.body == body);
  const HttpAnswer part = get("/a", "Range: bytes=9999990-15000010\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_TRUE(part.body == body.substr(9'999'990, 5'000'021));
  EXPECT_EQ(origin.count("/a"), 1U);
  if (!RunningOutrider::kMemoryCanBeJudged) GTEST_SKIP() << "skipped: the sanitizer keeps what was freed";
  const std::size_t before = outrider.resident_kilobytes();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(get("/a").body == body);
  EXPECT_LT(outrider.resident_kilobytes(), before + (16 << 10)) << "it streams";
}

// Several blocks go out with one system call, of which a client that does not read takes a part.
TEST_F(CacheStoreRun, ObjectInMemory_ArrivesWhole_HoweverItIsRead) {
  const std::string body = noise(4'000'000);
  origin.on("/a", page(body, kFresh + "ETag: \"v1\"\r\n"));
  EXPECT_TRUE(get("/a").body == body);
  EXPECT_TRUE(hit_of("/a").body == body);
  const HttpAnswer part = get("/a", "Range: bytes=262143-3500000\r\n");
  EXPECT_EQ(part.status, 206);
  EXPECT_TRUE(part.body == body.substr(262'143, 3'237'858));
  // More than the buffers on the way hold is asked for before any of it is read.
  constexpr int kTimes = 8;
  RawSocket late = RawSocket::connect(outrider.port());
  for (int i = 0; i < kTimes; ++i) late.send("GET " + origin.url("/a") + " HTTP/1.1\r\nHost: x\r\n\r\n");
  for (int i = 0; i < kTimes; ++i) EXPECT_TRUE(late.read_message().ends_with(body)) << i;
  EXPECT_EQ(origin.count("/a"), 1U);
}

TEST_F(CacheStoreRun, ClientThatLeavesInTheMiddleOfAHit_HarmsNobody) {
  const std::string body = noise(20'000'000);
  origin.on("/a", page(body, kFresh));
  get("/a");
  hit_of("/a");
  for (int i = 0; i < 10; ++i) {
    HttpPeer peer = client();
    peer.send("GET", origin.url("/a"));
    peer.body(static_cast<std::size_t>(i) * 1'000'000 + 1);
    peer.leave();
  }
  EXPECT_TRUE(get("/a").body == body);
  EXPECT_EQ(origin.count("/a"), 1U);
}

// --- a restart

TEST_F(CacheStoreRun, AfterARestart_EverythingIsThere) {
  std::map<std::string, std::string> bodies;
  unsigned seed = 0;
  for (const std::size_t size : {0, 1, 1000, 70'000, 300'000, 5'000'000, 20'000'000}) {
    const std::string target = "/" + std::to_string(size);
    bodies[target] = noise(size, ++seed);
    origin.on(target, page(bodies[target], kFresh + "X-Size: " + std::to_string(size) + "\r\n"));
    get(target);
    hit_of(target);
  }
  origin.on("/vary", [](const ScriptedOrigin::Request& request) {
    return page("in " + request.field("Accept-Language"), kFresh + "Vary: Accept-Language\r\n");
  });
  for (const char* language : {"de", "en"}) get("/vary", "Accept-Language: " + std::string{language} + "\r\n");
  const std::size_t asked = origin.count();
  for (int restart = 0; restart < 2; ++restart) {
    EXPECT_EQ(outrider.stop(), 0) << outrider.output();
    outrider.start_again();
    for (const auto& [target, body] : bodies) {
      const HttpAnswer hit = get(target);
      EXPECT_TRUE(is_hit(hit)) << target << " " << hit.head;
      EXPECT_TRUE(hit.complete) << target;
      EXPECT_TRUE(hit.body == body) << target;
      EXPECT_EQ(hit.field("X-Size"), target.substr(1));
    }
    for (const std::string language : {"de", "en"})
      EXPECT_EQ(get("/vary", "Accept-Language: " + language + "\r\n").body, "in " + language);
  }
  EXPECT_EQ(origin.count(), asked);
}

TEST_F(CacheStoreRun, AfterARestart_PersonalAnswersStayPersonal) {
  std::atomic<int> made{0};
  origin.on("/a", [&](const auto&) { return page("page " + std::to_string(++made), kFresh); });
  EXPECT_EQ(get("/a", "Cookie: id=1\r\n", "127.0.0.1").body, "page 1");
  EXPECT_EQ(outrider.stop(), 0);
  outrider.start_again();
  EXPECT_EQ(get("/a", "", "127.0.0.2").body, "page 2");
  EXPECT_EQ(get("/a", "Cookie: id=1\r\n", "127.0.0.1").body, "page 1");
}

TEST_F(CacheStoreRun, AfterARestart_WhatWasInvalidatedStaysSo_AndTheFreshenedHeadStays) {
  std::atomic<int> round{0};
  origin.on("/gone", [&](const ScriptedOrigin::Request& request) {
    return request.method == "GET" ? page("round " + std::to_string(++round), kFresh) : page("done");
  });
  origin.on("/head", [](const ScriptedOrigin::Request& request) {
    if (request.field("If-None-Match").empty()) return page("body", kStale + "ETag: \"v1\"\r\nX-Round: 1\r\n");
    return "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n" + kFresh + "X-Round: 2\r\n\r\n";
  });
  get("/gone");
  get("/head");
  EXPECT_EQ(outrider.stop(), 0);
  outrider.start_again();
  ask("POST", "/gone", "", "127.0.0.1", "x");
  EXPECT_EQ(get("/head").field("X-Round"), "2");
  EXPECT_EQ(outrider.stop(), 0);
  outrider.start_again();
  EXPECT_EQ(get("/gone").body, "round 2");
  const HttpAnswer head = get("/head");
  EXPECT_TRUE(is_hit(head)) << head.head;
  EXPECT_EQ(head.field("X-Round"), "2");
  EXPECT_EQ(head.body, "body");
}

// --- broken ones

// HOSTILE: a message that was cut off is not complete, whoever asks for it next.
TEST_F(CacheStoreRun, TruncatedAnswers_AreNeitherKeptNorPassedOffAsComplete) {
  const std::string head = "HTTP/1.1 200 OK\r\n" + kFresh;
  const std::map<std::string, std::string> broken = {
      {"/length", head + "Content-Length: 1000\r\n\r\nonly this"},
      {"/length-large", head + "Content-Length: 3000000\r\n\r\n" + noise(2'999'999)},
      {"/chunk", head + "Transfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n"},
      {"/chunk-middle", head + "Transfer-Encoding: chunked\r\n\r\n99\r\nonly this"},
      {"/chunk-last", head + "Transfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n0\r\n"},
      {"/chunk-bad", head + "Transfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\nxyz\r\n0\r\n\r\n"},
  };
  for (const auto& [target, text] : broken) {
    std::atomic<int> asked{0};
    const std::string wire = text;
    origin.talk(target, [&](const auto&, RawSocket& socket) {
      if (++asked > 1) return socket.send(page("whole", kFresh));
      socket.send(wire);
      return false;
    });
    EXPECT_FALSE(get(target).complete) << target;
    const HttpAnswer none = get(target, "Cache-Control: only-if-cached\r\n");
    EXPECT_EQ(none.status, 504) << target;
    EXPECT_EQ(get(target, "Range: bytes=0-3\r\n").body.substr(0, 4), "whol") << target;
    EXPECT_EQ(asked, 2) << target;
  }
}

// RFC 9110 section 13.2.2: the same while a good, stale one is kept: that one stays.
TEST_F(CacheStoreRun, TruncatedRenewal_LeavesWhatWasKept) {
  std::atomic<int> asked{0};
  origin.talk("/a", [&](const auto&, RawSocket& socket) {
    if (++asked != 2) return socket.send(page("good", kStale));
    socket.send("HTTP/1.1 200 OK\r\n" + kFresh + "Content-Length: 1000\r\n\r\nhalf");
    return false;
  });
  get("/a");
  EXPECT_FALSE(get("/a").complete);
  const HttpAnswer kept = get("/a", "Cache-Control: only-if-cached, max-stale\r\n");
  EXPECT_EQ(kept.status, 200);
  EXPECT_EQ(kept.body, "good");
}

// Where the end is in doubt nothing is kept (HOSTILE, framing): TE with CL, bytes behind the answer.
TEST_F(CacheStoreRun, DoubtfulFraming_IsNotKept) {
  origin.on("/both", "HTTP/1.1 200 OK\r\n" + kFresh +
                         "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n");
  origin.on("/old", "HTTP/1.0 200 OK\r\n" + kFresh + "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n");
  for (const char* target : {"/both", "/old"}) {
    get(target);
    EXPECT_EQ(get(target, "Cache-Control: only-if-cached\r\n").status, 504) << target;
  }
}

TEST_F(CacheStoreRun, PartsThatContradictThemselves_AreNotPutTogether) {
  // Says bytes 0-9 of 20 and sends 5; says 0-9 of 20, then 10-19 of 30.
  origin.on("/short", "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\n" + kFresh +
                          "Content-Range: bytes 0-9/20\r\nContent-Length: 5\r\n\r\n01234");
  get("/short", "Range: bytes=0-9\r\n");
  EXPECT_NE(get("/short", "Range: bytes=5-9\r\nCache-Control: only-if-cached\r\n").status, 206);
  EXPECT_NE(get("/short", "Cache-Control: only-if-cached\r\n").status, 200);
  origin.on("/mixed", [](const ScriptedOrigin::Request& request) {
    const bool first = request.field("Range") == "bytes=0-9";
    return "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\n" + kFresh + "Content-Range: bytes " +
           (first ? "0-9/20" : "10-19/30") + "\r\nContent-Length: 10\r\n\r\n0123456789";
  });
  get("/mixed", "Range: bytes=0-9\r\n");
  get("/mixed", "Range: bytes=10-19\r\n");
  EXPECT_NE(get("/mixed", "Cache-Control: only-if-cached\r\n").status, 200);
}

// Two versions of a page: their parts never make one body, though their tags are the same but weak.
TEST_F(CacheStoreRun, PartsOfTwoVersions_AreNotPutTogether) {
  for (const auto& [target, tags] : std::map<std::string, std::pair<std::string, std::string>>{
           {"/strong", {"\"v1\"", "\"v2\""}}, {"/weak", {"W/\"v1\"", "W/\"v1\""}}, {"/none", {"", ""}}}) {
    origin.on(target, [tags = tags](const ScriptedOrigin::Request& request) {
      const bool first = request.field("Range") == "bytes=0-4";
      const std::string& tag = first ? tags.first : tags.second;
      return "HTTP/1.1 206 Partial Content\r\n" + (tag.empty() ? "" : "ETag: " + tag + "\r\n") + kFresh +
             "Content-Range: bytes " + (first ? "0-4" : "5-9") + "/10\r\nContent-Length: 5\r\n\r\n" +
             (first ? "AAAAA" : "BBBBB");
    });
    get(target, "Range: bytes=0-4\r\n");
    get(target, "Range: bytes=5-9\r\n");
    const HttpAnswer whole = get(target, "Cache-Control: only-if-cached\r\n");
    EXPECT_EQ(whole.status, 504) << target << " " << whole.body;
  }
}

// --- kill -9 (the crash test of tests/e2e does so at random)

TEST_F(CacheStoreRun, AfterAKill_WhatWasWrittenIsThereOrGone_NeverWrong) {
  std::map<std::string, std::string> bodies;
  for (unsigned i = 0; i < 50; ++i) {
    const std::string target = "/" + std::to_string(i);
    bodies[target] = noise(1 + i * i * 700, i);
    origin.on(target, page(bodies[target], kFresh));
    get(target);
  }
  outrider.signal(SIGKILL);
  EXPECT_EQ(outrider.stop(), -SIGKILL);
  outrider.start_again();
  for (const auto& [target, body] : bodies) {
    const HttpAnswer answer = get(target);
    EXPECT_TRUE(answer.complete) << target;
    EXPECT_TRUE(answer.body == body) << target;
  }
}

// --- a disk that takes nothing any more

// What somebody changed while nothing could be written must not come back with the next start.
TEST_F(CacheStoreRun, ChangedWhileNothingCanBeWritten_IsNotMetAgain_HoweverItEnds) {
  for (const int end : {SIGTERM, SIGKILL}) {
    std::atomic<int> round{0};
    origin.on("/a", [&](const ScriptedOrigin::Request& request) {
      return request.method == "GET" ? page("round " + std::to_string(++round), kFresh) : page("done");
    });
    origin.on("/b", page(noise(5000), kFresh));
    EXPECT_EQ(get("/a", "Cache-Control: no-cache\r\n").body, "round 1");
    hit_of("/a");
    EXPECT_EQ(outrider.stop(), 0);
    outrider.start_again();
    EXPECT_TRUE(is_hit(get("/a"))) << "it is on disk";
    const rlimit nothing{0, 0};
    ASSERT_EQ(::prlimit(outrider.pid(), RLIMIT_FSIZE, &nothing, nullptr), 0);
    get("/b", "Cache-Control: no-cache\r\n");  // shows that the disk is off
    EXPECT_EQ(ask("POST", "/a", "", "127.0.0.1", "x").body, "done");
    outrider.signal(end);
    outrider.stop();
    outrider.start_again();
    const HttpAnswer after = get("/a");
    EXPECT_EQ(after.body, "round 2") << "signal " << end;
    EXPECT_FALSE(is_hit(after));
  }
}

}  // namespace
}  // namespace outrider::testing
