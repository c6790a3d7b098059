#include "webui/paging.hpp"

#include <gtest/gtest.h>

namespace outrider::webui {
namespace {

ApiRequest asking(std::string_view query) {
  ApiRequest request;
  request.query = parse_query(query);
  return request;
}

TEST(Paging, LimitAndCursor_ComeFromTheQuery) {
  const Result<Page> page = page_of(asking("limit=7&cursor=x%20y"), 50, 100);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->limit, 7U);
  EXPECT_EQ(page->cursor, "x y");
  EXPECT_EQ(page_of(asking(""), 50, 100)->limit, 50U);
}

TEST(Paging, LimitsThatMakeNoSense_AreRefused) {
  for (const std::string_view query :
       {"limit=0", "limit=101", "limit=-1", "limit=x", "limit=", "limit=1e3", "limit=99999999999999999999"})
    EXPECT_FALSE(page_of(asking(query), 50, 100)) << query;
}

TEST(Times, AreReadAsTheyAreShown) {
  const WallTime time{std::chrono::seconds{1'790'000'000}};
  EXPECT_EQ(shown(time), "2026-09-21T14:13:20.000Z");
  EXPECT_EQ(parse_time("2026-09-21T14:13:20Z"), time);
  EXPECT_EQ(parse_time(shown(time)), time);
  EXPECT_EQ(parse_time("1790000000"), time);
  EXPECT_EQ(parse_time("2026-09-21"), time - std::chrono::seconds{14 * 3600 + 13 * 60 + 20});
}

TEST(Times, WhatIsNone_IsRefused) {
  for (const std::string_view text :
       {"", "yesterday", "2026-13-01", "2026-02-30", "2026-09-21T25:00:00Z", "2026-09-21T14:13:20", "2026-09-2", "-5",
        "2026-09-21 14:13:20Z", "999999999999999999"})
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
}

TEST(Problems, AreDocumentsWithTypeTitleStatusAndDetail) {  // RFC 9457 section 3.1
  const ApiReply reply = problem_of(Error{ErrorKind::invalid_argument, Side::client, "say \"why\""});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.content_type, "application/problem+json");
  EXPECT_EQ(reply.body,
            "{\"type\":\"https://outrider.internal/problems/bad-request\",\"title\":\"The request is not understood\","
            "\"status\":400,\"detail\":\"say \\\"why\\\"\"}\n");
  EXPECT_EQ(problem_of(Error{ErrorKind::not_found, Side::client, ""}).status, 404);
  EXPECT_EQ(problem_of(Error{ErrorKind::rule_denied, Side::self, ""}).status, 409);
  EXPECT_EQ(problem_of(Error{ErrorKind::busy, Side::self, ""}).status, 503);
  EXPECT_EQ(problem_of(Error{ErrorKind::io, Side::self, ""}).status, 500);
}

}  // namespace
}  // namespace outrider::webui
