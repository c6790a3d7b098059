// What of the cache a question means.
#include "proxy/cache_control_port.hpp"

#include "cache/store_purge.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

bool means(const PurgeScopes& scopes, std::string_view url, std::string_view partition) {
  const Url parsed = *Url::parse(url);
  const CacheKey key = CacheKey::of(parsed, parsed.path_and_query(), partition, SipKey{});
  return std::any_of(scopes.begin(), scopes.end(),
                     [&](const PurgeScope& scope) { return Purge::covers(scope, key.bytes); });
}

TEST(CacheControlPort, a_person_means_his_own_copies_and_nobody_elses) {
  const auto scopes = parse_purge(R"({"user": "anna", "forget": true})", {});
  ASSERT_TRUE(scopes);
  EXPECT_TRUE(scopes->front().forget);
  EXPECT_TRUE(means(*scopes, "https://a.example/x?y", "anna"));
  for (const char* other : {"", "joanna", "annabel", "127.0.0.1 anna"})
    EXPECT_FALSE(means(*scopes, "https://a.example/anna", other)) << other;
}

// As in the memory: who does not log in is "" at this machine and "@ADDRESS" elsewhere. Their copies are named by
// address and browser.
TEST(CacheControlPort, nobody_means_who_is_at_this_machine) {
  const auto scopes = parse_purge(R"({"user": ""})", {});
  ASSERT_TRUE(scopes);
  for (const char* whose : {"127.0.0.1 Mozilla/5.0 (X11)", "::1 curl", "127.0.0.9 "})
    EXPECT_TRUE(means(*scopes, "https://a.example/x", whose)) << whose;
  for (const char* other : {"", "anna", "anna 127.0.0.1", "192.0.2.7 curl", "2001:db8::1 "})
    EXPECT_FALSE(means(*scopes, "https://a.example/x", other)) << other;
}

TEST(CacheControlPort, an_address_means_who_is_at_that_machine) {
  const auto scopes = parse_purge(R"({"user": "@192.0.2.7"})", {});
  ASSERT_TRUE(scopes);
  for (const char* whose : {"192.0.2.7 Mozilla/5.0 (X11)", "192.0.2.7 "})
    EXPECT_TRUE(means(*scopes, "https://a.example/x", whose)) << whose;
  for (const char* other : {"", "@192.0.2.7", "192.0.2.7", "192.0.2.77 curl", "127.0.0.1 curl"})
    EXPECT_FALSE(means(*scopes, "https://a.example/x", other)) << other;
}

TEST(CacheControlPort, everything_that_names_more_or_less_than_one_is_refused) {
  for (const char* question : {R"({"user": 1})", R"({"user": "anna", "site": "a.example"})", R"({"forget": true})"})
    EXPECT_FALSE(parse_purge(question, {})) << question;
}

TEST(CacheControlPort, a_site_means_the_copies_of_all) {
  const auto scopes = parse_purge(R"({"site": "a.example"})", {});
  ASSERT_TRUE(scopes);
  for (const char* whose : {"", "anna"}) EXPECT_TRUE(means(*scopes, "https://www.a.example/", whose));
  EXPECT_FALSE(means(*scopes, "https://b.example/", ""));
}

// One port is not the site: to throw everything away for it would be more than was asked for.
TEST(CacheControlPort, a_site_has_no_port_and_two_spellings) {
  for (const char* question :
       {R"({"site": "a.example:8080"})", R"({"site": "127.0.0.1:80"})", R"({"site": "[::1]:8"})"})
    EXPECT_FALSE(parse_purge(question, {})) << question;
  for (const char* question : {R"({"site": "a.example"})", R"({"site": "a.example."})"}) {
    const auto scopes = parse_purge(question, {});
    ASSERT_TRUE(scopes) << question;
    for (const char* url : {"http://a.example/", "http://a.example./", "https://www.a.example.:8/x"})
      EXPECT_TRUE(means(*scopes, url, "")) << question << url;
  }
}

TEST(CacheControlPort, a_prefix_with_backslashes_means_no_more_than_with_slashes) {
  for (const char* question :
       {R"({"prefix": "http://a.example\\news\\"})", R"({"prefix": "http:\\\\a.example\\news\\"})",
        R"({"prefix": "http:a.example/news/"})"}) {
    const auto scopes = parse_purge(question, {});
    ASSERT_TRUE(scopes) << question;
    EXPECT_TRUE(means(*scopes, "http://a.example/news/1", "")) << question;
    EXPECT_FALSE(means(*scopes, "http://a.example/other", "")) << question;
    EXPECT_FALSE(means(*scopes, "http://a.example/", "")) << question;
  }
}

}  // namespace
}  // namespace outrider
