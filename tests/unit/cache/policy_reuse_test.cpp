#include "cache/policy_reuse.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;
using std::chrono::hours;
using U = Reuse;
using R = ReuseReason;

ReuseVerdict ask(const StoredHead& head, const Fields& request_fields, Seconds later, const CacheRules& rules = {},
                 std::string_view method = "GET") {
  const RequestHead asked = request(request_fields, method);
  return judge(head, asked, parse_request_directives(asked.headers), rules, kNow + later);
}

struct Question {
  std::string response;  // Cache-Control of the stored response
  std::string request;   // Cache-Control of the request
  int age;               // seconds since it was received
  Reuse reuse;
  ReuseReason reason;
};

void check(const std::vector<Question>& cases, const CacheRules& rules = {}) {
  for (const Question& c : cases) {
    const ReuseVerdict verdict =
        ask(stored({{"Cache-Control", c.response}}), {{"Cache-Control", c.request}}, Seconds{c.age}, rules);
    EXPECT_EQ(verdict.reuse, c.reuse) << c.response << " | " << c.request << " | " << c.age;
    EXPECT_EQ(verdict.reason, c.reason) << c.response << " | " << c.request << " | " << c.age;
    EXPECT_EQ(verdict.age, Seconds{c.age});
  }
}

// RFC 9111 section 4.2: fresh while the lifetime is greater than the age.
TEST(Judge, FreshAndStale) {
  check({{"max-age=60", "", 0, U::fresh, R::fresh},
         {"max-age=60", "", 59, U::fresh, R::fresh},
         {"max-age=60", "", 60, U::validate, R::stale},
         {"max-age=0", "", 0, U::validate, R::stale},
         {"", "", 0, U::validate, R::stale},
         {"max-age=60, s-maxage=5", "", 10, U::validate, R::must_revalidate},
         {"max-age=5, s-maxage=60", "", 10, U::fresh, R::fresh}});
}

TEST(Judge, TtlIsWhatIsLeft_NegativeWhenStale) {
  EXPECT_EQ(ask(stored({{"Cache-Control", "max-age=60"}}), {}, Seconds{20}).ttl, Seconds{40});
  const ReuseVerdict stale = ask(stored({{"Cache-Control", "max-age=60"}, {"Age", "50"}}), {}, Seconds{20});
  EXPECT_EQ(stale.age, Seconds{70});
  EXPECT_EQ(stale.ttl, -Seconds{10});
  EXPECT_TRUE(stale.is_stale());
  EXPECT_FALSE(stale.answers());
}

// RFC 9111 section 5.2.2.4.
TEST(Judge, NoCacheOfTheOrigin_IsAskedEveryTime) {
  check({{"max-age=60, no-cache", "", 0, U::validate, R::no_cache},
         {"max-age=60, no-cache", "max-stale", 100, U::validate, R::no_cache},
         {"max-age=60, no-cache=\"a\"", "", 0, U::fresh, R::fresh}});
}

// RFC 9111 section 5.2.1.
TEST(Judge, DirectivesOfTheRequest) {
  check({{"max-age=60", "no-cache", 0, U::validate, R::client_no_cache},
         {"max-age=60", "max-age=0", 0, U::validate, R::client_max_age},
         {"max-age=60", "max-age=10", 10, U::fresh, R::fresh},
         {"max-age=60", "max-age=10", 11, U::validate, R::client_max_age},
         {"max-age=60", "max-age=x", 1, U::validate, R::client_max_age},
         {"max-age=60", "min-fresh=50", 10, U::fresh, R::fresh},
         {"max-age=60", "min-fresh=51", 10, U::validate, R::client_min_fresh},
         {"max-age=60", "max-stale=10", 70, U::stale_allowed, R::max_stale},
         {"max-age=60", "max-stale=10", 71, U::validate, R::stale},
         {"max-age=60", "max-stale", 1'000'000, U::stale_allowed, R::max_stale},
         {"max-age=60", "max-stale=x", 61, U::validate, R::stale},
         {"max-age=60", "max-age=30, max-stale=100", 31, U::validate, R::client_max_age},
         {"max-age=60", "max-age=300, max-stale=100", 100, U::stale_allowed, R::max_stale},
         {"max-age=60", "only-if-cached", 10, U::fresh, R::fresh},
         {"max-age=60", "nothing-to-see-here", 10, U::fresh, R::fresh}});
}

// RFC 9111 sections 5.2.2.2, 5.2.2.8, 5.2.2.10: the client cannot allow what the origin forbids.
TEST(Judge, MustRevalidate_IsStrongerThanTheClient) {
  for (const std::string forbids : {"must-revalidate", "proxy-revalidate", "s-maxage=60"})
    check({{"max-age=60, " + forbids, "max-stale", 59, U::fresh, R::fresh},
           {"max-age=60, " + forbids, "max-stale", 60, U::validate, R::must_revalidate},
           {"max-age=60, stale-while-revalidate=100, " + forbids, "", 60, U::validate, R::must_revalidate}});
}

TEST(Judge, PrivateCache_IgnoresWhatIsSaidToSharedOnes) {
  CacheRules rules;
  rules.kind = CacheKind::private_;
  check({{"max-age=60, proxy-revalidate", "max-stale", 70, U::stale_allowed, R::max_stale},
         {"max-age=60, s-maxage=5", "", 10, U::fresh, R::fresh},
         {"max-age=60, must-revalidate", "max-stale", 70, U::validate, R::must_revalidate}},
        rules);
}

// RFC 5861 section 3.
TEST(Judge, StaleWhileRevalidate) {
  check({{"max-age=60, stale-while-revalidate=10", "", 60, U::stale_while_revalidate, R::within_revalidate},
         {"max-age=60, stale-while-revalidate=10", "", 69, U::stale_while_revalidate, R::within_revalidate},
         {"max-age=60, stale-while-revalidate=10", "", 70, U::validate, R::stale},
         {"max-age=60, stale-while-revalidate=10", "max-age=0", 65, U::validate, R::client_max_age},
         {"max-age=60, stale-while-revalidate=10", "max-age=100", 65, U::validate, R::stale},
         {"max-age=60, stale-while-revalidate=10", "no-cache", 65, U::validate, R::client_no_cache}});
}

// RFC 8246 section 2.
TEST(Judge, Immutable_SparesReloads_NotWhenStaleOrNoCache) {
  check({{"max-age=60, immutable", "max-age=0", 10, U::fresh, R::immutable},
         {"max-age=60, immutable", "no-cache", 10, U::validate, R::client_no_cache},
         {"max-age=60, immutable", "max-age=0", 60, U::validate, R::client_max_age}});
}

TEST(Judge, Pragma_IsNoCacheWithoutCacheControl) {
  EXPECT_EQ(ask(stored({{"Cache-Control", "max-age=60"}}), {{"Pragma", "no-cache"}}, Seconds{1}).reason,
            R::client_no_cache);
}

// RFC 9111 section 4.4.
TEST(Judge, Invalidated_IsValidatedFirst_AndNeverALastResort) {
  StoredHead head = stored({{"Cache-Control", "max-age=60"}});
  head.invalidated = true;
  const ReuseVerdict verdict = ask(head, {}, Seconds{1});
  EXPECT_EQ(verdict.reuse, U::validate);
  EXPECT_EQ(verdict.reason, R::invalidated);
  EXPECT_FALSE(verdict.if_unreachable || verdict.if_server_error);
}

// What was kept for everybody may differ from what credentials would get.
TEST(Judge, RequestWithCredentials_AsksUnlessTheAnswerIsDeclaredForAll) {
  const Fields credentials{{"Authorization", "Basic eDp5"}};
  EXPECT_EQ(ask(stored({{"Cache-Control", "max-age=60"}}), credentials, Seconds{1}).reason, R::client_authorization);
  for (const std::string permission : {"public", "must-revalidate", "s-maxage=60"})
    EXPECT_EQ(ask(stored({{"Cache-Control", "max-age=60, " + permission}}), credentials, Seconds{1}).reuse, U::fresh);
}

TEST(Judge, RuleToIgnoreReloads) {
  CacheRules rules;
  rules.ignore_client_reload = true;
  check({{"max-age=60", "no-cache", 1, U::fresh, R::fresh},
         {"max-age=60", "max-age=0", 1, U::fresh, R::fresh},
         {"max-age=60, no-cache", "", 1, U::validate, R::no_cache}},
        rules);
}

TEST(Judge, Offline_AnythingKeptAnswers_StaleOnesMarked) {
  CacheRules rules;
  rules.offline = true;
  check({{"max-age=60", "", 1, U::fresh, R::fresh},
         {"max-age=60", "no-cache", 1, U::fresh, R::fresh},
         {"max-age=60", "", 1'000'000, U::stale_allowed, R::offline},
         {"no-cache, must-revalidate", "", 5, U::stale_allowed, R::offline},
         {"max-age=60, no-cache", "", 5, U::stale_allowed, R::offline}},
        rules);
  StoredHead head = stored({{"Cache-Control", "max-age=60"}});
  head.invalidated = true;
  EXPECT_EQ(ask(head, {}, Seconds{1}, rules).reason, R::offline);
}

// RFC 9111 section 4.2.4, RFC 5861 section 4.
TEST(Judge, WhenTheOriginFails_Table) {
  struct Failure {
    std::string response, request;
    int age;
    bool unreachable, server_error;
  };
  for (const Failure& c : std::vector<Failure>{
           {"max-age=60", "", 61, true, true},
           {"max-age=60", "", 60 + 86400, true, true},
           {"max-age=60", "", 61 + 86400, true, false},
           {"max-age=60", "max-age=0", 1, true, true},  // fresh, only too old for the client
           {"max-age=60", "max-age=0", 61, true, true},
           {"max-age=60", "no-cache", 1, false, false},
           {"max-age=60, stale-if-error=10", "", 70, true, true},
           {"max-age=60, stale-if-error=10", "", 71, false, false},
           {"max-age=60, stale-if-error=10", "stale-if-error=100", 71, true, true},
           {"max-age=60, stale-if-error=0", "", 61, false, false},
           {"max-age=60", "stale-if-error=10", 71, false, false},
           {"max-age=60, must-revalidate", "", 61, false, false},
           {"max-age=60, proxy-revalidate", "", 61, false, false},
           {"max-age=60, s-maxage=60", "", 61, false, false},
           {"max-age=60, must-revalidate, stale-if-error=100", "", 61, false, false},
           {"max-age=60, no-cache", "", 1, false, false},
       }) {
    const ReuseVerdict verdict =
        ask(stored({{"Cache-Control", c.response}}), {{"Cache-Control", c.request}}, Seconds{c.age});
    EXPECT_EQ(verdict.if_unreachable, c.unreachable) << c.response << " | " << c.request << " | " << c.age;
    EXPECT_EQ(verdict.if_server_error, c.server_error) << c.response << " | " << c.request << " | " << c.age;
  }
}

TEST(Judge, ServerErrors) {
  for (const int status : {500, 502, 503, 504}) EXPECT_TRUE(is_server_error(status));
  for (const int status : {200, 404, 501, 505, 599}) EXPECT_FALSE(is_server_error(status));
}

// HOSTILE, row clock: ten years either way, and what is kept is still there when the origin is not.
TEST(Judge, ClockJumps_MakeItStale_NotUnusable) {
  const StoredHead head = stored({{"Cache-Control", "max-age=60"}});
  for (const Seconds jump : {Seconds{hours{24 * 365 * 10}}, Seconds{-hours{24 * 365 * 10}}}) {
    const ReuseVerdict verdict = ask(head, {}, jump);
    EXPECT_EQ(verdict.reuse, U::validate);
    EXPECT_TRUE(verdict.if_unreachable);
  }
}

TEST(Words, EveryReuseReasonHasItsSentence) {
  for (int i = 0; i <= static_cast<int>(R::client_authorization); ++i) EXPECT_NE(words(static_cast<R>(i)), "") << i;
}

}  // namespace
}  // namespace outrider
