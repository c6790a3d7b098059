// What the configuration and the client decide: offline, only-if-cached, rules of sites; and what happens when the
// origin does not answer.
#include "tests/support/cache_stage.hpp"
#include "tests/support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

bool is_hit(const HttpAnswer& answer) {
  return answer.field("Cache-Status").find("; hit") != std::string::npos;
}

struct CacheRulesRun : ::testing::Test, CacheStage {};

// --- offline

TEST_F(CacheRulesRun, Offline_ServesWhateverIsKept_AndMarksWhatIsStale) {
  origin.on("/fresh", page("fresh", kFresh));
  origin.on("/stale", page("stale", kStale));
  origin.on("/must", page("must", "Cache-Control: max-age=1, must-revalidate\r\nAge: 5\r\n"));
  origin.on("/no-cache", page("no-cache", "Cache-Control: no-cache\r\n"));
  origin.on("/unsaid", page("unsaid"));
  for (const char* name : {"fresh", "stale", "must", "no-cache", "unsaid"}) get("/" + std::string{name});
  const std::size_t asked = origin.count();
  EXPECT_EQ(outrider.stop(), 0);
  outrider.start_again(arguments({"cache.offline=true"}));
  for (const std::string name : {"fresh", "stale", "must", "no-cache", "unsaid"}) {
    for (const char* reload : {"", "Cache-Control: no-cache\r\n", "Cache-Control: no-store\r\n"}) {
      const HttpAnswer kept = get("/" + name, reload);
      EXPECT_EQ(kept.status, 200) << name << reload;
      EXPECT_EQ(kept.body, name);
      EXPECT_TRUE(is_hit(kept)) << name << " " << kept.head;
    }
  }
  EXPECT_THAT(get("/stale").field("Warning"), HasSubstr("112 "));
  EXPECT_THAT(get("/stale").field("Cache-Status"), HasSubstr("ttl=-"));
  EXPECT_EQ(get("/fresh").field("Warning"), "");
  EXPECT_EQ(origin.count(), asked);
}

TEST(CacheOffline, UnknownPage_IsA504ThatAPersonUnderstands) {
  CacheStage stage{{"cache.offline=true"}};
  stage.origin.on("/a", page("a", kFresh));
  const HttpAnswer none = stage.get("/a", "Accept: text/html\r\n");
  EXPECT_EQ(none.status, 504);
  EXPECT_THAT(none.field("Content-Type"), HasSubstr("text/html"));
  EXPECT_THAT(none.body, HasSubstr("<h1"));
  EXPECT_THAT(none.body, HasSubstr("offline"));
  EXPECT_THAT(none.body, HasSubstr("cache.offline")) << "how to get out of it";
  HttpPeer tunnel = stage.client();
  const std::string authority = stage.origin.url("/").substr(7, stage.origin.url("/").size() - 8);
  tunnel.socket().send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
  EXPECT_EQ(tunnel.answer().status, 504);
  EXPECT_THAT(none.field("Cache-Control"), HasSubstr("no-store")) << "the page of a moment is not to be kept";
  EXPECT_EQ(stage.origin.count(), 0U);
}

// "ask no origin" means all requests, not only those that the cache could answer.
TEST(CacheOffline, NoOriginIsAsked_WhateverTheRequest) {
  CacheStage stage{{"cache.offline=true", "cache.sites=[\"127.0.0.1 never\"]"}};
  stage.origin.on("/a", page("a", kFresh));
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"}) {
    const bool upload = std::string_view{method}.starts_with('P');
    EXPECT_EQ(stage.ask(method, "/a", "", "127.0.0.1", upload ? "x" : "").status, 504) << method;
  }
  EXPECT_EQ(stage.ask("GET", "/a", "", "127.0.0.1", "body").status, 504);
  EXPECT_EQ(stage.get("/a", "Connection: Upgrade\r\nUpgrade: websocket\r\n").status, 504);
  EXPECT_EQ(stage.origin.count(), 0U);
}

// What the memory is to keep nothing of is in no other file, either.
TEST(CacheNeverKeep, HostsThatTheMemoryNeverKeeps_AreNotKeptByTheCache) {
  CacheStage stage{{"memory.never_keep=[\"127.0.0.1\"]"}};
  stage.origin.on("/a", page("a", kFresh));
  stage.get("/a");
  stage.get("/a");
  EXPECT_EQ(stage.origin.count(), 2U);
}

// --- only-if-cached (RFC 9111 section 5.2.1.7)

TEST_F(CacheRulesRun, OnlyIfCached_IsAnsweredFromTheStoreOr504) {
  origin.on("/a", page("a", kFresh));
  const HttpAnswer none = get("/a", "Cache-Control: only-if-cached\r\n");
  EXPECT_EQ(none.status, 504);
  EXPECT_EQ(origin.count(), 0U);
  get("/a");
  EXPECT_EQ(get("/a", "Cache-Control: only-if-cached\r\n").body, "a");
  origin.on("/stale", page("stale", kStale));
  get("/stale");
  EXPECT_EQ(get("/stale", "Cache-Control: only-if-cached\r\n").status, 504);
  EXPECT_EQ(get("/stale", "Cache-Control: only-if-cached, max-stale\r\n").body, "stale");
}

TEST_F(CacheRulesRun, ClientsLimits_AreObeyed) {
  origin.on("/a", page("a", "Cache-Control: max-age=1000\r\nAge: 100\r\n"));
  get("/a");
  EXPECT_TRUE(is_hit(get("/a", "Cache-Control: max-age=500\r\n")));
  EXPECT_FALSE(is_hit(get("/a", "Cache-Control: max-age=50\r\n")));
  EXPECT_TRUE(is_hit(get("/a", "Cache-Control: min-fresh=500\r\n")));
  EXPECT_FALSE(is_hit(get("/a", "Cache-Control: min-fresh=950\r\n")));
  origin.on("/stale", page("stale", kStale));
  get("/stale");
  const HttpAnswer stale = get("/stale", "Cache-Control: max-stale=3600\r\n");
  EXPECT_TRUE(is_hit(stale));
  EXPECT_THAT(stale.field("Warning"), HasSubstr("110 "));
  EXPECT_FALSE(is_hit(get("/stale", "Cache-Control: max-stale=5\r\n")));
}

// --- the origin does not answer (RFC 9111 section 4.2.4, RFC 5861 section 4)

TEST_F(CacheRulesRun, OriginIsGone_StaleAnswersAreServedAndMarked_UnlessForbidden) {
  auto mortal = std::make_unique<ScriptedOrigin>();
  mortal->on("/stale", page("stale", kStale));
  mortal->on("/must", page("must", "Cache-Control: max-age=60, must-revalidate\r\nAge: 100\r\n"));
  mortal->on("/window", page("window", "Cache-Control: max-age=60, stale-if-error=10\r\nAge: 100\r\n"));
  const auto url = [port = mortal->port()](const std::string& target) {
    return "http://127.0.0.1:" + std::to_string(port) + target;
  };
  const auto fetch = [&](const std::string& target) { return testing::get(outrider.port(), url(target)); };
  for (const char* target : {"/stale", "/must", "/window"}) EXPECT_EQ(fetch(target).status, 200);
  mortal.reset();
  const HttpAnswer stale = fetch("/stale");
  EXPECT_EQ(stale.status, 200);
  EXPECT_EQ(stale.body, "stale");
  EXPECT_THAT(stale.field("Warning"), HasSubstr("111 "));
  EXPECT_THAT(stale.field("Cache-Status"), HasSubstr("the origin does not answer"));
  EXPECT_EQ(fetch("/must").status, 502);
  EXPECT_EQ(fetch("/window").status, 502) << "40 s is longer than the origin allows";
  EXPECT_EQ(fetch("/never-seen").status, 502);
}

TEST_F(CacheRulesRun, ServerError_IsReplacedByAStaleAnswer_NotKept) {
  std::atomic<bool> broken{false};
  origin.on("/a", [&](const auto&) {
    return broken ? std::string{"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\noops"}
                  : page("good", kStale);
  });
  get("/a");
  broken = true;
  for (int i = 0; i < 2; ++i) {
    const HttpAnswer stale = get("/a");
    EXPECT_EQ(stale.status, 200);
    EXPECT_EQ(stale.body, "good");
    EXPECT_THAT(stale.field("Cache-Status"), HasSubstr("fwd-status=503"));
  }
  broken = false;
  EXPECT_EQ(get("/a").body, "good");
  broken = true;
  EXPECT_EQ(get("/a", "Cache-Control: no-cache\r\n").status, 503) << "whoever reloads wants to know";
}

// An error page of the origin does not take the place of what is kept.
TEST_F(CacheRulesRun, NotFound_IsPassedOn) {
  std::atomic<bool> gone{false};
  origin.on("/a", [&](const auto&) {
    return gone ? std::string{"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"} : page("good", kStale);
  });
  get("/a");
  gone = true;
  EXPECT_EQ(get("/a").status, 404);
}

// --- stale-while-revalidate (RFC 5861 section 3)

TEST_F(CacheRulesRun, StaleWhileRevalidate_AnswersAtOnceAndRefreshesBehind) {
  std::atomic<int> round{0};
  Gate gate;
  origin.on("/a", [&](const auto&) {
    const int number = ++round;
    if (number == 1) return page("round 1", "Cache-Control: max-age=60, stale-while-revalidate=600\r\nAge: 100\r\n");
    gate.wait();
    return page("round " + std::to_string(number), kFresh);
  });
  get("/a");
  for (int i = 0; i < 5; ++i) {
    const HttpAnswer stale = get("/a", i % 2 ? "If-None-Match: \"x\"\r\n" : "Range: bytes=0-\r\n");
    EXPECT_EQ(stale.body, "round 1") << "while the origin is still thinking";
    EXPECT_TRUE(is_hit(stale));
  }
  gate.open();
  std::string body;
  for (int i = 0; i < 2000 && body != "round 2"; ++i) {  // until the background is done; a bound for a hang
    body = get("/a").body;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  EXPECT_EQ(body, "round 2");
  EXPECT_EQ(origin.last("/a").field("Range"), "") << "the whole is renewed, whoever began it";
  EXPECT_EQ(origin.last("/a").field("If-None-Match"), "");
  EXPECT_EQ(round, 2) << "one refresh for everybody";
}

TEST_F(CacheRulesRun, StaleWhileRevalidate_SurvivesAnOriginThatFails) {
  // Shared: the validation in the background may ask after the test has ended.
  const auto round = std::make_shared<std::atomic<int>>(0);
  origin.talk("/a", [round](const auto&, RawSocket& socket) {
    if (++*round != 1) return false;  // hangs up
    return socket.send(page("kept", "Cache-Control: max-age=60, stale-while-revalidate=600\r\nAge: 100\r\n"));
  });
  get("/a");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get("/a").body, "kept");
}

// --- rules of sites

struct Sites : ::testing::Test {
  std::unique_ptr<CacheStage> with(const std::string& rule) {
    return std::make_unique<CacheStage>(std::vector<std::string>{"cache.sites=[\"" + rule + "\"]"});
  }
};

TEST_F(Sites, Never_KeepsNothing) {
  const auto stage = with("127.0.0.1 never");
  stage->origin.on("/a", page("a", kFresh));
  stage->get("/a");
  const HttpAnswer again = stage->get("/a");
  EXPECT_FALSE(is_hit(again));
  EXPECT_THAT(again.field("Cache-Status"), HasSubstr("nothing of this site is kept"));
  EXPECT_EQ(stage->origin.count("/a"), 2U);
  EXPECT_EQ(stage->get("/a", "Cache-Control: only-if-cached\r\n").status, 504);
}

TEST_F(Sites, Never_AlsoForgetsToAnswerWithWhatWasKeptBefore) {
  CacheStage stage;
  stage.origin.on("/a", page("a", kFresh));
  stage.get("/a");
  EXPECT_EQ(stage.outrider.stop(), 0);
  stage.outrider.start_again(CacheStage::arguments({"cache.sites=[\"127.0.0.1 never\"]"}));
  EXPECT_FALSE(is_hit(stage.get("/a")));
}

TEST_F(Sites, AtLeast_MakesFresh_UnlessTheOriginForbids) {
  const auto stage = with("127.0.0.1 at-least=1h");
  stage->origin.on("/stale", page("stale", kStale));
  stage->origin.on("/unsaid", page("unsaid"));
  stage->origin.on("/no-store", page("x", "Cache-Control: no-store\r\n"));
  stage->origin.on("/private", page("x", "Cache-Control: private\r\n"));
  for (const char* target : {"/stale", "/unsaid", "/no-store", "/private"}) stage->get(target);
  EXPECT_TRUE(is_hit(stage->get("/stale")));
  EXPECT_TRUE(is_hit(stage->get("/unsaid")));
  EXPECT_FALSE(is_hit(stage->get("/no-store")));
  EXPECT_FALSE(is_hit(stage->get("/private", "", "127.0.0.2")));
}

TEST_F(Sites, AtMost_LimitsTheLifetime) {
  const auto stage = with("127.0.0.1 at-most=30s");
  stage->origin.on("/old", page("old", "Cache-Control: max-age=1000\r\nAge: 40\r\n"));
  stage->origin.on("/young", page("young", "Cache-Control: max-age=1000\r\n"));
  for (const char* target : {"/old", "/young"}) stage->get(target);
  EXPECT_FALSE(is_hit(stage->get("/old")));
  EXPECT_TRUE(is_hit(stage->get("/young")));
}

TEST_F(Sites, IgnoreReload_IsDeafToTheClient) {
  const auto stage = with("127.0.0.1 ignore-reload");
  stage->origin.on("/a", page("a", kFresh));
  stage->get("/a");
  EXPECT_TRUE(is_hit(stage->get("/a", "Cache-Control: no-cache\r\n")));
  EXPECT_TRUE(is_hit(stage->get("/a", "Pragma: no-cache\r\n")));
  EXPECT_TRUE(is_hit(stage->get("/a", "Cache-Control: max-age=0\r\n")));
  EXPECT_EQ(stage->origin.count("/a"), 1U);
}

TEST_F(Sites, RulesOfOtherSites_DoNotMatter) {
  const auto stage = with("other.example never");
  stage->origin.on("/a", page("a", kFresh));
  stage->get("/a");
  EXPECT_TRUE(is_hit(stage->get("/a")));
}

// A mistake is named with its place, before anything is opened.
TEST_F(Sites, Mistakes_AreNamedWithFileAndLine) {
  const testing_support::TemporaryDirectory folder;
  for (const auto& [rule, words] :
       std::vector<std::pair<std::string, std::string>>{{"bank.example nevr", "nevr"},
                                                        {"bank.example", "says nothing"},
                                                        {"bank.example at-least=soon", "soon"},
                                                        {"bank.example at-most=", "at-most"},
                                                        {"*bank* never", "*bank*"},
                                                        {"", "\"\""},
                                                        {"bank.example at-least=2h at-most=1h", "at-least"}}) {
    const std::string file = folder.write("outrider.toml", "\n[cache]\nsites = [\"" + rule + "\"]\n");
    const auto data = (folder.path() / "data").string();
    const testing_support::ProcessResult result = testing_support::run_process(
        OUTRIDER_BINARY, {"serve", "--config", file, "--data", data, "--listen", "127.0.0.1:0", "--check-config"});
    EXPECT_EQ(result.exit_code, 2) << rule;
    EXPECT_THAT(result.err, HasSubstr(file + ":3")) << rule;
    EXPECT_THAT(result.err, HasSubstr(words)) << rule;
  }
}

}  // namespace
}  // namespace outrider::testing
