#include "cache/policy_vary.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;

StoredHead variant(const Fields& request_fields, const Fields& response_fields) {
  StoredHead head = stored(response_fields);
  EXPECT_EQ(record_vary(head.response.headers, headers(request_fields), head.vary_request), VaryRecord::recorded);
  return head;
}

// RFC 9111 section 4.1.
TEST(VaryMatches, Table) {
  struct Case {
    std::string vary;
    Fields first, second;
    bool match;
  };
  for (const Case& c : std::vector<Case>{
           {"", {{"Foo", "1"}}, {{"Foo", "2"}}, true},
           {"Foo", {{"Foo", "1"}}, {{"Foo", "1"}}, true},
           {"Foo", {{"Foo", "1"}}, {{"foo", "1"}}, true},
           {"foo", {{"FOO", "1"}}, {{"Foo", "2"}}, false},
           {"Foo", {}, {{"Foo", "1"}}, false},
           {"Foo", {{"Foo", "1"}}, {}, false},
           {"Foo", {}, {}, true},
           {"Foo", {{"Foo", ""}}, {}, false},
           {"Foo", {{"Foo", ""}}, {{"Foo", " "}}, true},
           {"Foo", {{"Foo", "1"}, {"Other", "2"}}, {{"Foo", "1"}, {"Other", "3"}}, true},
           {"Foo, Bar", {{"Foo", "1"}, {"Bar", "a"}}, {{"Bar", "a"}, {"Foo", "1"}}, true},
           {"Foo, Bar", {{"Foo", "1"}, {"Bar", "a"}}, {{"Foo", "1"}, {"Bar", "abc"}}, false},
           {"Foo, Bar, Baz", {{"Foo", "1"}, {"Baz", "2"}}, {{"Foo", "1"}, {"Baz", "2"}}, true},
           {"Foo, foo, FOO", {{"Foo", "1"}}, {{"Foo", "1"}}, true},
           {"Foo", {{"Foo", "1, 2"}}, {{"Foo", "1"}, {"Foo", "2"}}, true},
           {"Foo", {{"Foo", "1,2"}}, {{"Foo", " 1, 2 "}}, true},
           {"Accept-Language", {{"Accept-Language", "en, de"}}, {{"Accept-Language", "de ,EN"}}, true},
           {"Accept-Language", {{"Accept-Language", "en, de;q=0.5"}}, {{"Accept-Language", "de, en;q=0.5"}}, false},
           {"Cookie", {{"Cookie", "a=1"}}, {{"Cookie", "a=1"}}, true},
           {"Cookie", {{"Cookie", "a=1"}}, {{"Cookie", "a=2"}}, false},
       }) {
    EXPECT_EQ(vary_matches(variant(c.first, {{"Vary", c.vary}}), headers(c.second)), c.match)
        << c.vary << ::testing::PrintToString(c.first) << ::testing::PrintToString(c.second);
  }
}

TEST(RecordVary, Star_InAnyPlace) {
  for (const std::vector<std::string>& lines : std::vector<std::vector<std::string>>{{"*"},
                                                                                     {"*, *"},
                                                                                     {"*", "*"},
                                                                                     {", *"},
                                                                                     {"", "*"},
                                                                                     {"*, Foo"},
                                                                                     {"Foo, *"},
                                                                                     {"Foo", "Bar , *"},
                                                                                     {"Foo, \"x, *"},
                                                                                     {"a b"}}) {
    HeaderMap response, record;
    for (const std::string& line : lines) response.add("Vary", line);
    EXPECT_EQ(record_vary(response, {}, record), VaryRecord::star) << ::testing::PrintToString(lines);
  }
}

TEST(RecordVary, HasLimits) {
  std::string names;
  for (int i = 0; i < 25; ++i) names += "f" + std::to_string(i) + ",";
  HeaderMap record;
  EXPECT_EQ(record_vary(headers({{"Vary", names}}), {}, record), VaryRecord::too_much);
  EXPECT_EQ(record_vary(headers({{"Vary", "Foo"}}), headers({{"Foo", std::string(9000, 'x')}}), record),
            VaryRecord::too_much);
}

// What the client cannot decode is no answer, even if the origin forgot Vary.
TEST(VaryMatches, ContentEncodingWithoutVary_OnlyForThoseWhoAcceptIt) {
  const StoredHead zipped = variant({{"Accept-Encoding", "gzip, br"}}, {{"Content-Encoding", "gzip"}});
  EXPECT_TRUE(vary_matches(zipped, headers({{"Accept-Encoding", "br, gzip"}})));
  EXPECT_TRUE(vary_matches(zipped, headers({{"Accept-Encoding", "gzip"}})));
  EXPECT_TRUE(vary_matches(zipped, headers({{"Accept-Encoding", "*"}})));
  EXPECT_FALSE(vary_matches(zipped, headers({{"Accept-Encoding", "br"}})));
  EXPECT_FALSE(vary_matches(zipped, headers({{"Accept-Encoding", "gzip;q=0, *"}})));
  EXPECT_FALSE(vary_matches(zipped, {}));
  // An origin that sends it to everybody sends it to the next one as well.
  const StoredHead always = variant({}, {{"Content-Encoding", "gzip"}});
  EXPECT_TRUE(vary_matches(always, {}));
  EXPECT_TRUE(vary_matches(variant({}, {{"Content-Encoding", "own-coding"}}), headers({{"Accept-Encoding", "br"}})));
  const StoredHead named =
      variant({{"Accept-Encoding", "gzip"}}, {{"Content-Encoding", "gzip"}, {"Vary", "accept-encoding"}});
  EXPECT_FALSE(vary_matches(named, headers({{"Accept-Encoding", "gzip, br"}})));
}

TEST(VaryMatches, ResponseInTheFavouriteLanguage) {
  const StoredHead german = variant({{"Accept-Language", "en, de"}, {"Foo", "1"}},
                                    {{"Vary", "Accept-Language, Foo"}, {"Content-Language", "de"}});
  const auto matches = [&german](const std::string& languages, const std::string& foo = "1") {
    return vary_matches(german, headers({{"Accept-Language", languages}, {"Foo", foo}}));
  };
  EXPECT_TRUE(matches("fr;q=0.5, de;q=1.0"));
  EXPECT_FALSE(matches("fr, de"));
  EXPECT_FALSE(matches("fr, de;q=0.5"));
  EXPECT_FALSE(matches("fr;q=0.5, de;q=1.0", "2"));
  const StoredHead both =
      variant({{"Accept-Language", "en"}}, {{"Vary", "Accept-Language"}, {"Content-Language", "de, en"}});
  EXPECT_FALSE(vary_matches(both, headers({{"Accept-Language", "de"}})));
}

// HOSTILE, row cache: who does not send the field that may have changed an answer does not get that answer.
TEST(RecordUnknown, OnlyRequestsWithTheField) {
  StoredHead head = stored();
  record_unknown("X-Own", headers({{"X-Own", "1"}}), head.vary_request);
  EXPECT_TRUE(vary_matches(head, headers({{"x-own", "other value"}})));
  EXPECT_TRUE(vary_matches(head, headers({{"X-Own", ""}})));
  EXPECT_FALSE(vary_matches(head, {}));
}

std::size_t select(const std::vector<StoredHead>& heads, const RequestHead& asked) {
  std::vector<const StoredHead*> variants;
  for (const StoredHead& head : heads) variants.push_back(&head);
  return select_variant(variants, asked).index;
}

TEST(SelectVariant, TheOneThatMatches) {
  const std::vector<StoredHead> heads = {variant({{"Foo", "1"}}, {{"Vary", "Foo"}}),
                                         variant({{"Foo", "2"}}, {{"Vary", "Foo"}})};
  EXPECT_EQ(select(heads, request({{"Foo", "1"}})), 0U);
  EXPECT_EQ(select(heads, request({{"Foo", "2"}})), 1U);
  EXPECT_EQ(select(heads, request({{"Foo", "3"}})), Selection::kNone);
  const StoredHead* one[] = {&heads[0]};
  EXPECT_TRUE(select_variant(one, request({{"Foo", "3"}})).vary_miss);
  EXPECT_FALSE(select_variant(one, request({{"Foo", "1"}})).vary_miss);
  EXPECT_FALSE(select_variant({}, request()).vary_miss);
}

// RFC 9111 section 4.1: the most recent one by Date.
TEST(SelectVariant, TheMostRecentOfSeveral) {
  std::vector<StoredHead> heads = {stored({{"Date", date(-Seconds{5})}}), stored({{"Date", date(-Seconds{1})}}),
                                   stored({{"Date", date(-Seconds{3})}})};
  EXPECT_EQ(select(heads, request()), 1U);
  heads = {stored({{"Date", date()}}), stored({{"Date", date()}})};
  heads[0].response_time += Seconds{1};
  EXPECT_EQ(select(heads, request()), 0U);
}

TEST(SelectVariant, WhatHoldsTheBytes_BeforeWhatIsMoreRecent) {
  const StoredHead whole = stored({{"Date", date(-Seconds{9})}});
  const StoredHead part = stored_part(0, 5, 10, {{"Date", date()}});
  EXPECT_EQ(select({part, whole}, request()), 1U);
  EXPECT_EQ(select({whole, part}, request({{"Range", "bytes=2-8"}})), 0U);
  EXPECT_EQ(select({whole, part}, request({{"Range", "bytes=2-4"}})), 1U);
  EXPECT_EQ(select({part}, request()), 0U);  // better than nothing: it can be completed
}

}  // namespace
}  // namespace outrider
