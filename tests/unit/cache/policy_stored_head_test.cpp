#include "cache/policy_stored_head.hpp"

#include "cache/policy_vary.hpp"
#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;

StoredHead keep(const Fields& request_fields, const Fields& response_fields, int status = 200,
                Scope scope = Scope::shared) {
  const RequestHead head = request(request_fields);
  const RequestDirectives directives;
  const Url target = url();
  const ResponseHead answer = response(response_fields, status);
  return make_stored_head({head, directives, target, target.path_and_query(), false, answer},
                          {true, scope, StoreReason::fresh}, kNow - Seconds{1}, kNow);
}

// RFC 9111 section 3.1.
TEST(MakeStoredHead, FieldsForTheNextHopAndFraming_AreNotKept) {
  const StoredHead head = keep({}, {{"Connection", "a, B, close"},
                                    {"a", "1"},
                                    {"b", "2"},
                                    {"c", "3"},
                                    {"Keep-Alive", "x"},
                                    {"Proxy-Authenticate", "x"},
                                    {"Proxy-Authentication-Info", "x"},
                                    {"Proxy-Authorization", "x"},
                                    {"Proxy-Connection", "x"},
                                    {"TE", "x"},
                                    {"Trailer", "Expires"},
                                    {"Upgrade", "x"},
                                    {"Content-Length", "36"},
                                    {"Date", date()},
                                    {"Set-Cookie", "a=b"},
                                    {"Clear-Site-Data", "cache"},
                                    {"Content-Range", "odd"}});
  std::string wire;
  head.response.headers.append_wire(wire);
  EXPECT_EQ(wire,
            "c: 3\r\nDate: " + date() + "\r\nSet-Cookie: a=b\r\nClear-Site-Data: cache\r\nContent-Range: odd\r\n");
  EXPECT_EQ(head.body_length, 36U);
}

// RFC 9111 sections 5.2.2.4 and 5.2.2.7.
TEST(MakeStoredHead, FieldsThatTheOriginRestricts_AreNotKept) {
  const StoredHead head = keep({}, {{"Cache-Control", "max-age=60, no-cache=\"Set-Cookie, a\", private=b"},
                                    {"Set-Cookie", "s=1"},
                                    {"Set-Cookie", "t=1"},
                                    {"A", "1"},
                                    {"b", "2"},
                                    {"c", "3"}});
  EXPECT_FALSE(head.response.headers.has(HeaderId::set_cookie));
  EXPECT_FALSE(head.response.headers.has("a"));
  EXPECT_FALSE(head.response.headers.has("b"));
  EXPECT_TRUE(head.response.headers.has("c"));
}

TEST(MakeStoredHead, KeepsStatusTimesAndScope) {
  const StoredHead head = keep({}, {{"Age", "5"}}, 410, Scope::personal);
  EXPECT_EQ(head.response.status, 410);
  EXPECT_EQ(head.response.reason, "Reason");
  EXPECT_EQ(head.request_time, kNow - Seconds{1});
  EXPECT_EQ(head.response_time, kNow);
  EXPECT_EQ(head.scope, Scope::personal);
  EXPECT_EQ(value(head.response.headers, "Age"), "5");
  EXPECT_FALSE(head.range);
}

// RFC 9110 section 6.6.1.
TEST(MakeStoredHead, MissingOrWrongDate_BecomesTheTimeOfReception) {
  EXPECT_EQ(value(keep({}, {}).response.headers, "Date"), date());
  EXPECT_EQ(value(keep({}, {{"Date", "foo"}}).response.headers, "Date"), date());
  EXPECT_EQ(value(keep({}, {{"Date", date(-Seconds{9})}}).response.headers, "Date"), date(-Seconds{9}));
}

TEST(MakeStoredHead, RecordsWhatTheAnswerDependsOn) {
  const StoredHead head = keep({{"Foo", "1"}, {"X-Whatever", "2"}}, {{"Vary", "Foo, Bar"}});
  EXPECT_EQ(value(head.vary_request, "Foo"), "1");
  EXPECT_EQ(value(head.vary_request, "Bar"), "");
  EXPECT_FALSE(head.vary_request.has("X-Whatever"));
  const StoredHead personal = keep({{"Foo", "1"}, {"X-Whatever", "2"}}, {{"Vary", "Foo"}}, 200, Scope::personal);
  EXPECT_EQ(value(personal.vary_request, "Foo"), "1");
  EXPECT_EQ(value(personal.vary_request, "X-Whatever"), ",*");
}

// What is called like a key is one: its value counts, and is not kept.
TEST(MakeStoredHead, KeysAndTokensOfUnknownFields_AreRecordedAsADigest) {
  for (const std::string name :
       {"X-Api-Key", "X-CSRF-Token", "X-Auth", "Client-Secret", "x-sessionid", "X-AMZ-SECURITY-TOKEN"}) {
    const StoredHead head = keep({{name, "canary"}, {"X-Whatever", "2"}}, {}, 200, Scope::personal);
    EXPECT_EQ(value(head.vary_request, name).find("canary"), std::string::npos) << name;
    EXPECT_TRUE(vary_matches(head, headers({{name, "canary"}, {"X-Whatever", "3"}}))) << name;
    EXPECT_FALSE(vary_matches(head, headers({{name, "other"}, {"X-Whatever", "2"}}))) << name;
    EXPECT_FALSE(vary_matches(head, headers({{"X-Whatever", "2"}}))) << name;
  }
}

TEST(SettleLength, CompleteResponse) {
  StoredHead head = keep({}, {});
  EXPECT_TRUE(settle_length(head, 1234));
  EXPECT_EQ(head.body_length, 1234U);
}

// RFC 9110 section 14.4.
TEST(SettleLength, PartialContent_Table) {
  struct Case {
    std::string place;
    std::uint64_t body;
    bool good;
    std::optional<StoredRange> range;
  };
  for (const Case& c : std::vector<Case>{
           {"bytes 0-4/10", 5, true, StoredRange{0, 10, true}},
           {"bytes 5-9/10", 5, true, StoredRange{5, 10, true}},
           {"bytes 0-9/10", 5, false, {}},            // would pass for the whole
           {"bytes 0-9/10", 10, true, std::nullopt},  // everything: a complete response
           {"bytes 0-4/10", 6, false, {}},            // more than it announced
           {"bytes 0-4/10", 0, false, {}},
           {"bytes 0-4/10", 3, true, StoredRange{0, 10, false}},  // less: what is there is where it says
           {"bytes 4-9/10", 5, true, StoredRange{4, 9, false}},   // less, up to the end: that is the end
       }) {
    StoredHead head = keep({}, {{"Content-Range", c.place}}, 206);
    ASSERT_EQ(settle_length(head, c.body), c.good) << c.place;
    if (!c.good) continue;
    EXPECT_EQ(head.range, c.range) << c.place << ' ' << c.body;
    EXPECT_EQ(head.body_length, c.body);
    EXPECT_EQ(head.response.status, c.range ? 206 : 200);
    EXPECT_EQ(head.response.headers.has(HeaderId::content_range), c.range.has_value());
  }
}

}  // namespace
}  // namespace outrider
