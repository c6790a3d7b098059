#include "cache/policy_answer.hpp"

#include "cache/policy_combine.hpp"
#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;
using K = AnswerPlan::Kind;

AnswerPlan plan(const StoredHead& head, const Fields& request_fields, std::string_view method = "GET") {
  return plan_answer(head, request(request_fields, method), kNow + Seconds{60});
}

// RFC 9111 section 4.3.2, RFC 9110 section 13.1.2.
TEST(PlanAnswer, IfNoneMatch_Table) {
  const StoredHead strong = stored({{"ETag", "\"a\""}, {"Last-Modified", date(-Seconds{5000})}});
  const StoredHead weak = stored({{"ETag", "W/\"a\""}});
  const StoredHead none = stored();
  EXPECT_EQ(plan(strong, {{"If-None-Match", "\"a\""}}).kind, K::not_modified);
  EXPECT_EQ(plan(strong, {{"If-None-Match", "\"x\", W/\"a\""}}).kind, K::not_modified);
  EXPECT_EQ(plan(strong, {{"If-None-Match", "*"}}).kind, K::not_modified);
  EXPECT_EQ(plan(strong, {{"If-None-Match", "\"a\""}}, "HEAD").kind, K::not_modified);
  EXPECT_EQ(plan(weak, {{"If-None-Match", "\"a\""}}).kind, K::not_modified);
  EXPECT_EQ(plan(strong, {{"If-None-Match", "\"b\""}}).kind, K::whole);
  EXPECT_EQ(plan(none, {{"If-None-Match", "\"a\""}}).kind, K::whole);
  EXPECT_EQ(plan(none, {{"If-None-Match", ""}}).kind, K::whole);
  // It takes precedence over If-Modified-Since, both ways.
  EXPECT_EQ(plan(strong, {{"If-None-Match", "\"a\""}, {"If-Modified-Since", date(-Seconds{9999})}}).kind,
            K::not_modified);
  EXPECT_EQ(plan(strong, {{"If-None-Match", "\"b\""}, {"If-Modified-Since", date()}}).kind, K::whole);
}

// RFC 9110 section 13.1.3; without Last-Modified the Date counts (RFC 9111 section 4.3.2).
TEST(PlanAnswer, IfModifiedSince_Table) {
  const StoredHead dated = stored({{"Last-Modified", date(-Seconds{3000})}});
  EXPECT_EQ(plan(dated, {{"If-Modified-Since", date(-Seconds{3000})}}).kind, K::not_modified);
  EXPECT_EQ(plan(dated, {{"If-Modified-Since", date(-Seconds{2000})}}).kind, K::not_modified);
  EXPECT_EQ(plan(dated, {{"If-Modified-Since", date(-Seconds{3001})}}).kind, K::whole);
  EXPECT_EQ(plan(dated, {{"If-Modified-Since", "yesterday"}}).kind, K::whole);
  EXPECT_EQ(plan(dated, {{"If-Modified-Since", "Tuesday, 14-Nov-23 22:13:20 GMT"}}).kind, K::not_modified);
  const StoredHead undated = stored({{"Date", date()}});
  EXPECT_EQ(plan(undated, {{"If-Modified-Since", date()}}).kind, K::not_modified);
  EXPECT_EQ(plan(undated, {{"If-Modified-Since", date(-Seconds{3000})}}).kind, K::whole);
}

// RFC 9110 section 13.2.1.
TEST(PlanAnswer, ConditionsDoNotApplyToOtherStatuses) {
  for (const int status : {301, 404, 410, 500}) {
    const StoredHead head = stored({{"ETag", "\"a\""}}, 10, status);
    EXPECT_EQ(plan(head, {{"If-None-Match", "\"a\""}}).kind, K::whole) << status;
    EXPECT_EQ(plan(head, {{"Range", "bytes=0-1"}}).kind, K::whole) << status;
  }
}

// RFC 9110 section 14.2.
TEST(PlanAnswer, RangesOfACompleteEntry) {
  const StoredHead head = stored({}, 11);
  const AnswerPlan part = plan(head, {{"Range", "bytes=2-4"}});
  EXPECT_EQ(part.kind, K::part);
  EXPECT_EQ(part.bytes, (ByteRange{2, 4}));
  EXPECT_EQ(part.complete_length, 11U);
  EXPECT_EQ(body_offset(head, part), 2U);
  EXPECT_TRUE(part.by_range);
  EXPECT_EQ(plan(head, {{"Range", "bytes=-1"}}).bytes, (ByteRange{10, 10}));
  EXPECT_EQ(plan(head, {{"Range", "bytes=11-"}}).kind, K::unsatisfiable);
  for (const std::string ignored : {"bytes=0-1,5-6", "lines=1-2", "bytes=x"}) {
    EXPECT_EQ(plan(head, {{"Range", ignored}}).kind, K::whole) << ignored;
    EXPECT_FALSE(plan(head, {{"Range", ignored}}).by_range) << ignored;
  }
  EXPECT_EQ(plan(head, {{"Range", "bytes=2-4"}}, "HEAD").kind, K::whole);
  EXPECT_EQ(plan(head, {{"Range", "bytes=2-4"}, {"If-None-Match", "*"}}).kind, K::not_modified);
  EXPECT_EQ(plan(stored({}, 0), {{"Range", "bytes=0-"}}).kind, K::whole);
}

TEST(PlanAnswer, RangesOfAPart) {
  const StoredHead head = stored_part(4, 5, 12);
  const AnswerPlan part = plan(head, {{"Range", "bytes=6-8"}});
  EXPECT_EQ(part.kind, K::part);
  EXPECT_EQ(body_offset(head, part), 2U);
  EXPECT_EQ(plan(head, {{"Range", "bytes=4-8"}}).kind, K::part);
  EXPECT_EQ(plan(head, {{"Range", "bytes=3-8"}}).kind, K::not_held);
  EXPECT_EQ(plan(head, {{"Range", "bytes=6-9"}}).kind, K::not_held);
  EXPECT_EQ(plan(head, {{"Range", "bytes=6-"}}).bytes, (ByteRange{6, 11}));
  EXPECT_EQ(plan(head, {{"Range", "bytes=12-"}}).kind, K::unsatisfiable);
  const AnswerPlan whole = plan(head, {});
  EXPECT_EQ(whole.kind, K::not_held);
  EXPECT_EQ(whole.bytes, (ByteRange{0, 11}));
  EXPECT_FALSE(whole.by_range);
  EXPECT_EQ(plan(head, {}, "HEAD").kind, K::not_held);
}

// An origin that delivers less than its Content-Range says, up to the end (see settle_length).
TEST(PlanAnswer, PartThatEndsEarly_ServesWhatIsThere) {
  StoredHead head = stored_part(4, 5, 9);
  head.range->combinable = false;
  EXPECT_EQ(plan(head, {{"Range", "bytes=-5"}}).bytes, (ByteRange{4, 8}));
  EXPECT_EQ(plan(head, {{"Range", "bytes=6-"}}).bytes, (ByteRange{6, 8}));
  EXPECT_EQ(plan(head, {{"Range", "bytes=-1"}}).bytes, (ByteRange{8, 8}));
}

// RFC 9110 section 13.1.5.
TEST(PlanAnswer, IfRange_Table) {
  const std::string modified = date(-Seconds{60});
  const StoredHead head = stored({{"ETag", "\"a\""}, {"Last-Modified", modified}}, 11);
  const auto kind = [](const StoredHead& entry, const std::string& if_range) {
    return plan(entry, {{"Range", "bytes=2-4"}, {"If-Range", if_range}}).kind;
  };
  EXPECT_EQ(kind(head, "\"a\""), K::part);
  EXPECT_EQ(kind(head, modified), K::part);
  EXPECT_EQ(kind(head, "\"b\""), K::whole);
  EXPECT_EQ(kind(head, "W/\"a\""), K::whole);
  EXPECT_EQ(kind(head, date(-Seconds{59})), K::whole);
  EXPECT_EQ(kind(stored({{"ETag", "W/\"a\""}}, 11), "W/\"a\""), K::whole);
  EXPECT_EQ(kind(stored({{"Last-Modified", date()}}, 11), date()), K::whole);  // not a strong one
  EXPECT_EQ(kind(stored_part(2, 3, 11, {{"ETag", "\"a\""}}), "\"b\""), K::not_held);
}

ResponseHead build(const StoredHead& head, const AnswerPlan& plan, StaleMark mark = StaleMark::none) {
  ResponseHead out;
  build_answer(out, head, plan, Seconds{70}, mark);
  return out;
}

// RFC 9111 section 5.1: Age on everything that comes from the store.
TEST(BuildAnswer, Whole) {
  const StoredHead head = stored({{"Age", "10"}, {"A", "1"}, {"Content-Range", "odd"}}, 11, 404);
  const ResponseHead out = build(head, plan(head, {}));
  EXPECT_EQ(out.status, 404);
  EXPECT_EQ(out.reason, "Reason");
  EXPECT_EQ(value(out.headers, "Age"), "70");
  EXPECT_EQ(value(out.headers, "A"), "1");
  EXPECT_EQ(value(out.headers, "Content-Range"), "odd");
  EXPECT_EQ(value(out.headers, "Date"), date());
  EXPECT_EQ(value(out.headers, "Warning"), "(none)");
}

TEST(BuildAnswer, Part) {
  const StoredHead head = stored({{"A", "1"}}, 11);
  const ResponseHead out = build(head, plan(head, {{"Range", "bytes=0-1"}}));
  EXPECT_EQ(out.status, 206);
  EXPECT_EQ(out.reason, "Partial Content");
  EXPECT_EQ(value(out.headers, "Content-Range"), "bytes 0-1/11");
  EXPECT_EQ(value(out.headers, "A"), "1");
  const StoredHead piece = stored_part(4, 5, 10);
  EXPECT_EQ(value(build(piece, plan(piece, {{"Range", "bytes=6-8"}})).headers, "Content-Range"), "bytes 6-8/10");
}

// RFC 9110 section 15.3.7.3.
TEST(BuildAnswer, WholeFromParts_Is200) {
  const StoredHead piece = stored_part(4, 6, 10, {{"ETag", "\"a\""}});
  const ResponseHead out = build(piece, plan(piece, {}));
  EXPECT_EQ(out.status, 200);
  EXPECT_EQ(out.reason, "OK");
  EXPECT_EQ(value(out.headers, "Content-Range"), "(none)");
  EXPECT_EQ(build(piece, plan(piece, {{"Range", "bytes=0-5"}})).status, 206);
}

// RFC 9110 section 15.4.5.
TEST(BuildAnswer, NotModified) {
  const Fields fields{{"Cache-Control", "max-age=60"},
                      {"Content-Location", "/x"},
                      {"ETag", "\"a\""},
                      {"Expires", date()},
                      {"Vary", "Foo"},
                      {"Last-Modified", date()},
                      {"Content-Type", "text/plain"},
                      {"Content-Language", "de"},
                      {"Content-Encoding", "gzip"},
                      {"Content-MD5", "x"}};
  const StoredHead head = stored(fields, 11);
  const ResponseHead out = build(head, plan(head, {{"If-None-Match", "\"a\""}}));
  EXPECT_EQ(out.status, 304);
  for (const std::string_view stays : {"Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Vary", "Age"})
    EXPECT_TRUE(out.headers.has(stays)) << stays;
  for (const std::string_view goes : {"Content-Type", "Content-Language", "Content-Encoding", "Content-MD5"})
    EXPECT_FALSE(out.headers.has(goes)) << goes;
}

// RFC 9110 section 15.5.17.
TEST(BuildAnswer, Unsatisfiable) {
  const StoredHead head = stored({{"Cache-Control", "max-age=60"}, {"Content-Type", "text/plain"}}, 11);
  const AnswerPlan wanted = plan(head, {{"Range", "bytes=11-"}});
  const ResponseHead out = build(head, wanted);
  EXPECT_EQ(out.status, 416);
  EXPECT_EQ(value(out.headers, "Content-Range"), "bytes */11");
  EXPECT_EQ(value(out.headers, "Cache-Control"), "(none)");
  EXPECT_EQ(value(out.headers, "Content-Type"), "(none)");
  EXPECT_FALSE(wanted.has_body());
}

TEST(BuildAnswer, StaleOnesAreMarked) {
  const StoredHead head = stored({{"Warning", "199 - \"x\""}});
  EXPECT_EQ(value(build(head, plan(head, {}), StaleMark::stale).headers, "Warning"),
            "199 - \"x\", 110 Outrider \"Response is Stale\"");
  EXPECT_EQ(value(build(stored(), plan(stored(), {}), StaleMark::origin_failed).headers, "Warning"),
            "111 Outrider \"Revalidation Failed\"");
  EXPECT_EQ(value(build(stored(), plan(stored(), {}), StaleMark::offline).headers, "Warning"),
            "112 Outrider \"Disconnected Operation\"");
}

TEST(BuildAnswer, ReusedHead_HoldsNothingOfBefore) {
  const StoredHead head = stored({{"A", "1"}}, 11);
  ResponseHead out = response({{"Leftover", "x"}}, 500);
  build_answer(out, head, plan(head, {}), Seconds{1}, StaleMark::none);
  EXPECT_EQ(out.status, 200);
  EXPECT_FALSE(out.headers.has("Leftover"));
}

TEST(ClientHasIt, Table) {
  const ResponseHead tagged = response({{"ETag", "\"a\""}});
  const auto has = [](const Fields& fields, const ResponseHead& answer) {
    return client_has_it(request(fields), answer, kNow);
  };
  EXPECT_TRUE(has({{"If-None-Match", "\"a\""}}, tagged));
  EXPECT_FALSE(has({{"If-None-Match", "\"b\""}}, tagged));
  EXPECT_FALSE(has({{"If-None-Match", "*"}}, tagged));  // the origin chose to answer in full
  EXPECT_FALSE(has({}, tagged));
  EXPECT_FALSE(has({{"If-None-Match", "\"a\""}}, response({{"ETag", "\"a\""}}, 404)));
}

}  // namespace
}  // namespace outrider
