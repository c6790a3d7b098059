// What meets under one key, and above all what never does.
#include "base/canonical_key.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string key(std::string_view input, const CanonicalOptions& options = {}) {
  const Result<Url> url = Url::parse(input);
  if (!url) return "failure";
  const std::string out = canonical_key(*url, options);
  const Result<Url> again = Url::parse(out);  // every test also checks that the key is its own key
  EXPECT_TRUE(again) << out;
  if (again) {
    EXPECT_EQ(again->href(), out);
    EXPECT_EQ(canonical_key(*again, options), out);
  }
  return out;
}

CanonicalOptions everything() {
  CanonicalOptions options;
  options.drop_directory_index = options.drop_trailing_slash = options.sort_query = true;
  return options;
}

TEST(CanonicalKey, Always_FragmentDefaultPortDotSegmentsAndEmptyQueryVanish) {
  EXPECT_EQ(key("HTTP://Example.com:80/a/./b/../c?#frag"), "http://example.com/a/c");
  EXPECT_EQ(key("https://example.com:443"), "https://example.com/");
  EXPECT_EQ(key("foo:bar?#x"), "foo:bar");
  EXPECT_EQ(key("foo:bar?a#x"), "foo:bar?a");
  EXPECT_EQ(key("mailto:a@b#x"), "mailto:a@b");
}

TEST(CanonicalKey, NeverMerged_WhateverTheOptions) {
  const std::pair<const char*, const char*> different[] = {
      {"http://example.com/", "https://example.com/"},
      {"http://example.com/", "http://www.example.com/"},
      {"http://example.com/", "http://example.com./"},
      {"http://example.com/", "http://example.com:8080/"},
      {"http://user@example.com/", "http://example.com/"},
      {"http://example.com/Page", "http://example.com/page"},
      {"http://example.com/a%2Fb", "http://example.com/a/b"},
      {"http://example.com/a%3Fb", "http://example.com/a?b"},
      {"http://example.com/a%3Bb", "http://example.com/a;b"},
      {"http://example.com/?a=b%26c", "http://example.com/?a=b&c"},
      {"http://example.com/?a%3Db", "http://example.com/?a=b"},
      {"http://example.com/?q=a+b", "http://example.com/?q=a%20b"},
      {"http://example.com/?q=a+b", "http://example.com/?q=a%2Bb"},
      {"http://example.com/?a=1&a=2", "http://example.com/?a=2&a=1"},
      {"http://example.com/?a", "http://example.com/?a="},
      {"http://example.com/?A=1", "http://example.com/?a=1"},
      {"http://example.com/?a=X", "http://example.com/?a=x"},
      {"http://example.com/a//b", "http://example.com/a/b"},
      {"http://example.com/a//", "http://example.com/a/"},
      {"http://example.com//", "http://example.com/"},
      {"http://example.com/%257E", "http://example.com/%7E"},
      {"http://example.com/%%37E", "http://example.com/%7E"},
      {"http://example.com/a%00", "http://example.com/a"},
      {"http://example.com/a?b&&c", "http://example.com/a?b&c"},
      {"http://example.com/a;v=1", "http://example.com/a;v=2"},
      {"http://example.com/a;v=1", "http://example.com/a"},
      {"http://example.com/?sid=1234", "http://example.com/"},
      {"http://example.com/?sid=a-story-about-x", "http://example.com/"},
      {"http://example.com/a/..;jsessionid=1", "http://example.com/"},
      {"http://example.com/index.html.bak", "http://example.com/"},
      {"http://example.com/?utm=1", "http://example.com/"},
      {"http://example.com/?clid=1", "http://example.com/"},
  };
  for (const auto& [a, b] : different) {
    EXPECT_NE(key(a), key(b)) << a << " and " << b;
    EXPECT_NE(key(a, everything()), key(b, everything())) << a << " and " << b;
  }
}

TEST(CanonicalKey, NotMergedByDefault_OnlyOnRequest) {
  const std::pair<const char*, const char*> pairs[] = {
      {"http://example.com/a/", "http://example.com/a"},
      {"http://example.com/a/index.html", "http://example.com/a/"},
      {"http://example.com/?b=2&a=1", "http://example.com/?a=1&b=2"},
  };
  for (const auto& [a, b] : pairs) {
    EXPECT_NE(key(a), key(b)) << a;
    EXPECT_EQ(key(a, everything()), key(b, everything())) << a;
  }
}

TEST(CanonicalKey, Percent_UnreservedAreDecodedAndDigitsAreUpperCase) {  // RFC 3986 section 6.2.2
  EXPECT_EQ(key("http://h/%7Euser/%41%2d%5F%2e?%61=%c3%a4"), "http://h/~user/A-_.?a=%C3%A4");
  EXPECT_EQ(key("http://h/%2fa%3f"), "http://h/%2Fa%3F");
  EXPECT_EQ(key("http://h/%zz%7E"), "http://h/%zz%7E");  // ambiguous: untouched
  EXPECT_EQ(key("http://h/%%37E"), "http://h/%%37E");
  CanonicalOptions options;
  options.decode_unreserved = false;
  EXPECT_EQ(key("http://h/%7Euser", options), "http://h/%7Euser");
}

TEST(CanonicalKey, TrackingParameters_AreDropped) {
  EXPECT_EQ(key("http://h/p?utm_source=x&id=7&UTM_Medium=y&fbclid=z&gclid"), "http://h/p?id=7");
  EXPECT_EQ(key("http://h/p?utm_source=x"), "http://h/p");
  EXPECT_EQ(key("http://h/p?%75tm_source=x&a=1"), "http://h/p?a=1");
  CanonicalOptions options;
  options.drop_tracking = false;
  EXPECT_EQ(key("http://h/p?utm_source=x", options), "http://h/p?utm_source=x");
  options.drop_tracking = true;
  options.tracking_parameters = {"ref"};
  EXPECT_EQ(key("http://h/p?utm_source=x&ref=y", options), "http://h/p?utm_source=x");
}

TEST(CanonicalKey, SessionIds_AreDropped) {
  EXPECT_EQ(key("http://h/p;jsessionid=1A2B?x=1"), "http://h/p?x=1");
  EXPECT_EQ(key("http://h/a;JSESSIONID=1;v=2/b;jsessionid=3"), "http://h/a;v=2/b");
  EXPECT_EQ(key("http://h/p?PHPSESSID=abc&x=1"), "http://h/p?x=1");
  EXPECT_EQ(key("http://h/p?ASPSESSIONIDQRST=abc"), "http://h/p");
  EXPECT_EQ(key("http://h/p?sid=0f1e2d3c4b5a69788796a5b4c3d2e1f0&t=5"), "http://h/p?t=5");
  EXPECT_EQ(key("http://h/p?sid=17"), "http://h/p?sid=17");
  EXPECT_EQ(key("http://h/a/..;jsessionid=1/x"), "http://h/a/..;jsessionid=1/x");  // would be a dot segment
  CanonicalOptions options;
  options.drop_session_ids = false;
  EXPECT_EQ(key("http://h/p;jsessionid=1?PHPSESSID=2", options), "http://h/p;jsessionid=1?PHPSESSID=2");
}

TEST(CanonicalKey, DirectoryIndexAndTrailingSlash) {
  CanonicalOptions options;
  options.drop_directory_index = true;
  EXPECT_EQ(key("http://h/a/INDEX.html?x", options), "http://h/a/?x");
  EXPECT_EQ(key("http://h/index.html", options), "http://h/");
  EXPECT_EQ(key("http://h/myindex.html", options), "http://h/myindex.html");
  options.drop_trailing_slash = true;
  EXPECT_EQ(key("http://h/a/index.html/index.php", options), "http://h/a");
  EXPECT_EQ(key("http://h/", options), "http://h/");
  EXPECT_EQ(key("http://h//", options), "http://h//");
  EXPECT_EQ(key("http://h/a//", options), "http://h/a//");
}

TEST(CanonicalKey, SortedQuery_KeepsTheOrderOfRepeatedParameters) {
  CanonicalOptions options;
  options.sort_query = true;
  EXPECT_EQ(key("http://h/?b=2&a=2&b=1&a=1&a", options), "http://h/?a=2&a=1&a&b=2&b=1");
}

TEST(CanonicalKey, SchemesOtherThanHttp_AreLeftAlone) {
  EXPECT_EQ(key("ftp://h/%7Ea/?utm_source=1", everything()), "ftp://h/%7Ea/?utm_source=1");
  EXPECT_EQ(key("data:text/plain,%7e?utm_source=1"), "data:text/plain,%7e?utm_source=1");
}

// A stray '%' in a parameter that is dropped must not keep the others from being written in the usual way: the key of
// the key would be another one.
TEST(CanonicalKey, StrayPercent_DecidesOnlyAboutItsOwnPiece) {
  const auto key = [](std::string_view text) { return canonical_key(*Url::parse(text)); };
  EXPECT_EQ(key("http://h/?a=%7E&utm_x=%l"), "http://h/?a=~");
  EXPECT_EQ(key("http://h/?a=%7E&b=%l"), "http://h/?a=~&b=%l");
  EXPECT_EQ(key("http://h/%7E;jsessionid=%l/b"), "http://h/~/b");
  EXPECT_EQ(key("http://h/%%37E/%7E"), "http://h/%%37E/~");
}

}  // namespace
}  // namespace outrider
