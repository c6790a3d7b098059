#include "cache/graph_keys.hpp"

#include <gtest/gtest.h>

namespace outrider::graph {
namespace {

TEST(GraphKeys, Page_IsNamedByItsAddress_WithoutFragmentAndPassword) {
  const std::string resource = resource_of("https://user:secret@www.example.com:8443/a?b=c#d");
  EXPECT_EQ(url_of(resource), "https://www.example.com:8443/a?b=c");
  EXPECT_EQ(resource, resource_of("https://www.example.com:8443/a?b=c"));
  EXPECT_EQ(url_of(resource_of("http://[::1]/")), "http://[::1]/");
  EXPECT_EQ(resource_of("mailto:a@b"), "");
  EXPECT_EQ(resource_of("nonsense"), "");
}

TEST(GraphKeys, Site_IsOneRange_ThatNoNeighbourIsIn) {
  const std::string site = site_of("Example.com");
  EXPECT_TRUE(resource_of("https://example.com/").starts_with(site));
  EXPECT_TRUE(resource_of("http://a.b.example.com:81/x").starts_with(site));
  EXPECT_FALSE(resource_of("https://example.community/").starts_with(site));
  EXPECT_FALSE(resource_of("https://notexample.com/").starts_with(site));
  EXPECT_EQ(site_of("no host/"), "");
  EXPECT_EQ(site_of(""), "");
}

TEST(GraphKeys, ResourceIsNoPrefixOfAnother) {
  const std::string one = resource_of("https://a.example/x");
  EXPECT_FALSE(resource_of("https://a.example/xy").starts_with(one));
  std::string two = one + resource_of("https://b.example/");
  std::string_view rest = two;
  EXPECT_EQ(take_resource(rest), one);
  EXPECT_EQ(take_resource(rest), resource_of("https://b.example/"));
  EXPECT_TRUE(rest.empty());
}

TEST(GraphKeys, Port_MayHoldTheBytesOfTheDelimiter) {
  const std::string odd = resource_of("http://a.example:1/x");  // port bytes NUL SOH
  std::string_view rest = odd;
  EXPECT_EQ(take_resource(rest), odd);
  EXPECT_EQ(url_of(odd), "http://a.example:1/x");
}

TEST(GraphKeys, Spaces_AreApart_WhateverUsersAreCalled) {
  using namespace std::string_literals;
  for (const std::string& user : {""s, "anna"s, "an\0na"s, "an\0\1na"s, "p"s, "o"s}) {
    const PageRef page{"https://a.example/", user, StorageClass::personal};
    const std::string key = space_of(page) + resource_of(page.url);
    const auto back = page_of(key);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->owner, user);
    EXPECT_EQ(back->url, page.url);
    EXPECT_EQ(back->storage, StorageClass::personal);
  }
  EXPECT_FALSE(personal_space("anna").starts_with(personal_space("ann")));
  EXPECT_FALSE(page_of("x"));
  EXPECT_FALSE(page_of(""));
}

TEST(GraphKeys, NumbersSortLikeNumbers_AndHexComesBack) {
  std::string small, large;
  append_number(small, 255);
  append_number(large, 256);
  EXPECT_LT(small, large);
  EXPECT_EQ(number_at_end("x" + large), 256u);
  EXPECT_EQ(from_hex(to_hex(large)), large);
  EXPECT_FALSE(from_hex("abc"));
  EXPECT_FALSE(from_hex("zz"));
  EXPECT_EQ(behind("ab"), "ac");
  EXPECT_EQ(behind("a\xff"), "b");
  EXPECT_FALSE(behind("\xff"));
}

}  // namespace
}  // namespace outrider::graph
