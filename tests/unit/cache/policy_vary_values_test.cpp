#include "cache/policy_vary_values.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using samples::Fields;
using samples::headers;

std::string normalised(const Fields& fields, std::string_view name) {
  VaryText text;
  normalise_value(headers(fields), header_id(name), name, text);
  return {text.data(), text.size()};
}

// RFC 9111 section 4.1: what differs only in spelling is the same.
TEST(NormaliseValue, Table) {
  struct Case {
    std::string name;
    std::vector<std::string> lines;
    std::string value;
  };
  for (const Case& c : std::vector<Case>{
           {"Foo", {}, ""},
           {"Foo", {""}, ","},
           {"Foo", {" , ,"}, ","},
           {"Foo", {"1"}, "1"},
           {"Foo", {"1, 2"}, "1,2"},
           {"Foo", {"1", "2"}, "1,2"},
           {"Foo", {"1 ,\t2 ,, "}, "1,2"},
           {"Foo", {"2, 1"}, "2,1"},
           {"Foo", {"A, b"}, "A,b"},
           {"Foo", {"\"a , b\" , c"}, "\"a , b\",c"},
           {"User-Agent", {"Mozilla/5.0 (X11; Linux) X/1"}, "Mozilla/5.0 (X11; Linux) X/1"},
           {"Accept-Language", {"en, de"}, "de,en"},
           {"Accept-Language", {"De,eN"}, "de,en"},
           {"Accept-Language", {"en-GB,en;q=0.9,de;q=0.8"}, "en-gb,en;q=0.9,de;q=0.8"},
           {"Accept-Language", {"de;q=0.80, en;q=0.9 , en-GB;q=1.000"}, "en-gb,en;q=0.9,de;q=0.8"},
           {"Accept-Language", {"en;q=0.005, de;q=0"}, "en;q=0.005,de;q=0"},
           {"Accept-Language", {"en;level=1, de"}, "en;level=1,de"},
           {"Accept-Encoding", {"gzip, deflate, BR"}, "br,deflate,gzip"},
           {"Accept-Encoding", {"gzip;q=x, br;Q=0.5"}, "gzip,br;q=0.5"},
       }) {
    Fields fields;
    for (const std::string& line : c.lines) fields.emplace_back(c.name, line);
    EXPECT_EQ(normalised(fields, c.name), c.value) << c.name << ::testing::PrintToString(c.lines);
  }
}

TEST(NormaliseValue, ThousandsOfElements_AreNotPutInOrder) {
  std::string many;
  for (int i = 100; i > 0; --i) many += "x" + std::to_string(i) + ",";
  EXPECT_EQ(normalised({{"Accept-Language", many}}, "Accept-Language"), many.substr(0, many.size() - 1));
}

// Credentials are compared, not kept.
TEST(NormaliseValue, Credentials_AreKeptAsADigest) {
  const std::string a = normalised({{"Cookie", "session=secret"}}, "Cookie");
  EXPECT_EQ(a, normalised({{"cookie", "session=secret"}}, "COOKIE"));
  EXPECT_NE(a, normalised({{"Cookie", "session=other"}}, "Cookie"));
  EXPECT_EQ(a.find("secret"), a.npos);
  EXPECT_EQ(a.size(), 7U + 64U);
  EXPECT_EQ(normalised({}, "Cookie"), "");
  EXPECT_EQ(normalised({{"Authorization", "Basic eDp5"}}, "Authorization").find("eDp5"), std::string::npos);
  EXPECT_EQ(normalised({{"X-Token", "eDp5"}}, "x-token").find("eDp5"), std::string::npos);
}

TEST(NormaliseValue, NoValueLooksLikeAMark) {
  for (const std::string text : {",*", ",~gzip", ",", ", ,*", "\",*\""}) {
    const std::string value = normalised({{"Foo", text}}, "Foo");
    EXPECT_TRUE(value == vary_mark::kEmpty || !value.starts_with(',')) << text;
  }
}

// RFC 9110 section 12.4.2.
TEST(WeightOf, Table) {
  const HeaderMap map = headers({{"Accept-Encoding", "gzip;q=0.5, br, deflate;q=0, *;q=0.001"}});
  EXPECT_EQ(weight_of(map, HeaderId::accept_encoding, "GZIP"), 500);
  EXPECT_EQ(weight_of(map, HeaderId::accept_encoding, "br"), 1000);
  EXPECT_EQ(weight_of(map, HeaderId::accept_encoding, "deflate"), 0);
  EXPECT_EQ(weight_of(map, HeaderId::accept_encoding, "zstd"), 1);
  EXPECT_EQ(weight_of(headers({{"Accept-Encoding", "gzip"}}), HeaderId::accept_encoding, "br"), 0);
  EXPECT_EQ(weight_of({}, HeaderId::accept_encoding, "br"), 0);
}

TEST(IsFavourite, Table) {
  const auto favourite = [](const std::string& field, std::string_view token) {
    return is_favourite(headers({{"Accept-Language", field}}), HeaderId::accept_language, token);
  };
  EXPECT_TRUE(favourite("de", "DE"));
  EXPECT_TRUE(favourite("fr;q=0.5, de;q=1.0", "de"));
  EXPECT_FALSE(favourite("fr, de", "de"));
  EXPECT_FALSE(favourite("de;q=0.5, fr", "de"));
  EXPECT_FALSE(favourite("de;q=0", "de"));
  EXPECT_FALSE(favourite("de-AT, en;q=0.5", "de"));
  EXPECT_FALSE(favourite("", "de"));
}

}  // namespace
}  // namespace outrider
