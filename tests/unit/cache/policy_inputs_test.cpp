#include "cache/policy_inputs.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace samples;

InputKind kind(std::string_view name) {
  return input_kind({header_id(name), name, "x"});
}

TEST(InputKind, Table) {
  for (const std::string_view name :
       {"Host", "User-Agent", "Accept", "Accept-Encoding", "Accept-Language", "Referer", "Cache-Control", "Pragma",
        "Range", "If-None-Match", "Sec-Fetch-Mode", "sec-ch-ua-platform", "Sec-GPC", "DNT", "Priority", "Via",
        "Upgrade-Insecure-Requests", "Accept-Charset"})
    EXPECT_EQ(kind(name), InputKind::harmless) << name;
  for (const std::string_view name :
       {"X-Requested-With", "X-CSRF-Token", "Foo", "RSC", "Content-Type", "Content-Encoding", "Location", "ETag",
        "Set-Cookie", "X-Robots-Tag", "Sec-Evil", "Next-Url", "X-Real-IP", "X-Forwarded-For", "Forwarded"})
    EXPECT_EQ(kind(name), InputKind::unknown) << name;
  for (const std::string_view name :
       {"X-Forwarded-Host", "x-forwarded-proto", "X-Forwarded-Scheme", "X-Forwarded-Prefix", "X-Original-URL",
        "X-Rewrite-URL", "X-HTTP-Method-Override", "X-Host", "X-Forwarded"})
    EXPECT_EQ(kind(name), InputKind::dangerous) << name;
}

// HOSTILE, row cache: unkeyed inputs.
TEST(UnkeyedInputs, TheWorstCounts_UnlessVaryNamesIt) {
  const HeaderMap poison = headers({{"Host", "h"}, {"X-Forwarded-Host", "evil"}, {"X-Requested-With", "x"}});
  EXPECT_EQ(unkeyed_inputs(headers({{"Host", "h"}}), {}), InputKind::harmless);
  EXPECT_EQ(unkeyed_inputs(headers({{"X-Forwarded-For", "6.6.6.6"}}), {}), InputKind::unknown);
  EXPECT_EQ(unkeyed_inputs(headers({{"Forwarded", "for=6.6.6.6"}}), {}), InputKind::unknown);
  EXPECT_EQ(unkeyed_inputs(headers({{"Forwarded", "for=6.6.6.6;Host=evil.example"}}), {}), InputKind::dangerous);
  EXPECT_EQ(unkeyed_inputs(headers({{"Forwarded", "for=a, proto=http"}}), {}), InputKind::dangerous);
  EXPECT_EQ(unkeyed_inputs(poison, {}), InputKind::dangerous);
  EXPECT_EQ(unkeyed_inputs(poison, headers({{"Vary", "x-forwarded-host"}})), InputKind::unknown);
  EXPECT_EQ(unkeyed_inputs(poison, headers({{"Vary", "X-Requested-With, X-Forwarded-Host"}})), InputKind::harmless);
}

TEST(IsSomebodys, Table) {
  struct Case {
    Fields request, response;
    bool somebodys;
  };
  for (const Case& c : std::vector<Case>{
           {{}, {{"Cache-Control", "max-age=9"}}, false},
           {{}, {{"Cache-Control", "max-age=9"}, {"Set-Cookie", "a=b"}}, true},
           {{}, {{"Cache-Control", "max-age=9"}, {"Set-Cookie2", "a=b"}}, true},
           {{}, {{"Cache-Control", "s-maxage=9"}, {"Set-Cookie", "a=b"}}, true},
           {{}, {{"Cache-Control", "max-age=9, public"}, {"Set-Cookie", "a=b"}}, false},
           {{{"Cookie", "a=b"}}, {{"Cache-Control", "max-age=9"}}, true},
           {{{"Cookie", "a=b"}}, {{"Cache-Control", "max-age=9, public"}}, false},
           {{{"Cookie", "a=b"}}, {{"Cache-Control", "s-maxage=9"}}, false},
           {{{"Origin", "https://a"}}, {}, false},
           {{{"Origin", "https://a"}}, {{"Access-Control-Allow-Origin", "*"}}, false},
           {{{"Origin", "https://a"}}, {{"Access-Control-Allow-Origin", "https://a"}}, true},
           {{{"Origin", "https://a"}}, {{"Access-Control-Allow-Origin", "https://a"}, {"Vary", "Origin"}}, false},
           {{}, {{"Access-Control-Allow-Origin", "https://a"}}, false},
       }) {
    const HeaderMap answer = headers(c.response);
    EXPECT_EQ(is_somebodys(headers(c.request), answer, parse_response_directives(answer)), c.somebodys)
        << ::testing::PrintToString(c.request) << ::testing::PrintToString(c.response);
  }
}

}  // namespace
}  // namespace outrider
