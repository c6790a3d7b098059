#include "cache/policy_storability.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;
using R = StoreReason;

struct Asked {
  Fields request_fields{};
  Fields response_fields{};
  int status = 200;
  std::string method = "GET";
  bool has_body = false;
  CacheRules rules{};
};

StoreVerdict verdict(const Asked& asked) {
  const RequestHead head = request(asked.request_fields, asked.method);
  const RequestDirectives directives = parse_request_directives(head.headers);
  const Url target = url();
  const ResponseHead answer = response(asked.response_fields, asked.status);
  return may_store({head, directives, target, target.path_and_query(), asked.has_body, answer}, asked.rules, kNow);
}

StoreVerdict answer_verdict(const Fields& response_fields, int status = 200) {
  return verdict({.response_fields = response_fields, .status = status});
}

#define EXPECT_KEPT(v, s, r)          \
  do {                                \
    const StoreVerdict found = v;     \
    EXPECT_TRUE(found.keep);          \
    EXPECT_EQ(found.scope, Scope::s); \
    EXPECT_EQ(found.reason, R::r);    \
  } while (false)
#define EXPECT_REFUSED(v, r)       \
  do {                             \
    const StoreVerdict found = v;  \
    EXPECT_FALSE(found.keep);      \
    EXPECT_EQ(found.reason, R::r); \
  } while (false)

const Fields kFresh{{"Cache-Control", "max-age=60"}};

Fields fresh_and(const Fields& more) {
  Fields fields = kFresh;
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

TEST(MayStore, FreshResponse_IsKeptForEverybody) {
  EXPECT_KEPT(answer_verdict(kFresh), shared, fresh);
  EXPECT_KEPT(answer_verdict({{"Expires", date(Seconds{60})}, {"Date", date()}}), shared, fresh);
  EXPECT_KEPT(answer_verdict({{"Cache-Control", "s-maxage=60"}}), shared, fresh);
  EXPECT_KEPT(answer_verdict({{"Last-Modified", date(-std::chrono::hours{10})}, {"Date", date()}}), shared, fresh);
}

TEST(MayStore, WhatItIsGoodFor) {
  EXPECT_KEPT(answer_verdict({{"ETag", "\"a\""}}), shared, validatable);
  EXPECT_KEPT(answer_verdict({{"Cache-Control", "no-cache, max-age=60"}, {"ETag", "\"a\""}}), shared, validatable);
  EXPECT_KEPT(answer_verdict({{"Cache-Control", "max-age=60"}, {"Age", "61"}, {"ETag", "\"a\""}}), shared, validatable);
  EXPECT_KEPT(answer_verdict({}), shared, last_resort);
  EXPECT_KEPT(answer_verdict({{"Cache-Control", "no-cache"}}), shared, last_resort);
}

// RFC 9111 sections 5.2.2.5 and 5.2.2.3.
// HTML section 9.2: it goes on for as long as both sides like, and a reader who joins must not get what was before.
TEST(MayStore, EventStream_IsNotKept) {
  EXPECT_REFUSED(answer_verdict(fresh_and({{"Content-Type", "text/event-stream"}})), endless);
  EXPECT_REFUSED(answer_verdict(fresh_and({{"Content-Type", "Text/Event-Stream; charset=utf-8"}})), endless);
  EXPECT_TRUE(answer_verdict(fresh_and({{"Content-Type", "text/html"}})).keep);
}

TEST(MayStore, NoStoreResponse_IsNotKept) {
  EXPECT_REFUSED(answer_verdict({{"Cache-Control", "no-store"}}), no_store);
  EXPECT_REFUSED(answer_verdict({{"Cache-Control", "max-age=60"}, {"Cache-Control", "No-StOrE"}}), no_store);
  EXPECT_KEPT(answer_verdict({{"Cache-Control", "max-age=60, no-store, must-understand"}}), shared, fresh);
  EXPECT_REFUSED(answer_verdict({{"Cache-Control", "max-age=60, no-store, must-understand"}}, 599), not_understood);
  EXPECT_REFUSED(answer_verdict({{"Cache-Control", "max-age=60, must-understand"}}, 299), not_understood);
}

// RFC 9111 section 5.2.1.5.
TEST(MayStore, NoStoreRequest_NothingIsKept) {
  EXPECT_REFUSED(verdict({.request_fields = {{"Cache-Control", "no-store"}}, .response_fields = kFresh}), bypassed);
}

// RFC 9111 section 5.2.2.7.
TEST(MayStore, PrivateResponse_IsNotKeptInASharedCache) {
  EXPECT_REFUSED(answer_verdict({{"Cache-Control", "private, max-age=60"}}), is_private);
  EXPECT_REFUSED(answer_verdict({{"Cache-Control", "private=\"\", max-age=60"}}), is_private);
  EXPECT_KEPT(answer_verdict({{"Cache-Control", "private=\"X-Me\", max-age=60"}}), shared, fresh);
}

TEST(MayStore, PrivateResponse_IsKeptForItsPersonInAPrivateCache) {
  CacheRules rules;
  rules.kind = CacheKind::private_;
  const Fields fields{{"Cache-Control", "private, max-age=60"}};
  EXPECT_KEPT(verdict({.response_fields = fields, .rules = rules}), personal, fresh);
  EXPECT_REFUSED(verdict({.response_fields = {{"Cache-Control", "private, no-store"}}, .rules = rules}), no_store);
  EXPECT_KEPT(verdict({.response_fields = {{"Cache-Control", "private"}}, .status = 403, .rules = rules}), personal,
              last_resort);
}

// RFC 9111 section 3.5; HOSTILE, row privacy: not in any kind of cache.
TEST(MayStore, AnswerToCredentials_NeedsPermissionToBeShared) {
  const Fields credentials{{"Authorization", "Basic eDp5"}};
  CacheRules rules;
  for (const CacheKind kind : {CacheKind::shared, CacheKind::private_}) {
    rules.kind = kind;
    EXPECT_REFUSED(verdict({.request_fields = credentials, .response_fields = kFresh, .rules = rules}), authorization);
    for (const std::string permission : {"public", "must-revalidate", "s-maxage=60"}) {
      const Fields fields{{"Cache-Control", "max-age=60, " + permission}};
      EXPECT_KEPT(verdict({.request_fields = credentials, .response_fields = fields, .rules = rules}), shared, fresh);
    }
  }
}

// HOSTILE, row cache: what sets a cookie is reused for others only if it is public.
TEST(MayStore, AnswerThatSetsACookie_StaysWithItsPerson) {
  EXPECT_KEPT(answer_verdict(fresh_and({{"Set-Cookie", "a=b"}})), personal, fresh);
  EXPECT_KEPT(answer_verdict({{"Cache-Control", "s-maxage=60"}, {"Set-Cookie", "a=b"}}), personal, fresh);
  EXPECT_KEPT(answer_verdict({{"Cache-Control", "public, max-age=60"}, {"Set-Cookie", "a=b"}}), shared, fresh);
}

// HOSTILE, row cache: /account/x.css, asked for with a cookie, is Ann's account and nobody else's.
TEST(MayStore, AnswerToACookie_StaysWithItsPerson) {
  const Fields cookie{{"Cookie", "session=ann"}};
  EXPECT_KEPT(verdict({.request_fields = cookie, .response_fields = kFresh}), personal, fresh);
  EXPECT_KEPT(verdict({.request_fields = cookie, .response_fields = {{"Last-Modified", date(-std::chrono::hours{9})}}}),
              personal, fresh);
  EXPECT_KEPT(verdict({.request_fields = cookie, .response_fields = {{"Cache-Control", "public, max-age=9"}}}), shared,
              fresh);
}

// HOSTILE, row cache: unkeyed inputs.
TEST(MayStore, AnswerToUnkeyedInputs) {
  EXPECT_KEPT(verdict({.request_fields = {{"X-Whatever", "1"}}, .response_fields = kFresh}), personal, fresh);
  EXPECT_KEPT(
      verdict({.request_fields = {{"X-Whatever", "1"}}, .response_fields = fresh_and({{"Vary", "X-Whatever"}})}),
      shared, fresh);
  EXPECT_REFUSED(verdict({.request_fields = {{"X-Forwarded-Host", "evil"}}, .response_fields = kFresh}), unkeyed_input);
  EXPECT_REFUSED(verdict({.request_fields = {{"X-Forwarded-Host", "evil"}},
                          .response_fields = {{"Cache-Control", "public, max-age=60"}}}),
                 unkeyed_input);
  EXPECT_REFUSED(verdict({.response_fields = kFresh, .has_body = true}), bypassed);
  Fields many;
  for (int i = 0; i < 33; ++i) many.emplace_back("X-" + std::to_string(i), "1");
  EXPECT_REFUSED(verdict({.request_fields = many, .response_fields = kFresh}), vary_too_much);
}

// RFC 9111 section 3, RFC 9110 section 15.1.
TEST(MayStore, Statuses_Table) {
  for (const int status : {200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599})
    EXPECT_KEPT(answer_verdict(kFresh, status), shared, fresh);
  for (const int status : {201, 202, 302, 307, 403, 500, 502, 503, 504, 599}) {
    EXPECT_REFUSED(answer_verdict({{"Last-Modified", date(-std::chrono::hours{9})}}, status), no_freshness);
    EXPECT_TRUE(answer_verdict({{"Cache-Control", "public"}}, status).keep) << status;
    EXPECT_TRUE(answer_verdict({{"Expires", "0"}}, status).keep) << status;
  }
  for (const int status : {100, 103, 206, 304, 401, 407, 408, 412, 416, 421, 425, 428, 429, 431, 511})
    EXPECT_REFUSED(answer_verdict(kFresh, status), status);
}

// RFC 9111 section 3.3.
TEST(MayStore, PartialContent_NeedsItsPlace) {
  EXPECT_KEPT(answer_verdict(fresh_and({{"Content-Range", "bytes 0-4/10"}}), 206), shared, fresh);
  for (const std::string place : {"bytes 0-4/*", "bytes */10", "bytes 4-0/10", "bytes 0-10/10", "lines 0-4/10", "x"})
    EXPECT_REFUSED(answer_verdict(fresh_and({{"Content-Range", place}}), 206), status);
  EXPECT_REFUSED(
      answer_verdict(
          fresh_and({{"Content-Range", "bytes 0-4/10"}, {"Content-Type", "Multipart/ByteRanges; boundary=x"}}), 206),
      status);
  EXPECT_REFUSED(answer_verdict(fresh_and({{"Content-Range", "bytes 0-4/10"}, {"Content-Range", "bytes 5-9/10"}}), 206),
                 status);
  EXPECT_REFUSED(answer_verdict(fresh_and({{"Content-Type", "multipart/byteranges; boundary=x"}}), 206), status);
}

// RFC 9110 sections 9.3.2 and 9.3.3.
TEST(MayStore, Methods) {
  for (const std::string method : {"HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "M-SEARCH"})
    EXPECT_REFUSED(verdict({.response_fields = kFresh, .method = method}), method);
  const auto post = [](const Fields& fields, int status = 200) {
    return verdict({.response_fields = fields, .status = status, .method = "POST", .has_body = true});
  };
  EXPECT_REFUSED(post(kFresh), method);
  EXPECT_KEPT(post(fresh_and({{"Content-Location", "/path?q=1"}})), shared, fresh);
  EXPECT_KEPT(post(fresh_and({{"Content-Location", "http://www.example.com/path?q=1"}})), shared, fresh);
  EXPECT_REFUSED(post(fresh_and({{"Content-Location", "/path?q=2"}})), method);
  EXPECT_REFUSED(post(fresh_and({{"Content-Location", "https://www.example.com/path?q=1"}})), method);
  EXPECT_REFUSED(post(fresh_and({{"Content-Location", "http://"}})), method);
  EXPECT_REFUSED(post(fresh_and({{"Content-Location", "/path?q=1"}}), 404), method);
  EXPECT_REFUSED(post({{"Content-Location", "/path?q=1"}, {"Last-Modified", date(-std::chrono::hours{9})}}), method);
}

// RFC 9111 section 4.1.
TEST(MayStore, VaryStar_IsNotKept) {
  EXPECT_REFUSED(answer_verdict(fresh_and({{"Vary", "*"}})), vary_star);
  EXPECT_REFUSED(answer_verdict(fresh_and({{"Vary", ""}, {"Vary", "Foo, *"}})), vary_star);
  EXPECT_REFUSED(
      verdict({.request_fields = {{"Foo", std::string(9000, 'x')}}, .response_fields = fresh_and({{"Vary", "Foo"}})}),
      vary_too_much);
}

// HOSTILE, row framing.
TEST(MayStore, DoubtfulFraming_IsNotKept) {
  EXPECT_REFUSED(answer_verdict(fresh_and({{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}})), framing);
}

// HOSTILE, row privacy.
TEST(MayStore, SiteOnTheNeverKeepList_NothingIsKept) {
  CacheRules rules;
  rules.never_keep = true;
  EXPECT_REFUSED(verdict({.response_fields = {{"Cache-Control", "public, max-age=60"}}, .rules = rules}), never_keep);
}

TEST(Words, EveryStoreReasonHasItsSentence) {
  for (int i = 0; i <= static_cast<int>(R::never_keep); ++i) EXPECT_NE(words(static_cast<R>(i)), "") << i;
}

}  // namespace
}  // namespace outrider
