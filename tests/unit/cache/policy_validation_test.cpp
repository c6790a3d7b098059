#include "cache/policy_validation.hpp"

#include "cache/policy_freshness.hpp"
#include "cache/policy_vary.hpp"
#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;

constexpr std::size_t kNone = Selection::kNone;

std::vector<const StoredHead*> pointers(const std::vector<StoredHead>& heads) {
  std::vector<const StoredHead*> list;
  for (const StoredHead& head : heads) list.push_back(&head);
  return list;
}

HeaderMap asked(const std::vector<StoredHead>& heads, std::size_t selected, const Fields& client = {}) {
  HeaderMap map = headers(client);
  EXPECT_TRUE(add_conditions(map, pointers(heads), selected));
  return map;
}

// RFC 9111 section 4.3.1.
TEST(AddConditions, ValidatorsOfTheSelectedResponse) {
  const std::string modified = date(-Seconds{100});
  const HeaderMap map = asked({stored({{"ETag", "W/\"a\""}, {"Last-Modified", modified}})}, 0);
  EXPECT_EQ(value(map, "If-None-Match"), "W/\"a\"");
  EXPECT_EQ(value(map, "If-Modified-Since"), modified);
}

TEST(AddConditions, TagsOfAllVariants_SelectedFirst_DateOfTheSelectedOnly) {
  const std::string modified = date(-Seconds{100});
  const std::vector<StoredHead> heads = {stored({{"ETag", "\"a\""}, {"Last-Modified", date(-Seconds{50})}}),
                                         stored({{"ETag", "\"b\""}, {"Last-Modified", modified}}), stored()};
  EXPECT_EQ(value(asked(heads, 1), "If-None-Match"), "\"b\", \"a\"");
  EXPECT_EQ(value(asked(heads, 1), "If-Modified-Since"), modified);
  // A variant miss: the tags may still help, a date would not.
  EXPECT_EQ(value(asked(heads, kNone), "If-None-Match"), "\"a\", \"b\"");
  EXPECT_EQ(value(asked(heads, kNone), "If-Modified-Since"), "(none)");
}

TEST(AddConditions, ReplaceTheClientsOwn_AndLeaveItsRange) {
  const Fields client{
      {"If-None-Match", "\"own\""}, {"If-Modified-Since", date()}, {"Range", "bytes=0-1"}, {"If-Range", "\"own\""}};
  const HeaderMap map = asked({stored({{"ETag", "\"a\""}})}, 0, client);
  EXPECT_EQ(value(map, "If-None-Match"), "\"a\"");
  EXPECT_EQ(value(map, "If-Modified-Since"), "(none)");
  EXPECT_EQ(value(map, "Range"), "bytes=0-1");
  EXPECT_EQ(value(map, "If-Range"), "\"own\"");
}

TEST(AddConditions, NothingToAskWith_LeavesTheClientsOwn) {
  HeaderMap map = headers({{"If-None-Match", "\"own\""}});
  EXPECT_FALSE(add_conditions(map, pointers({stored()}), 0));
  EXPECT_FALSE(add_conditions(map, {}, kNone));
  EXPECT_FALSE(add_conditions(map, pointers({stored({{"Last-Modified", "x"}})}), 0));
  EXPECT_EQ(value(map, "If-None-Match"), "\"own\"");
}

// RFC 9110 section 13.2.1: conditions are about successes.
TEST(AddConditions, OtherStatusesAndPartsHaveNoSay) {
  HeaderMap map;
  EXPECT_FALSE(
      add_conditions(map, pointers({stored({{"ETag", "\"a\""}, {"Last-Modified", date(-Seconds{9})}}, 5, 404)}), 0));
  const std::vector<StoredHead> heads = {stored_part(0, 5, 10, {{"ETag", "\"part\""}}),
                                         stored({{"ETag", "\"whole\""}})};
  EXPECT_EQ(value(asked(heads, 1), "If-None-Match"), "\"whole\"");
  EXPECT_EQ(value(asked(heads, 0), "If-None-Match"), "\"part\", \"whole\"");  // the part was chosen
}

// nginx gives W/"x" to the page with and without gzip: its 304 must not make us send gzip to who cannot read it.
TEST(AddConditions, OtherVariantsHaveASayOnlyIfTheirTagIsForTheirBytesAlone) {
  const StoredHead weak = stored({{"ETag", "W/\"x\""}});
  const StoredHead zipped = stored({{"ETag", "\"x\""}, {"Content-Encoding", "gzip"}});
  HeaderMap map;
  EXPECT_FALSE(add_conditions(map, pointers({weak, zipped}), kNone));
  EXPECT_EQ(value(asked({weak, zipped}, 1), "If-None-Match"), "\"x\"");
  EXPECT_EQ(value(asked({weak, zipped}, 0), "If-None-Match"), "W/\"x\"");
}

TEST(AddConditions, HasLimits) {
  std::vector<StoredHead> heads;
  for (int i = 0; i < 100; ++i)
    heads.push_back(stored({{"ETag", '"' + std::string(500, 'x') + std::to_string(i) + '"'}}));
  EXPECT_LT(value(asked(heads, 0), "If-None-Match").size(), 2100U);
}

// RFC 9111 section 4.3.4.
TEST(ConfirmedBy, Table) {
  const std::string modified = date(-Seconds{100});
  const std::vector<StoredHead> heads = {stored({{"ETag", "\"a\""}}),
                                         stored({{"ETag", "\"b\""}, {"Last-Modified", modified}})};
  const std::vector<StoredHead> weak = {stored({{"ETag", "W/\"a\""}}), stored({{"ETag", "W/\"b\""}})};
  const std::vector<StoredHead> one = {stored({{"ETag", "\"a\""}, {"Last-Modified", modified}})};
  struct Case {
    const std::vector<StoredHead>& heads;
    std::size_t selected;
    Fields not_modified;
    std::size_t index;
    bool update;
  };
  for (const Case& c : std::vector<Case>{
           {heads, 0, {{"ETag", "\"a\""}}, 0, true},
           {heads, 0, {{"ETag", "\"b\""}}, 1, true},
           {heads, 0, {{"ETag", "W/\"b\""}}, kNone, false},
           {weak, 0, {{"ETag", "\"a\""}}, 0, true},
           {weak, 0, {{"ETag", "W/\"b\""}}, 0, false},  // that one was not offered, so it cannot be meant
           {heads, kNone, {{"ETag", "\"a\""}}, 0, true},
           {heads, kNone, {{"ETag", "\"z\""}}, kNone, false},
           {heads, kNone, {}, kNone, false},
           {heads, 0, {{"ETag", "\"z\""}}, kNone, false},  // nobody knows which one it means
           {heads, 1, {}, 1, true},
           {heads, 1, {{"Last-Modified", modified}}, 1, true},
           {heads, 1, {{"Last-Modified", date()}}, 1, false},
           {one, 0, {{"ETag", "\"z\""}}, 0, false},  // only one can be meant, but it must not be updated
           {one, 0, {{"Last-Modified", modified}}, 0, true},
       }) {
    const Confirmed found = confirmed_by(response(c.not_modified, 304), pointers(c.heads), c.selected);
    EXPECT_EQ(found.index, c.index) << ::testing::PrintToString(c.not_modified) << c.selected;
    if (c.index != kNone) {
      EXPECT_EQ(found.update, c.update) << ::testing::PrintToString(c.not_modified) << c.selected;
    }
  }
}

bool freshen_with(StoredHead& head, const Fields& fields, const Fields& request_fields = {}, CacheRules rules = {}) {
  return freshen(head, response(fields, 304), headers(request_fields), rules, kNow + Seconds{99}, kNow + Seconds{100});
}

// Others must not get what a 304 echoes of the request that happened to validate.
TEST(Freshen, EchoOfOneRequest_DoesNotReachTheOthers) {
  const Fields news = {{"Cache-Control", "max-age=3600"},
                       {"Access-Control-Allow-Origin", "https://evil.example"},
                       {"X-Reflect", "poison"}};
  for (const Fields& request : {Fields{{"Origin", "https://evil.example"}}, Fields{{"X-Foo", "poison"}}}) {
    StoredHead head = stored({{"Cache-Control", "max-age=1"}, {"ETag", "\"a\""}}, 36);
    EXPECT_TRUE(freshen_with(head, news, request));
    EXPECT_EQ(head.response.headers.find(HeaderId::cache_control), "max-age=3600");
    EXPECT_FALSE(head.response.headers.has("X-Reflect"));
    EXPECT_FALSE(head.response.headers.has("Access-Control-Allow-Origin"));
  }
}

// RFC 9111 section 3.2.
TEST(Freshen, A304ThatSaysNothingNew_OnlyConfirms_WhereEachUseIsConfirmed) {
  const auto only_confirms_with = [](const Fields& kept, const Fields& news, bool invalidated = false) {
    StoredHead before = stored(kept, 36);
    before.invalidated = invalidated;
    StoredHead after = before;
    EXPECT_TRUE(freshen_with(after, news));
    return only_confirms(before, after);
  };
  const Fields kept{
      {"Date", date(Seconds{0})}, {"Cache-Control", "no-cache"}, {"ETag", "\"a\""}, {"Link", "<a>"}, {"X-Odd", "1"}};
  EXPECT_TRUE(only_confirms_with(kept, {{"Date", date(Seconds{100})}}));
  EXPECT_TRUE(
      only_confirms_with(kept, {{"Date", date(Seconds{100})}, {"ETag", "\"a\""}, {"Cache-Control", "no-cache"}}));
  EXPECT_FALSE(only_confirms_with(kept, {{"Date", date(Seconds{100})}, {"Link", "<b>"}}));
  EXPECT_FALSE(only_confirms_with(kept, {{"X-Odd", "2"}}));
  EXPECT_FALSE(only_confirms_with(kept, {{"New", "1"}}));
  EXPECT_FALSE(only_confirms_with(kept, {{"Cache-Control", "max-age=60"}}));
  EXPECT_FALSE(only_confirms_with(kept, {{"Date", date(Seconds{100})}}, true)) << "it was invalid, and is not any more";
  const Fields fresh{{"Date", date(Seconds{0})}, {"Cache-Control", "max-age=60"}, {"ETag", "\"a\""}};
  EXPECT_FALSE(only_confirms_with(fresh, {{"Date", date(Seconds{100})}})) << "it is fresh again";
}

TEST(Freshen, FieldsOfThe304_ReplaceTheStoredOnes) {
  StoredHead head = stored({{"Cache-Control", "max-age=1"},
                            {"ETag", "\"a\""},
                            {"Test-Header", "old"},
                            {"Content-Foo", "old"},
                            {"Only-Stored", "stays"},
                            {"Link", "<a>"},
                            {"Link", "<b>"},
                            {"Age", "500"},
                            {"Content-Type", "text/plain"},
                            {"Content-Encoding", "gzip"}},
                           36);
  EXPECT_TRUE(freshen_with(head, {{"Date", date(Seconds{100})},
                                  {"Cache-Control", "max-age=3600"},
                                  {"test-header", "new"},
                                  {"Content-Foo", "new"},
                                  {"New", "1"},
                                  {"Link", "<c>"},
                                  {"Link", "<d>"},
                                  {"Content-Type", "text/html"},
                                  {"Content-Length", "10"},
                                  {"Content-Encoding", "br"},
                                  {"Content-Range", "bytes 0-1/2"},
                                  {"Connection", "close, Secret-Hop"},
                                  {"Secret-Hop", "x"}}));
  const HeaderMap& map = head.response.headers;
  EXPECT_EQ(value(map, "Cache-Control"), "max-age=3600");
  EXPECT_EQ(value(map, "Test-Header"), "new");
  EXPECT_EQ(value(map, "Content-Foo"), "new");
  EXPECT_EQ(value(map, "Only-Stored"), "stays");
  EXPECT_EQ(value(map, "New"), "1");
  EXPECT_EQ(value(map, "Link"), "<c>, <d>");
  EXPECT_EQ(value(map, "Date"), date(Seconds{100}));
  EXPECT_EQ(value(map, "Content-Type"), "text/html");
  EXPECT_EQ(value(map, "Age"), "(none)");
  // What describes the very bytes that are kept is not changed.
  EXPECT_EQ(value(map, "Content-Encoding"), "gzip");
  EXPECT_EQ(value(map, "Content-Range"), "(none)");
  EXPECT_EQ(value(map, "Content-Length"), "(none)");
  EXPECT_EQ(value(map, "Secret-Hop"), "(none)");
  EXPECT_EQ(head.body_length, 36U);
  EXPECT_EQ(head.response.status, 200);
  EXPECT_EQ(head.request_time, kNow + Seconds{99});
  EXPECT_EQ(head.response_time, kNow + Seconds{100});
}

TEST(Freshen, TheTagOfTheKeptBytesStays) {
  StoredHead weak = stored({{"ETag", "W/\"a\""}});
  EXPECT_TRUE(freshen_with(weak, {{"ETag", "\"a\""}}));
  EXPECT_EQ(value(weak.response.headers, "ETag"), "W/\"a\"");
  StoredHead none = stored();
  EXPECT_TRUE(freshen_with(none, {{"ETag", "\"a\""}}));
  EXPECT_EQ(value(none.response.headers, "ETag"), "\"a\"");
}

TEST(Freshen, ItIsYoungAgain) {
  StoredHead head = stored({{"Cache-Control", "max-age=60"}, {"Age", "500"}});
  head.invalidated = true;
  EXPECT_TRUE(freshen_with(head, {}));
  EXPECT_FALSE(head.invalidated);
  EXPECT_EQ(current_age(head, kNow + Seconds{100}), Seconds{1});  // the time that the question took
}

// An entry may be validated every minute for years.
TEST(Freshen, ManyTimes_GivesTheSameFields) {
  StoredHead head = stored({{"ETag", "\"a\""}, {"Cache-Control", "max-age=1"}});
  std::string once, often;
  EXPECT_TRUE(freshen_with(head, {{"Cache-Control", "max-age=2"}, {"Age", "1"}}));
  head.response.headers.append_wire(once);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(freshen_with(head, {{"Cache-Control", "max-age=2"}, {"Age", "1"}}));
  head.response.headers.append_wire(often);
  EXPECT_EQ(once, often);
  EXPECT_EQ(head.response.headers.size(), 4U);
}

// HOSTILE, row cache: the cookie that a 304 sets is for the one who asked.
TEST(Freshen, CookiesInASharedEntry_OnlyIfPublic) {
  StoredHead shared = stored({{"Cache-Control", "max-age=60"}});
  EXPECT_TRUE(freshen_with(shared, {{"Set-Cookie", "session=ann"}, {"Set-Cookie2", "x"}}));
  EXPECT_FALSE(shared.response.headers.has(HeaderId::set_cookie));
  EXPECT_FALSE(shared.response.headers.has("Set-Cookie2"));
  StoredHead open = stored({{"Cache-Control", "max-age=60, public"}});
  EXPECT_TRUE(freshen_with(open, {{"Set-Cookie", "a=b"}}));
  EXPECT_TRUE(open.response.headers.has(HeaderId::set_cookie));
  EXPECT_TRUE(freshen_with(open, {{"Set-Cookie", "c=d"}, {"Cache-Control", "max-age=60"}}));
  EXPECT_EQ(value(open.response.headers, "Set-Cookie"), "a=b");
  StoredHead personal = stored({{"Set-Cookie", "a=b"}});
  personal.scope = Scope::personal;
  EXPECT_TRUE(freshen_with(personal, {{"Set-Cookie", "a=c"}}));
  EXPECT_EQ(value(personal.response.headers, "Set-Cookie"), "a=c");
}

TEST(Freshen, RequestThatMayHaveAskedForSomethingElse_ChangesNothingShared) {
  StoredHead head = stored({{"Link", "</a>"}});
  EXPECT_TRUE(freshen_with(head, {{"Link", "<//evil/a>"}}, {{"X-Forwarded-Host", "evil"}}));
  EXPECT_EQ(value(head.response.headers, "Link"), "</a>");
  EXPECT_EQ(head.response_time, kNow);
}

// RFC 9111 section 3.5: whatever kind of entry it is.
TEST(Freshen, AnswerToAuthorization_ChangesNothing_UnlessItMayBeShared) {
  const Fields bearer = {{"Authorization", "Bearer ann"}};
  for (const Scope scope : {Scope::shared, Scope::personal})
    for (const std::string control : {"max-age=600", "no-store", "private"}) {
      StoredHead head = stored({{"Cache-Control", "max-age=0"}, {"ETag", "\"a\""}});
      head.scope = scope;
      const StoredHead before = head;
      EXPECT_TRUE(freshen_with(head, {{"Cache-Control", control}, {"X-Account", "ann"}}, bearer)) << control;
      EXPECT_EQ(value(head.response.headers, "Cache-Control"), "max-age=0");
      EXPECT_FALSE(head.response.headers.has("X-Account"));
      EXPECT_EQ(head.response_time, kNow);
      EXPECT_TRUE(only_confirms(before, head)) << "nothing to write down";
    }
  for (const std::string shares : {"public, max-age=600", "s-maxage=600", "max-age=600, must-revalidate"}) {
    StoredHead head = stored({{"Cache-Control", "max-age=0"}});
    EXPECT_TRUE(freshen_with(head, {{"Cache-Control", shares}}, bearer));
    EXPECT_EQ(value(head.response.headers, "Cache-Control"), shares);
    StoredHead allowed = stored({{"Cache-Control", shares}});
    EXPECT_TRUE(freshen_with(allowed, {{"X-News", "1"}}, bearer)) << "it said so before";
    EXPECT_TRUE(allowed.response.headers.has("X-News"));
    EXPECT_TRUE(freshen_with(allowed, {{"X-News", "2"}, {"Cache-Control", "max-age=600"}}, bearer));
    EXPECT_EQ(value(allowed.response.headers, "X-News"), "1") << "and now not any more";
  }
}

TEST(HeadForAsker, HasAllThatThe304Says_AndIsPersonalIfOthersDoNotGetIt) {
  const auto asker = [](const Fields& request, const Fields& news, bool all = true) {
    const StoredHead before =
        stored({{"Cache-Control", "max-age=1"}, {"ETag", "\"a\""}, {"X-Old", "1"}, {"Age", "5"}}, 36);
    StoredHead others = before;
    if (all) freshen_with(others, news, request);
    return head_for_asker(before, response(news, 304), all, others, kNow + Seconds{99}, kNow + Seconds{100});
  };
  const StoredHead plain = asker({}, {{"Cache-Control", "max-age=9"}, {"X-New", "1"}});
  EXPECT_EQ(plain.scope, Scope::shared);
  EXPECT_EQ(value(plain.response.headers, "X-New"), "1");
  const StoredHead same = asker({{"Cookie", "a=b"}}, {{"X-Old", "1"}, {"Cache-Control", "max-age=9"}});
  EXPECT_EQ(same.scope, Scope::shared) << "what is withheld is nothing new";
  const StoredHead cookie =
      asker({}, {{"Set-Cookie", "a=b"}, {"Content-Length", "7"}, {"Connection", "x"}, {"X", "1"}});
  EXPECT_EQ(cookie.scope, Scope::personal);
  EXPECT_EQ(value(cookie.response.headers, "Set-Cookie"), "a=b");
  EXPECT_EQ(value(cookie.response.headers, "X-Old"), "1");
  EXPECT_EQ(value(cookie.response.headers, "X"), "(none)") << "for the next hop";
  EXPECT_EQ(value(cookie.response.headers, "Content-Length"), "(none)");
  EXPECT_EQ(cookie.response_time, kNow + Seconds{100});
  const StoredHead account = asker({{"Authorization", "x"}}, {{"X-Account", "ann"}, {"Cache-Control", "max-age=600"}});
  EXPECT_EQ(account.scope, Scope::personal);
  EXPECT_EQ(value(account.response.headers, "X-Account"), "ann");
  EXPECT_EQ(value(account.response.headers, "Cache-Control"), "max-age=600");
  const StoredHead echo = asker({{"X-Foo", "x"}}, {{"X-Reflect", "x"}});
  EXPECT_EQ(value(echo.response.headers, "X-Reflect"), "x");
  EXPECT_EQ(echo.scope, Scope::personal);
  const StoredHead fields = asker({}, {{"Cache-Control", "private=\"X-Mine\""}, {"X-Mine", "ann"}});
  EXPECT_EQ(value(fields.response.headers, "X-Mine"), "ann");
  // Confirmed by a 304 that must not update.
  const StoredHead other = asker({}, {{"Set-Cookie", "a=b"}, {"X-New", "1"}, {"ETag", "\"z\""}}, false);
  EXPECT_EQ(value(other.response.headers, "Set-Cookie"), "a=b");
  EXPECT_EQ(value(other.response.headers, "X-New"), "(none)");
  EXPECT_EQ(value(other.response.headers, "ETag"), "\"a\"");
  EXPECT_EQ(value(other.response.headers, "Age"), "5");
  EXPECT_EQ(other.response_time, kNow);
}

TEST(Freshen, RestrictedFieldsAreTakenOut) {
  StoredHead head = stored({{"A", "1"}, {"B", "1"}});
  EXPECT_TRUE(freshen_with(head, {{"Cache-Control", "no-cache=\"A\""}, {"A", "2"}}));
  EXPECT_EQ(value(head.response.headers, "A"), "(none)");
  EXPECT_EQ(value(head.response.headers, "B"), "1");
}

TEST(Freshen, OriginWantsItKeptNoLonger) {
  for (const std::string forbids : {"no-store", "private"}) {
    StoredHead head = stored({{"Cache-Control", "max-age=60"}});
    EXPECT_FALSE(freshen_with(head, {{"Cache-Control", forbids}})) << forbids;
  }
  StoredHead head = stored({{"Cache-Control", "max-age=60"}});
  EXPECT_FALSE(freshen_with(head, {{"Vary", "*"}}));
}

TEST(Freshen, NewVary_IsRecordedFromTheRequest) {
  StoredHead head = stored();
  EXPECT_TRUE(freshen_with(head, {{"Vary", "Foo"}}, {{"Foo", "1"}}));
  EXPECT_TRUE(vary_matches(head, headers({{"Foo", "1"}})));
  EXPECT_FALSE(vary_matches(head, headers({{"Foo", "2"}})));
  // Confirmed by a request for another variant: what it answers by itself stays.
  EXPECT_TRUE(freshen_with(head, {{"Vary", "Foo"}}, {{"Foo", "2"}}));
  EXPECT_TRUE(vary_matches(head, headers({{"Foo", "1"}})));
}

HeadEffect apply(StoredHead& head, const Fields& fields, int status = 200) {
  return apply_head_answer(head, response(fields, status), {}, {}, kNow + Seconds{99}, kNow + Seconds{100});
}

TEST(ApplyHeadAnswer, RequestsWhoseAnswersAreNotForOthers_ChangeNothing) {
  for (const Fields& request : {Fields{{"Authorization", "x"}}, Fields{{"X-Forwarded-Host", "evil"}}})
    for (const Fields& answer : {Fields{{"ETag", "\"a\""}, {"X-Account", "ann"}}, Fields{{"ETag", "\"b\""}}}) {
      StoredHead head = stored({{"ETag", "\"a\""}});
      const HeadEffect effect =
          apply_head_answer(head, response(answer), headers(request), {}, kNow, kNow + Seconds{9});
      EXPECT_EQ(effect, HeadEffect::none);
      EXPECT_FALSE(head.response.headers.has("X-Account"));
      EXPECT_FALSE(head.invalidated);
    }
}

// RFC 9111 section 4.3.5.
TEST(ApplyHeadAnswer, SameValidatorsAndLength_Update) {
  StoredHead head = stored({{"Cache-Control", "max-age=2"}, {"ETag", "\"a\""}, {"A", "1"}}, 36);
  EXPECT_EQ(apply(head, {{"Cache-Control", "max-age=1000"}, {"ETag", "\"a\""}, {"Content-Length", "36"}, {"A", "2"}}),
            HeadEffect::updated);
  EXPECT_EQ(value(head.response.headers, "A"), "2");
  EXPECT_EQ(value(head.response.headers, "Cache-Control"), "max-age=1000");
  EXPECT_EQ(head.response_time, kNow + Seconds{100});
  StoredHead plain = stored({}, 36);
  EXPECT_EQ(apply(plain, {{"A", "2"}}), HeadEffect::updated);
}

TEST(ApplyHeadAnswer, AnotherVersion_Invalidates) {
  for (const Fields& other : std::vector<Fields>{{{"ETag", "\"b\""}},
                                                 {{"Last-Modified", date()}},
                                                 {{"Content-Length", "37"}},
                                                 {{"Content-Length", "x"}},
                                                 {{"Cache-Control", "no-store"}}}) {
    StoredHead head = stored({{"ETag", "\"a\""}, {"Last-Modified", date(-Seconds{9})}}, 36);
    EXPECT_EQ(apply(head, other), HeadEffect::invalidated) << ::testing::PrintToString(other);
    EXPECT_TRUE(head.invalidated);
  }
}

TEST(ApplyHeadAnswer, OtherStatuses_ChangeNothing) {
  StoredHead head = stored({{"A", "1"}});
  EXPECT_EQ(apply(head, {{"A", "2"}}, 410), HeadEffect::none);
  EXPECT_EQ(value(head.response.headers, "A"), "1");
  StoredHead missing = stored({{"A", "1"}}, 0, 404);
  EXPECT_EQ(apply(missing, {{"A", "2"}}), HeadEffect::none);
}

TEST(ApplyHeadAnswer, LengthOfAPartIsThatOfTheWhole) {
  StoredHead part = stored_part(0, 5, 10);
  EXPECT_EQ(apply(part, {{"Content-Length", "10"}}), HeadEffect::updated);
  EXPECT_EQ(apply(part, {{"Content-Length", "5"}}), HeadEffect::invalidated);
}

}  // namespace
}  // namespace outrider
