#include "cache/policy_freshness.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;
using std::chrono::hours;

const CacheRules kShared;
CacheRules private_rules() {
  CacheRules rules;
  rules.kind = CacheKind::private_;
  return rules;
}

Lifetime lifetime(const Fields& fields, int status = 200, const CacheRules& rules = kShared) {
  return freshness_lifetime(read_facts(response(fields, status), kNow), rules);
}

// RFC 9111 section 4.2.1: which of several counts.
TEST(FreshnessLifetime, Precedence_Table) {
  struct Case {
    Fields fields;
    std::int64_t seconds;
    LifetimeSource source;
  };
  using S = LifetimeSource;
  for (const Case& c : std::vector<Case>{
           {{}, 0, S::none},
           {{{"Cache-Control", "max-age=60"}}, 60, S::max_age},
           {{{"Cache-Control", "max-age=60, s-maxage=5"}}, 5, S::s_maxage},
           {{{"Cache-Control", "s-maxage=500, max-age=1"}}, 500, S::s_maxage},
           {{{"Cache-Control", "max-age=60"}, {"Expires", date(hours{5})}, {"Date", date()}}, 60, S::max_age},
           {{{"Cache-Control", "max-age=0"}, {"Expires", date(hours{5})}, {"Date", date()}}, 0, S::max_age},
           {{{"Cache-Control", "max-age=60"}, {"Expires", "0"}}, 60, S::max_age},
           {{{"Cache-Control", "max-age=x"}, {"Last-Modified", date(-hours{10})}}, 0, S::max_age},
           {{{"Expires", date(hours{1})}, {"Date", date()}}, 3600, S::expires},
           {{{"Expires", date(hours{1})}}, 3600, S::expires},
           {{{"Expires", date(hours{1})}, {"Date", "foo"}}, 3600, S::expires},
           {{{"Expires", date(Seconds{300})}, {"Date", date(Seconds{400})}}, 0, S::expires},
           {{{"Expires", date()}, {"Date", date()}}, 0, S::expires},
           {{{"Expires", "0"}, {"Last-Modified", date(-hours{10})}}, 0, S::expires},
           {{{"Expires", ""}}, 0, S::expires},
           {{{"Expires", date(hours{1})}, {"Expires", date(hours{9})}, {"Date", date()}}, 3600, S::expires},
           {{{"Expires", "Sun, 21 Nov 2286 04:46:39 GMT"}}, 2147483648, S::expires},
       }) {
    const Lifetime found = lifetime(c.fields);
    EXPECT_EQ(found.seconds.count(), c.seconds) << ::testing::PrintToString(c.fields);
    EXPECT_EQ(found.source, c.source) << ::testing::PrintToString(c.fields);
  }
}

// RFC 9111 section 5.2.2.10: s-maxage is for shared caches.
TEST(FreshnessLifetime, PrivateCacheIgnoresSMaxage) {
  EXPECT_EQ(lifetime({{"Cache-Control", "s-maxage=500, max-age=1"}}, 200, private_rules()).seconds, Seconds{1});
  EXPECT_EQ(lifetime({{"Cache-Control", "s-maxage=500"}}, 200, private_rules()).source, LifetimeSource::none);
}

// RFC 9111 section 4.2.2.
TEST(FreshnessLifetime, Heuristic_IsATenthSinceLastModified_AndCapped) {
  EXPECT_EQ(lifetime({{"Last-Modified", date(-hours{10})}, {"Date", date()}}).seconds, hours{1});
  EXPECT_EQ(lifetime({{"Last-Modified", date(-hours{10})}, {"Date", date()}}).source, LifetimeSource::heuristic);
  EXPECT_EQ(lifetime({{"Last-Modified", date(-hours{24 * 365 * 20})}, {"Date", date()}}).seconds, hours{24 * 7});
  EXPECT_EQ(lifetime({{"Last-Modified", date(hours{1})}, {"Date", date()}}).seconds, Seconds{0});
  EXPECT_EQ(lifetime({{"Last-Modified", "yesterday"}, {"Date", date()}}).seconds, Seconds{0});
  EXPECT_EQ(lifetime({{"Last-Modified", "Mon, 01 Jan 0001 00:00:00 GMT"}, {"Date", date()}}).seconds, hours{24 * 7});
}

TEST(FreshnessLifetime, Heuristic_OnlyForStatusesThatAllowIt) {
  const Fields old{{"Last-Modified", date(-hours{10})}, {"Date", date()}};
  for (const int status : {200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501})
    EXPECT_EQ(lifetime(old, status).seconds, hours{1}) << status;
  for (const int status : {201, 202, 302, 303, 307, 400, 403, 500, 502, 503, 504, 599})
    EXPECT_EQ(lifetime(old, status).seconds, Seconds{0}) << status;
  Fields open = old;
  open.emplace_back("Cache-Control", "public");
  EXPECT_EQ(lifetime(open, 599).seconds, hours{1});
}

TEST(FreshnessLifetime, SiteRules_RaiseAndLower) {
  CacheRules rules;
  rules.minimum_lifetime = Seconds{100};
  rules.maximum_lifetime = Seconds{1000};
  EXPECT_EQ(lifetime({}, 200, rules).seconds, Seconds{100});
  EXPECT_EQ(lifetime({{"Cache-Control", "max-age=5"}}, 200, rules).source, LifetimeSource::site_rule);
  EXPECT_EQ(lifetime({{"Cache-Control", "max-age=500"}}, 200, rules).seconds, Seconds{500});
  EXPECT_EQ(lifetime({{"Cache-Control", "max-age=5000"}}, 200, rules).seconds, Seconds{1000});
  EXPECT_EQ(lifetime({}, 503, rules).seconds, Seconds{0});
}

// RFC 9111 section 4.2 (letter case), RFC 9110 section 5.6.7.
TEST(ReadDate, Table) {
  const auto good = WallTime{std::chrono::sys_days{std::chrono::year{2050} / 8 / 18}} + Seconds{2 * 3600 + 78};
  for (const std::string_view text :
       {"Thu, 18 Aug 2050 02:01:18 GMT", "THU, 18 Aug 2050 02:01:18 GMT", "Thu, 18 AUG 2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02:01:18 gMT", "thu, 18 aug 2050 02:01:18 gmt", "Thursday, 18-Aug-50 02:01:18 GMT",
        "THURSDAY, 18-aug-50 02:01:18 gmt", "Thu Aug 18 02:01:18 2050", "thu aug 18 02:01:18 2050"})
    EXPECT_EQ(read_date(text, kNow), good) << text;
  for (const std::string_view text :
       {"", "0", "-1", "now", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST",
        "Thu, 18 Aug 50 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT",
        "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT",
        "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 GMTgmtgmtgmtgmtgmt",
        "Thu, 18 A\xd5g 2050 02:01:18 GMT"})
    EXPECT_EQ(read_date(text, kNow), std::nullopt) << text;
}

// RFC 9111 section 5.1.
TEST(ParseAge, Table) {
  struct Case {
    std::vector<std::string> lines;
    std::optional<std::int64_t> seconds;
  };
  for (const Case& c : std::vector<Case>{{{}, std::nullopt},
                                         {{"7200"}, 7200},
                                         {{"abc"}, std::nullopt},
                                         {{"-7200"}, std::nullopt},
                                         {{"7200.0"}, std::nullopt},
                                         {{"7200;foo=bar"}, std::nullopt},
                                         {{"2147483647"}, 2147483647},
                                         {{"2147483649"}, 2147483648},
                                         {{"7200, 0"}, 7200},
                                         {{"0, 7200"}, 0},
                                         {{"7200", "0"}, 7200},
                                         {{"0", "7200"}, 0}}) {
    HeaderMap map;
    for (const std::string& line : c.lines) map.add("Age", line);
    const auto age = parse_age(map);
    EXPECT_EQ(age ? std::optional{age->count()} : std::nullopt, c.seconds) << ::testing::PrintToString(c.lines);
  }
}

// RFC 9111 section 4.2.3.
TEST(CurrentAge, Table) {
  struct Case {
    Fields fields;
    Seconds delay;     // between request and response
    Seconds resident;  // since the response
    std::int64_t age;
  };
  for (const Case& c : std::vector<Case>{
           {{}, Seconds{0}, Seconds{0}, 0},
           {{}, Seconds{0}, Seconds{30}, 30},
           {{{"Age", "100"}}, Seconds{0}, Seconds{30}, 130},
           {{{"Age", "100"}}, Seconds{5}, Seconds{30}, 135},
           {{}, Seconds{5}, Seconds{30}, 35},
           {{{"Date", date(-Seconds{60})}}, Seconds{0}, Seconds{30}, 90},                    // apparent age
           {{{"Date", date(-Seconds{60})}, {"Age", "100"}}, Seconds{0}, Seconds{30}, 130},   // the larger one
           {{{"Date", date(-Seconds{600})}, {"Age", "100"}}, Seconds{5}, Seconds{30}, 630},  // the other way round
           {{{"Date", date(Seconds{600})}}, Seconds{0}, Seconds{30}, 30},                    // origin's clock is fast
           {{{"Date", date(Seconds{600})}, {"Age", "15"}}, Seconds{0}, Seconds{30}, 45},
           {{{"Date", "foo"}}, Seconds{0}, Seconds{30}, 30},
           {{{"Age", "99999999999"}}, Seconds{0}, Seconds{30}, 2147483648},
           {{}, Seconds{0}, -Seconds{5}, 0},                     // our clock was corrected a little
           {{}, Seconds{0}, -hours{1}, 2147483648},              // set back: nobody knows how old it is
           {{}, Seconds{0}, -hours{24 * 365 * 10}, 2147483648},  // ten years
           {{}, Seconds{0}, hours{24 * 365 * 10}, 315'360'000},
           {{}, -Seconds{100}, Seconds{10}, 10},  // the clock was set between request and response
           {{{"Date", "Mon, 01 Jan 0001 00:00:00 GMT"}}, Seconds{0}, Seconds{0}, 2147483648},
           {{{"Date", "Fri, 31 Dec 9999 23:59:59 GMT"}}, Seconds{0}, Seconds{7}, 7},
       }) {
    StoredHead head = stored();
    head.response = response(c.fields);
    head.request_time = kNow - c.delay;
    EXPECT_EQ(current_age(head, kNow + c.resident).count(), c.age) << ::testing::PrintToString(c.fields);
  }
}

TEST(CurrentAge, FractionsOfSecondsDoNotCountTwice) {
  StoredHead head = stored();
  head.response_time = kNow + std::chrono::milliseconds{900};
  head.request_time = kNow + std::chrono::milliseconds{850};
  EXPECT_EQ(current_age(head, kNow + std::chrono::milliseconds{1100}), Seconds{0});
  EXPECT_EQ(current_age(head, kNow + std::chrono::milliseconds{1899}), Seconds{1});
}

TEST(CurrentAge, ClocksAtTheEndsOfTime_DoNotOverflow) {
  StoredHead head = stored();
  for (const WallTime received : {WallTime::min(), WallTime{}, WallTime::max()})
    for (const WallTime now : {WallTime::min(), WallTime{}, WallTime::max()}) {
      head.request_time = head.response_time = received;
      const Seconds age = current_age(head, now);
      EXPECT_GE(age, Seconds{0});
      EXPECT_LE(age, kLongest);
    }
}

}  // namespace
}  // namespace outrider
