#include "cache/directives.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using samples::headers;

ResponseDirectives response(const std::vector<std::string>& lines) {
  HeaderMap map;
  for (const std::string& line : lines) map.add("Cache-Control", line);
  return parse_response_directives(map);
}

RequestDirectives request(std::string_view line) {
  HeaderMap map;
  map.add("Cache-Control", line);
  return parse_request_directives(map);
}

// RFC 9111 section 1.2.2: 1*DIGIT; what is too large is 2^31.
TEST(DeltaSeconds, Table) {
  struct Case {
    std::string_view text;
    std::optional<std::int64_t> seconds;
  };
  for (const Case& c : std::vector<Case>{{"0", 0},
                                         {"60", 60},
                                         {"0060", 60},
                                         {"2147483647", 2147483647},
                                         {"2147483648", 2147483648},
                                         {"2147483649", 2147483648},
                                         {"99999999999999999999999999999999", 2147483648},
                                         {"", std::nullopt},
                                         {"-1", std::nullopt},
                                         {"+1", std::nullopt},
                                         {"1.0", std::nullopt},
                                         {"1a", std::nullopt},
                                         {"a1", std::nullopt},
                                         {" 1", std::nullopt},
                                         {"'1'", std::nullopt}}) {
    const auto seconds = parse_delta_seconds(c.text);
    EXPECT_EQ(seconds ? std::optional{seconds->count()} : std::nullopt, c.seconds) << c.text;
  }
}

// RFC 9111 sections 5.2 and 4.2.1.
TEST(ResponseDirectives, MaxAge_Table) {
  struct Case {
    std::vector<std::string> lines;
    std::optional<std::int64_t> seconds;
  };
  for (const Case& c : std::vector<Case>{{{"max-age=3600"}, 3600},
                                         {{"MaX-aGe=3600"}, 3600},
                                         {{"foobar, max-age=3600"}, 3600},
                                         {{"foo=\"bar, max-age=9\" , max-age=3600"}, 3600},
                                         {{"extension=\"max-age=3600\", max-age=1"}, 1},
                                         {{"max-age=1, extension=\"max-age=3600\""}, 1},
                                         {{"extension=\"max-age=3600\""}, std::nullopt},
                                         {{"max-age=\"3600\""}, 3600},
                                         {{"max-age=1800, max-age=1"}, 1800},
                                         {{"max-age=1", "max-age=1800"}, 1},
                                         {{"max-age=abc, max-age=1800"}, 0},
                                         {{"max-age=-3600"}, 0},
                                         {{"max-age='3600'"}, 0},
                                         {{"max-age=3600.5"}, 0},
                                         {{"max-age =3600"}, 0},
                                         {{"max-age= 3600"}, 0},
                                         {{"max-age"}, 0},
                                         {{"max-age="}, 0},
                                         {{"max-age=99999999999"}, 2147483648},
                                         {{"s-maxage=5"}, std::nullopt},
                                         {{"xmax-age=5, max-agex=5"}, std::nullopt},
                                         {{""}, std::nullopt},
                                         {{",,, ,"}, std::nullopt}}) {
    const auto age = response(c.lines).max_age;
    EXPECT_EQ(age ? std::optional{age->count()} : std::nullopt, c.seconds) << c.lines[0];
  }
}

TEST(ResponseDirectives, EveryDirectiveIsKnown_InAnyCase_OnAnyLine) {
  const ResponseDirectives all =
      response({"No-Store, NO-CACHE, private, Public", "must-revalidate,proxy-revalidate",
                "must-understand, immutable, no-transform, max-age=1, S-MaxAge=2, stale-while-revalidate=3, "
                "stale-if-error=4"});
  EXPECT_TRUE(all.no_store && all.no_cache && all.is_private && all.is_public && all.must_revalidate &&
              all.proxy_revalidate && all.must_understand && all.immutable && all.no_transform);
  EXPECT_FALSE(all.no_cache_fields || all.private_fields);
  EXPECT_EQ(all.max_age, Seconds{1});
  EXPECT_EQ(all.s_maxage, Seconds{2});
  EXPECT_EQ(all.stale_while_revalidate, Seconds{3});
  EXPECT_EQ(all.stale_if_error, Seconds{4});
}

TEST(ResponseDirectives, WrongWindowsForStaleAnswers_AreNone) {
  const ResponseDirectives directives = response({"stale-while-revalidate=x, stale-if-error=-1"});
  EXPECT_EQ(directives.stale_while_revalidate, std::nullopt);
  EXPECT_EQ(directives.stale_if_error, std::nullopt);
}

// What forbids counts in any form, what permits only as it is defined.
TEST(ResponseDirectives, ValuesWhereNoneBelongs) {
  const ResponseDirectives directives =
      response({"no-store=1, must-revalidate=x, public=no, immutable=0, must-understand=0"});
  EXPECT_TRUE(directives.no_store && directives.must_revalidate);
  EXPECT_FALSE(directives.is_public || directives.immutable || directives.must_understand);
}

// RFC 9111 sections 5.2.2.4 and 5.2.2.7.
TEST(ResponseDirectives, FieldLists_Table) {
  struct Case {
    std::string line;
    bool whole, fields;
    std::vector<std::string_view> names;
  };
  for (const Case& c : std::vector<Case>{{"no-cache", true, false, {}},
                                         {"no-cache=\"a\"", false, true, {"a"}},
                                         {"no-cache=\"a, B\"", false, true, {"a", "B"}},
                                         {"no-cache=Set-Cookie", false, true, {"Set-Cookie"}},
                                         {"no-cache=\"a\", no-cache=\"b\"", false, true, {"a", "b"}},
                                         {"no-cache=\"a\", no-cache", true, true, {"a"}},
                                         {"no-cache=\"\"", true, false, {}},
                                         {"no-cache=", true, false, {}},
                                         {"no-cache=\"a b\"", true, false, {}},
                                         {"no-cache=\"a", true, false, {}},
                                         // Without them the body could be misunderstood, or never be judged.
                                         {"no-cache=\"Content-Encoding\"", true, false, {}},
                                         {"no-cache=\"a, vary\"", true, false, {}}}) {
    const ResponseDirectives no_cache = response({c.line});
    EXPECT_EQ(no_cache.no_cache, c.whole) << c.line;
    EXPECT_EQ(no_cache.no_cache_fields, c.fields) << c.line;
    HeaderMap map = headers({{"Cache-Control", c.line}});
    EXPECT_EQ(restricted_fields(map), c.names) << c.line;

    std::string as_private = c.line;  // the same rules hold for private
    for (std::size_t at; (at = as_private.find("no-cache")) != as_private.npos;) as_private.replace(at, 8, "private");
    EXPECT_EQ(response({as_private}).is_private, c.whole) << as_private;
    EXPECT_EQ(response({as_private}).private_fields, c.fields) << as_private;
  }
}

// What is wrong as a list still says for whom the answer is not. It permits nothing.
TEST(ResponseDirectives, MisspeltRestrictions_AreTakenAtTheirWord) {
  struct Case {
    std::string line;
    bool no_store, no_cache, is_private;
  };
  for (const Case& c : std::vector<Case>{{"private; max-age=600", false, false, true},
                                         {"max-age=600; private", false, false, true},
                                         {"no-cache; no-store; must-revalidate", true, true, false},
                                         {"no-store; max-age=0", true, false, false},
                                         {"private max-age=600", false, false, true},
                                         {"max-age=600, ext=\"a, private", false, false, true},
                                         {"max-age=600, ext=\"a, no-store", true, false, false},
                                         {"max-age=600 NO-STORE", true, false, false},
                                         {"ext=\"private, no-store\", max-age=600", false, false, false},
                                         {"ext=private, max-age=600", false, false, false},
                                         {"ext = no-store", false, false, false},
                                         {"x-private, no-storey, max-age=600", false, false, false},
                                         {"private=\"a\", max-age=600", false, false, false},
                                         {"max-age=600, public", false, false, false}}) {
    const ResponseDirectives directives = response({c.line});
    EXPECT_EQ(directives.no_store, c.no_store) << c.line;
    EXPECT_EQ(directives.no_cache, c.no_cache) << c.line;
    EXPECT_EQ(directives.is_private, c.is_private) << c.line;
  }
  EXPECT_FALSE(response({"max-age=600; public; immutable"}).is_public);
}

// RFC 9111 section 5.2.1.
TEST(RequestDirectives, EveryDirectiveIsKnown) {
  const RequestDirectives all = request(
      "no-cache, No-Store, only-if-cached, no-transform, max-age=1, min-fresh=2, max-stale=3, stale-if-error=\"4\"");
  EXPECT_TRUE(all.no_cache && all.no_store && all.only_if_cached && all.no_transform);
  EXPECT_EQ(all.max_age, Seconds{1});
  EXPECT_EQ(all.min_fresh, Seconds{2});
  EXPECT_EQ(all.max_stale, Seconds{3});
  EXPECT_EQ(all.stale_if_error, Seconds{4});
}

TEST(RequestDirectives, WrongNumbersAreOnTheSafeSide) {
  EXPECT_EQ(request("max-age=x").max_age, Seconds{0});
  EXPECT_EQ(request("max-stale").max_stale, kLongest);
  EXPECT_EQ(request("max-stale=x").max_stale, std::nullopt);
  EXPECT_EQ(request("min-fresh=x").min_fresh, std::nullopt);
  EXPECT_EQ(request("max-age=10, max-age=0").max_age, Seconds{10});
}

// RFC 9111 section 5.4.
TEST(RequestDirectives, Pragma_CountsOnlyWithoutCacheControl) {
  EXPECT_TRUE(parse_request_directives(headers({{"Pragma", "No-Cache"}})).no_cache);
  EXPECT_TRUE(parse_request_directives(headers({{"Pragma", "foo, no-cache"}})).no_cache);
  EXPECT_FALSE(parse_request_directives(headers({{"Pragma", "foo"}})).no_cache);
  EXPECT_FALSE(parse_request_directives(headers({{"Pragma", "no-cache"}, {"Cache-Control", "max-age=9"}})).no_cache);
  EXPECT_FALSE(parse_request_directives(headers({{"Pragma", "no-cache"}, {"Cache-Control", ""}})).no_cache);
  EXPECT_FALSE(parse_response_directives(headers({{"Pragma", "no-cache"}})).no_cache);
}

}  // namespace
}  // namespace outrider
