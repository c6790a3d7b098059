// The cache of the running program: what is answered from the store, how it is marked, and how it is kept right.
#include "tests/support/cache_stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct CacheRun : ::testing::Test, CacheStage {};

bool is_hit(const HttpAnswer& answer) {
  return answer.field("Cache-Status").find("; hit") != std::string::npos;
}

// --- hit after miss

// RFC 9111 section 4, RFC 9211 section 2.
TEST_F(CacheRun, FreshAnswer_IsGivenAgainWithoutAskingTheOrigin) {
  const std::string body = noise(70'000);
  origin.on("/a", page(body, kFresh + "Content-Type: image/png\r\nX-Kept: 1\r\n"));
  const HttpAnswer miss = get("/a");
  EXPECT_EQ(miss.status, 200);
  EXPECT_EQ(miss.body, body);
  EXPECT_EQ(miss.field("Cache-Status"),
            "Outrider; fwd=uri-miss; stored; detail=\"it can be used again for some time\"");
  EXPECT_EQ(miss.field("Age"), "");
  const HttpAnswer hit = get("/a");
  EXPECT_EQ(hit.status, 200);
  EXPECT_EQ(hit.body, body);
  EXPECT_TRUE(hit.complete);
  EXPECT_THAT(hit.field("Cache-Status"), StartsWith("Outrider; hit; ttl="));
  EXPECT_THAT(hit.field("Age"), ::testing::MatchesRegex("[0-9]+"));
  EXPECT_EQ(hit.field("Content-Type"), "image/png");
  EXPECT_EQ(hit.field("X-Kept"), "1");
  EXPECT_EQ(hit.field("Content-Length"), "70000");
  EXPECT_THAT(hit.field("Via"), StartsWith("1.1 outrider-"));
  EXPECT_EQ(origin.count("/a"), 1U);
}

TEST_F(CacheRun, ChunkedAndCloseDelimitedAnswers_AreHitsWithALength) {
  const std::string body = noise(5000);
  std::string chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + kFresh + "\r\n";
  for (std::size_t at = 0; at < body.size(); at += 1000) chunks += "3e8\r\n" + body.substr(at, 1000) + "\r\n";
  origin.on("/chunked", chunks + "0\r\n\r\n");
  origin.talk("/close", [&](const auto&, RawSocket& socket) {
    socket.send("HTTP/1.1 200 OK\r\nConnection: close\r\n" + kFresh + "\r\n" + body);
    return false;
  });
  for (const char* target : {"/chunked", "/close"}) {
    EXPECT_EQ(get(target).body, body) << target;
    const HttpAnswer hit = get(target);
    EXPECT_TRUE(is_hit(hit)) << target << " " << hit.head;
    EXPECT_EQ(hit.body, body) << target;
    EXPECT_EQ(hit.field("Content-Length"), "5000") << target;
    EXPECT_EQ(origin.count(target), 1U) << target;
  }
}

TEST_F(CacheRun, EmptyBodiesAndOtherStatuses_AreKept) {
  origin.on("/empty", page("", kFresh));
  origin.on("/gone", "HTTP/1.1 404 Not Found\r\n" + kFresh + "Content-Length: 4\r\n\r\ngone");
  origin.on("/moved", "HTTP/1.1 301 Moved Permanently\r\nLocation: /x\r\n" + kFresh + "Content-Length: 0\r\n\r\n");
  origin.on("/nothing", "HTTP/1.1 204 No Content\r\n" + kFresh + "\r\n");
  for (const char* target : {"/empty", "/gone", "/moved", "/nothing"}) {
    const HttpAnswer miss = get(target);
    const HttpAnswer hit = get(target);
    EXPECT_TRUE(is_hit(hit)) << target << " " << hit.head;
    EXPECT_TRUE(hit.complete);
    EXPECT_EQ(hit.status, miss.status);
    EXPECT_EQ(hit.body, miss.body);
    EXPECT_EQ(hit.field("Location"), miss.field("Location"));
    const char* length = miss.status == 204 ? "" : miss.status == 404 ? "4" : "0";  // RFC 9110 section 8.6
    EXPECT_EQ(miss.field("Content-Length"), length) << target;
    EXPECT_EQ(hit.field("Content-Length"), length) << target;
    EXPECT_EQ(origin.count(target), 1U) << target;
  }
}

TEST_F(CacheRun, AgeOfTheOrigin_IsAddedUp) {
  origin.on("/a", page("old", "Cache-Control: max-age=1000\r\nAge: 500\r\n"));
  get("/a");
  const HttpAnswer hit = get("/a");
  EXPECT_GE(std::stoi(hit.field("Age")), 500);
  EXPECT_LT(std::stoi(hit.field("Age")), 1000);
}

TEST_F(CacheRun, QueriesAndPaths_AreKeysByteByByte) {
  const auto echo = [](const ScriptedOrigin::Request& request) { return page(request.target, kFresh); };
  const std::vector<std::string> targets = {"/p",    "/p?",     "/p?a",  "/p?a=1&b=2", "/p?b=2&a=1", "/P",
                                            "/%70/", "/p/../q", "/p;x1", "/p?a=%31",   "/p/",        "//p"};
  for (const std::string& target : targets) origin.on(target, echo);
  for (int round = 0; round < 2; ++round)
    for (const std::string& target : targets) EXPECT_EQ(get(target).body, target);
  EXPECT_EQ(origin.count(), targets.size());
}

TEST_F(CacheRun, HeadRequest_IsAnsweredFromTheStore) {
  origin.on("/a", page("0123456789", kFresh + "ETag: \"v1\"\r\n"));
  get("/a");
  const HttpAnswer head = ask("HEAD", "/a");
  EXPECT_TRUE(is_hit(head)) << head.head;
  EXPECT_EQ(head.field("Content-Length"), "10");
  EXPECT_EQ(origin.count("/a"), 1U);
  origin.on("/nothing", "HTTP/1.1 204 No Content\r\n" + kFresh + "\r\n");
  get("/nothing");
  EXPECT_EQ(ask("HEAD", "/nothing").field("Content-Length"), "");
  HttpPeer peer = client();  // nothing of a body is on the wire
  EXPECT_EQ(peer.ask("HEAD", origin.url("/a")).status, 200);
  EXPECT_EQ(peer.get(origin.url("/a")).body, "0123456789");
}

// RFC 9111 section 4.3.5.
TEST_F(CacheRun, HeadAnswerThatDiffers_MakesTheStoredOneDoubtful) {
  std::atomic<bool> changed{false};
  origin.on("/a", [&](const auto&) {
    return changed ? page("much newer", "Cache-Control: max-age=60\r\nETag: \"v2\"\r\n")
                   : page("old", "Cache-Control: max-age=60\r\nETag: \"v1\"\r\n");
  });
  get("/a");
  changed = true;
  ask("HEAD", "/a", "Cache-Control: no-cache\r\n");
  EXPECT_EQ(get("/a").body, "much newer");
}

// --- the client's own conditions and ranges on stored answers (RFC 9110 sections 13, 14)

TEST_F(CacheRun, ClientsConditions_AreAnswered304FromTheStore) {
  const std::string fields = kFresh + "ETag: \"v1\"\r\nLast-Modified: Tue, 01 Feb 2022 00:00:00 GMT\r\n";
  origin.on("/a", page("0123456789", fields));
  get("/a");
  for (const char* condition : {"If-None-Match: \"v1\"\r\n", "If-None-Match: \"x\", W/\"v1\"\r\n",
                                "If-None-Match: *\r\n", "If-Modified-Since: Tue, 01 Feb 2022 00:00:00 GMT\r\n",
                                "If-Modified-Since: Wed, 02 Feb 2022 00:00:00 GMT\r\n"}) {
    const HttpAnswer same = get("/a", condition);
    EXPECT_EQ(same.status, 304) << condition;
    EXPECT_EQ(same.field("ETag"), "\"v1\"") << condition;
    EXPECT_EQ(same.field("Content-Length"), "") << condition;
    EXPECT_TRUE(is_hit(same)) << condition;
  }
  for (const char* condition :
       {"If-None-Match: \"v2\"\r\n", "If-None-Match: \"v2\"\r\nIf-Modified-Since: Tue, 01 Feb 2022 00:00:00 GMT\r\n",
        "If-Modified-Since: Mon, 31 Jan 2022 00:00:00 GMT\r\n", "If-Modified-Since: nonsense\r\n"}) {
    const HttpAnswer whole = get("/a", condition);
    EXPECT_EQ(whole.status, 200) << condition;
    EXPECT_EQ(whole.body, "0123456789") << condition;
  }
  EXPECT_EQ(origin.count("/a"), 1U);
}

TEST_F(CacheRun, Ranges_AreCutFromTheStoredBody) {
  const std::string body = noise(300'000);  // more than one piece
  origin.on("/a", page(body, kFresh + "ETag: \"v1\"\r\n"));
  get("/a");
  struct Case {
    const char* range;
    std::size_t first, length;
  };
  for (const Case& wanted :
       {Case{"bytes=0-0", 0, 1}, Case{"bytes=1000-1999", 1000, 1000}, Case{"bytes=-5", 299'995, 5},
        Case{"bytes=299990-", 299'990, 10}, Case{"bytes=0-", 0, 300'000}, Case{"bytes=100-999999", 100, 299'900}}) {
    const HttpAnswer part = get("/a", "Range: " + std::string{wanted.range} + "\r\n");
    EXPECT_EQ(part.status, 206) << wanted.range;
    EXPECT_EQ(part.body, body.substr(wanted.first, wanted.length)) << wanted.range;
    EXPECT_EQ(part.field("Content-Range"), "bytes " + std::to_string(wanted.first) + "-" +
                                               std::to_string(wanted.first + wanted.length - 1) + "/300000");
    EXPECT_TRUE(is_hit(part)) << wanted.range;
  }
  const HttpAnswer beyond = get("/a", "Range: bytes=300000-\r\n");
  EXPECT_EQ(beyond.status, 416);
  EXPECT_EQ(beyond.field("Content-Range"), "bytes */300000");
  EXPECT_TRUE(beyond.complete);
  EXPECT_EQ(get("/a", "Range: lines=1-2\r\n").body, body);
  EXPECT_EQ(origin.count("/a"), 1U);
}

// RFC 9110 section 13.1.5.
TEST_F(CacheRun, IfRange_DecidesBetweenPartAndWhole) {
  origin.on("/a", page("0123456789", kFresh + "ETag: \"v1\"\r\n"));
  get("/a");
  EXPECT_EQ(get("/a", "Range: bytes=2-3\r\nIf-Range: \"v1\"\r\n").body, "23");
  EXPECT_EQ(get("/a", "Range: bytes=2-3\r\nIf-Range: \"v2\"\r\n").body, "0123456789");
  EXPECT_EQ(get("/a", "Range: bytes=2-3\r\nIf-Range: W/\"v1\"\r\n").status, 200) << "weak tags never match here";
  EXPECT_EQ(origin.count("/a"), 1U);
}

// RFC 9111 section 3.4: parts are kept and put together.
TEST_F(CacheRun, StoredParts_AnswerRangesAndTogetherTheWhole) {
  const std::string body = "0123456789";
  origin.on("/a", [&](const ScriptedOrigin::Request& request) {
    const bool first = request.field("Range") == "bytes=0-4";
    return "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\n" + kFresh + "Content-Range: bytes " +
           (first ? "0-4" : "5-9") + "/10\r\nContent-Length: 5\r\n\r\n" + body.substr(first ? 0 : 5, 5);
  });
  EXPECT_EQ(get("/a", "Range: bytes=0-4\r\n").body, "01234");
  const HttpAnswer inside = get("/a", "Range: bytes=1-2\r\n");
  EXPECT_EQ(inside.status, 206);
  EXPECT_EQ(inside.body, "12");
  EXPECT_EQ(origin.count("/a"), 1U);
  EXPECT_EQ(get("/a", "Range: bytes=5-9\r\n").body, "56789");
  const HttpAnswer whole = get("/a");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body, body);
  EXPECT_EQ(origin.count("/a"), 2U);
}

// --- validation

// RFC 9111 sections 4.3.3, 3.2: the 304's fields take the place of the stored ones.
TEST_F(CacheRun, StaleAnswer_IsValidatedAndItsHeadFreshened) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) {
    if (request.field("If-None-Match") == "\"v1\"")
      return std::string{
          "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nCache-Control: max-age=1000\r\nX-Round: 2\r\n\r\n"};
    return page("body", kStale + "ETag: \"v1\"\r\nX-Round: 1\r\nX-Other: stays\r\n");
  });
  EXPECT_EQ(get("/a").field("X-Round"), "1");
  const HttpAnswer validated = get("/a");
  EXPECT_EQ(validated.status, 200);
  EXPECT_EQ(validated.body, "body");
  EXPECT_EQ(validated.field("X-Round"), "2");
  EXPECT_EQ(validated.field("X-Other"), "stays");
  EXPECT_THAT(validated.field("Cache-Status"), HasSubstr("fwd=stale; fwd-status=304"));
  const HttpAnswer hit = get("/a");
  EXPECT_TRUE(is_hit(hit)) << hit.head;
  EXPECT_EQ(hit.field("X-Round"), "2");
  EXPECT_EQ(hit.body, "body");
  EXPECT_EQ(origin.count("/a"), 2U);
}

TEST_F(CacheRun, ChangedAnswer_TakesThePlaceOfTheStaleOne) {
  std::atomic<int> round{0};
  origin.on("/a", [&](const auto&) {
    const std::string number = std::to_string(++round);
    return page("round " + number, (round == 1 ? kStale : kFresh) + "ETag: \"v" + number + "\"\r\n");
  });
  EXPECT_EQ(get("/a").body, "round 1");
  EXPECT_EQ(get("/a").body, "round 2");
  EXPECT_EQ(origin.last("/a").field("If-None-Match"), "\"v1\"");
  EXPECT_EQ(get("/a").body, "round 2");
  EXPECT_EQ(round, 2);
}

// A client that has what the origin says is current gets its own 304, even though we asked with another tag.
TEST_F(CacheRun, ClientsConditionOnAStaleAnswer_IsAnsweredByWhatTheOriginSays) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) {
    if (request.field("If-None-Match") == "\"v1\"")
      return "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n" + kFresh + "\r\n";
    return page("body", kStale + "ETag: \"v1\"\r\n");
  });
  get("/a");
  const HttpAnswer same = get("/a", "If-None-Match: \"v1\"\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(get("/a", "If-None-Match: \"other\"\r\n").body, "body");
  EXPECT_EQ(origin.count("/a"), 2U);
}

TEST_F(CacheRun, NoCacheAnswer_IsValidatedEveryTime) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) {
    if (request.field("If-None-Match") == "\"v1\"")
      return std::string{"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nCache-Control: no-cache\r\n\r\n"};
    return page("body", "Cache-Control: no-cache\r\nETag: \"v1\"\r\n");
  });
  for (int i = 1; i <= 12; ++i) {
    EXPECT_EQ(get("/a").body, "body");
    EXPECT_EQ(origin.count("/a"), static_cast<std::size_t>(i));
  }
  EXPECT_LE(origin.connections(), 4U) << "an answer without a body leaves its connection to the next request";
}

// The rest of the request is not taken for the next one.
TEST_F(CacheRun, AnswerThatComesBeforeTheRequestHasEnded_IsNotKept) {
  origin.talk("/form", [](const ScriptedOrigin::Request&, RawSocket& socket) {
    return socket.send("HTTP/1.1 200 OK\r\nContent-Location: /form\r\n" + kFresh + "Content-Length: 5\r\n\r\nearly");
  });
  origin.on("/next", page("next", kFresh));
  for (const std::size_t rest : {4000u, 8100u, 16'000u, 16'300u}) {
    HttpPeer one = client();
    const std::string url = origin.url("/form");
    const std::string host = url.substr(7, url.find('/', 7) - 7);
    one.socket().send("POST " + url + " HTTP/1.1\r\nHost: " + host +
                      "\r\nContent-Length: " + std::to_string(rest + 10) + "\r\n\r\n0123456789");
    EXPECT_EQ(one.answer().status, 200) << rest;
    one.socket().send(std::string(rest, 'x'));
    one.send("GET", origin.url("/next"));
    const HttpAnswer next = one.answer();  // or the connection was closed: both are right
    EXPECT_TRUE(next.status == 0 || next.body == "next") << rest << ": " << next.head;
  }
}

TEST_F(CacheRun, Reload_AsksTheOriginAndItsAnswerIsKept) {
  std::atomic<int> round{0};
  origin.on("/a", [&](const auto&) { return page("round " + std::to_string(++round), kFresh); });
  EXPECT_EQ(get("/a").body, "round 1");
  EXPECT_EQ(get("/a", "Cache-Control: no-cache\r\n").body, "round 2");
  EXPECT_EQ(get("/a").body, "round 2");
  EXPECT_EQ(get("/a", "Pragma: no-cache\r\n").body, "round 3");
  EXPECT_EQ(get("/a", "Cache-Control: max-age=0\r\n").body, "round 4");
  EXPECT_EQ(get("/a").body, "round 4");
}

// --- Vary (RFC 9111 section 4.1)

TEST_F(CacheRun, Vary_KeepsOneAnswerPerValue) {
  const auto answer = [](const ScriptedOrigin::Request& request) {
    return page("in " + request.field("Accept-Language"), kFresh + "Vary: Accept-Language\r\n");
  };
  origin.on("/a", answer);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(get("/a", "Accept-Language: de\r\n").body, "in de");
    EXPECT_EQ(get("/a", "Accept-Language: en\r\n").body, "in en");
    EXPECT_EQ(get("/a").body, "in ");
  }
  EXPECT_EQ(origin.count("/a"), 3U);
  EXPECT_THAT(get("/a", "Accept-Language: fr\r\n").field("Cache-Status"), HasSubstr("fwd=vary-miss"));
}

TEST_F(CacheRun, VaryStar_IsNeverReused) {
  origin.on("/a", page("x", kFresh + "Vary: *\r\n"));
  get("/a");
  EXPECT_THAT(get("/a").field("Cache-Status"), HasSubstr("depends on more than the request says"));
  EXPECT_EQ(origin.count("/a"), 2U);
}

// --- what must not be kept

TEST_F(CacheRun, NoStore_IsNeverReused) {
  origin.on("/answer", page("x", "Cache-Control: no-store, max-age=60\r\n"));
  origin.on("/request", page("x", kFresh));
  for (std::size_t i = 1; i <= 2; ++i) {
    EXPECT_THAT(get("/answer").field("Cache-Status"), HasSubstr("the origin forbids it: no-store"));
    EXPECT_EQ(origin.count("/answer"), i);
    EXPECT_THAT(get("/request", "Cache-Control: no-store\r\n").field("Cache-Status"),
                HasSubstr("the client wants nothing of it stored"));
    EXPECT_EQ(origin.count("/request"), i);
  }
  EXPECT_FALSE(is_hit(get("/request"))) << "what was asked for with no-store is not there for others either";
}

// RFC 9110 section 13.1.1: only the origin can judge If-Match. What it answers is not kept under any name.
TEST_F(CacheRun, RequestsThatBypassTheCache_LeaveNothingBehind) {
  origin.on("/a", page("a", kFresh + "ETag: \"v1\"\r\n"));
  const HttpAnswer bypassed = get("/a", "If-Match: \"v1\"\r\n");
  EXPECT_EQ(bypassed.status, 200);
  EXPECT_THAT(bypassed.field("Cache-Status"), Not(HasSubstr("stored;")));
  const HttpAnswer upgrade = get("/a", "Connection: Upgrade\r\nUpgrade: h2c\r\n");
  EXPECT_EQ(upgrade.body, "a");
  EXPECT_THAT(upgrade.field("Cache-Status"), Not(HasSubstr("stored;")));
  EXPECT_EQ(origin.count("/a"), 2U);
}

// --- unsafe methods (RFC 9111 section 4.4)

TEST_F(CacheRun, UnsafeMethods_InvalidateWhatIsStored) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "MERGE"}) {
    const std::string target = "/" + std::string{method};
    std::atomic<int> round{0};
    origin.on(target, [&](const ScriptedOrigin::Request& request) {
      return request.method == "GET" ? page("round " + std::to_string(++round), kFresh) : page("done");
    });
    EXPECT_EQ(get(target).body, "round 1");
    EXPECT_EQ(get(target).body, "round 1");
    EXPECT_EQ(ask(method, target, "", "127.0.0.2", "x=1").body, "done");
    EXPECT_EQ(get(target).body, "round 2") << method;
  }
}

TEST_F(CacheRun, UnsafeMethodThatFails_InvalidatesNothing) {
  origin.on("/a", [](const ScriptedOrigin::Request& request) {
    return request.method == "GET" ? page("kept", kFresh)
                                   : std::string{"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"};
  });
  get("/a");
  EXPECT_EQ(ask("POST", "/a", "", "127.0.0.1", "x").status, 403);
  EXPECT_TRUE(is_hit(get("/a")));
}

TEST_F(CacheRun, LocationOfTheSameOrigin_IsInvalidatedToo_NotOneOfAnother) {
  ScriptedOrigin other;
  other.on("/list", page("other", kFresh));
  for (const char* target : {"/list", "/item"}) origin.on(target, page("x", kFresh));
  origin.on("/add", "HTTP/1.1 201 Created\r\nLocation: /list\r\nContent-Location: " + origin.url("/item") +
                        "\r\nContent-Length: 0\r\n\r\n");
  origin.on("/evil", "HTTP/1.1 201 Created\r\nLocation: " + other.url("/list") + "\r\nContent-Length: 0\r\n\r\n");
  for (const char* target : {"/list", "/item"}) get(target);
  testing::get(outrider.port(), other.url("/list"));
  ask("POST", "/add", "", "127.0.0.1", "x");
  ask("POST", "/evil", "", "127.0.0.1", "x");
  for (const char* target : {"/list", "/item"}) EXPECT_FALSE(is_hit(get(target))) << target;
  EXPECT_TRUE(is_hit(testing::get(outrider.port(), other.url("/list")))) << "nobody empties somebody else's cache";
}

// A key is the path as the client wrote it, and so is what the origin writes: not always as a browser would.
TEST_F(CacheRun, LocationIsInvalidatedInBothSpellings) {
  const std::string written = "/dir/item{1}?a=\"b", encoded = "/dir/item%7B1%7D?a=%22b";
  for (const std::string& told : {written, written + "#part", origin.url(written), std::string{"item{1}?a=\"b"}}) {
    for (const std::string& target : {written, encoded}) origin.on(target, page("x", kFresh));
    origin.on("/dir/add", "HTTP/1.1 201 Created\r\nLocation: " + told + "\r\nContent-Length: 0\r\n\r\n");
    for (const std::string& target : {written, encoded}) get(target);
    ask("POST", "/dir/add", "", "127.0.0.1", "x");
    for (const std::string& target : {written, encoded}) EXPECT_FALSE(is_hit(get(target))) << told << ' ' << target;
  }
}

}  // namespace
}  // namespace outrider::testing
