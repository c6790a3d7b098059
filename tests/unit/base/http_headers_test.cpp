#include "base/http_headers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace outrider {
namespace {

std::string wire(const HeaderMap& map) {
  std::string text;
  map.append_wire(text);
  return text;
}

HeaderMap sample() {
  HeaderMap map;
  map.add("Host", "a.example");
  map.add("X-One", "1");
  map.add("accept", "text/html");
  map.add("x-one", "2");
  map.add("Cookie", "a=b");
  return map;
}

TEST(HttpHeaders, OrderAndCase_AreKept) {
  EXPECT_EQ(wire(sample()), "Host: a.example\r\nX-One: 1\r\naccept: text/html\r\nx-one: 2\r\nCookie: a=b\r\n");
}

TEST(HttpHeaders, Lookup_IgnoresCase) {
  const HeaderMap map = sample();
  EXPECT_EQ(map.find("HOST"), "a.example");
  EXPECT_EQ(map.find(HeaderId::accept), "text/html");
  EXPECT_EQ(map.find("X-ONE"), "1");
  EXPECT_EQ(map.find("x-two"), std::nullopt);
  EXPECT_EQ(map.find(HeaderId::via), std::nullopt);
  EXPECT_TRUE(map.has(HeaderId::cookie));
  EXPECT_FALSE(map.has("nothing"));
  EXPECT_EQ(map.count("x-One"), 2u);
  EXPECT_EQ(map.count(HeaderId::host), 1u);
  EXPECT_EQ(map.count(HeaderId::via), 0u);
}

TEST(HttpHeaders, Add_TrimsValues_AndWritesKnownNamesCanonically) {
  HeaderMap map;
  map.add(HeaderId::etag, " \t\"x\"\t ");
  map.add("Empty", "  ");
  EXPECT_EQ(wire(map), "ETag: \"x\"\r\nEmpty: \r\n");
  EXPECT_EQ(map.at(0).id, HeaderId::etag);
  EXPECT_EQ(map.at(1).value, "");
  EXPECT_EQ(map.bytes(), 4u + 3u + 5u);
}

TEST(HttpHeaders, Set_ReplacesTheFirst_RemovesTheRest) {
  HeaderMap map = sample();
  map.set("X-ONE", "a much longer value than before");
  EXPECT_EQ(wire(map),
            "Host: a.example\r\nX-One: a much longer value than before\r\naccept: text/html\r\nCookie: a=b\r\n");
  map.set("x-one", "s");
  map.set(HeaderId::host, "b.example:8080");
  map.set(HeaderId::via, "1.1 o");
  EXPECT_EQ(wire(map), "Host: b.example:8080\r\nX-One: s\r\naccept: text/html\r\nCookie: a=b\r\nVia: 1.1 o\r\n");
  EXPECT_EQ(map.bytes(), 4u + 14 + 5 + 1 + 6 + 9 + 6 + 3 + 3 + 5);
}

TEST(HttpHeaders, SetOfEveryLength_LeavesNeighboursAlone) {
  for (std::size_t length = 0; length < 20; ++length) {
    HeaderMap map = sample();
    const std::string value(length, 'v');
    map.set(HeaderId::accept, value);
    EXPECT_EQ(wire(map), "Host: a.example\r\nX-One: 1\r\naccept: " + value + "\r\nx-one: 2\r\nCookie: a=b\r\n");
    map.set(HeaderId::accept, "text/html");
    EXPECT_EQ(wire(map), wire(sample()));
  }
}

TEST(HttpHeaders, Remove_SaysHowMany) {
  HeaderMap map = sample();
  EXPECT_EQ(map.remove("X-one"), 2u);
  EXPECT_EQ(map.remove(HeaderId::cookie), 1u);
  EXPECT_EQ(map.remove(HeaderId::cookie), 0u);
  EXPECT_EQ(wire(map), "Host: a.example\r\naccept: text/html\r\n");
  EXPECT_EQ(map.bytes(), 4u + 9 + 6 + 9);
  map.clear();
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.bytes(), 0u);
  EXPECT_EQ(wire(map), "");
}

TEST(HttpHeaders, Arguments_MayPointIntoTheMap) {
  HeaderMap map;
  map.add("Location", std::string(300, 'x'));
  for (int i = 0; i < 20; ++i) {  // grows several times
    map.add(map.at(0).name, map.at(0).value);
    map.set("Copy", map.at(0).value);
    map.set(map.at(0).name, map.at(0).value.substr(1));
  }
  EXPECT_EQ(map.count(HeaderId::location), 1u);
  EXPECT_EQ(map.find("copy")->size(), 281u);
  EXPECT_EQ(*map.find("copy"), std::string(281, 'x'));
  EXPECT_EQ(*map.find("location"), std::string(280, 'x'));
}

TEST(HttpHeaders, Joined_UsesCommas) {  // RFC 9110 section 5.3
  HeaderMap map;
  map.add("Cache-Control", "no-cache");
  map.add("Via", "1.0 a");
  map.add("cache-control", "max-age=0");
  EXPECT_EQ(map.joined(HeaderId::cache_control), "no-cache, max-age=0");
  EXPECT_EQ(map.joined("VIA"), "1.0 a");
  EXPECT_EQ(map.joined("none"), "");
}

TEST(HttpHeaders, Lists_FindsTokensInAnyField) {
  HeaderMap map;
  map.add("Connection", "keep-alive, X-Foo");
  map.add("connection", "Upgrade");
  EXPECT_TRUE(map.lists(HeaderId::connection, "Keep-Alive"));
  EXPECT_TRUE(map.lists(HeaderId::connection, "x-foo"));
  EXPECT_TRUE(map.lists(HeaderId::connection, "upgrade"));
  EXPECT_FALSE(map.lists(HeaderId::connection, "close"));
  EXPECT_FALSE(map.lists(HeaderId::connection, "keep"));
  EXPECT_FALSE(map.lists(HeaderId::via, "close"));
}

TEST(HttpHeaders, ReleaseLarge_TakesNothingAway) {
  HeaderMap headers;
  headers.add("Cookie", std::string(60'000, 'c'));
  headers.release_large();
  EXPECT_EQ(headers.find("cookie")->size(), 60'000U) << "only what is empty";
  headers.clear();
  headers.release_large();
  EXPECT_TRUE(headers.empty());
  headers.add("Host", "x");
  EXPECT_EQ(headers.find(HeaderId::host), "x");
}

TEST(HttpHeaders, Each_VisitsInOrder) {
  HeaderMap map;
  map.add("Set-Cookie", "a=1");
  map.add("Host", "h");
  map.add("Set-Cookie", "b=2");
  std::vector<std::string> seen;
  map.each(HeaderId::set_cookie, [&](const HeaderField& field) { seen.emplace_back(field.value); });
  EXPECT_EQ(seen, (std::vector<std::string>{"a=1", "b=2"}));
}

// No field can end its line early, whoever put it there (RFC 9110 section 5.5).
TEST(HttpHeaders, LineBreaksAndNul_AreWrittenAsSpaces) {
  HeaderMap map;
  map.add("X", std::string_view{"a\r\nSet-Cookie: evil\0b", 21});
  map.add("Y\r\nZ", "v");
  EXPECT_TRUE(map.may_hold_control());
  EXPECT_EQ(wire(map), "X: a  Set-Cookie: evil b\r\nY  Z: v\r\n");
  HeaderMap replaced;
  replaced.add("X", "harmless");
  EXPECT_FALSE(replaced.may_hold_control());
  replaced.set("X", "a\nb");
  EXPECT_EQ(wire(replaced), "X: a b\r\n");
  HeaderMap tab;
  tab.add("X", "a\tb");
  EXPECT_EQ(wire(tab), "X: a\tb\r\n");
}

TEST(HttpHeaders, BuiltInPieces_IsTheSameAsAdded) {
  HeaderMap map;
  map.begin_field();
  map.append_name("Con");
  map.append_name("tent-Length");
  map.append_value(" \t4");
  map.append_value("2 ");
  map.append_value("");
  map.finish_field();
  map.begin_field();
  map.append_name("Empty");
  map.finish_field();
  EXPECT_EQ(map.at(0).id, HeaderId::content_length);
  EXPECT_EQ(map.at(0).value, "42");
  EXPECT_EQ(wire(map), "Content-Length: 42\r\nEmpty: \r\n");
  EXPECT_EQ(map.bytes(), 14u + 2 + 5);
}

TEST(HttpHeaders, CopiesAreIndependent_MovedFromIsEmpty) {
  HeaderMap map = sample();
  HeaderMap copy = map;
  copy.set("Host", "other.example.which.is.long");
  EXPECT_EQ(map.find("Host"), "a.example");
  HeaderMap moved = std::move(map);
  EXPECT_EQ(wire(moved), wire(sample()));
  EXPECT_TRUE(map.empty());  // NOLINT(bugprone-use-after-move): promised by the header
  map.add("A", "b");
  EXPECT_EQ(wire(map), "A: b\r\n");
  map = std::move(moved);
  EXPECT_EQ(wire(map), wire(sample()));
  EXPECT_TRUE(moved.empty());  // NOLINT(bugprone-use-after-move)
  moved.add("C", "d");
  EXPECT_EQ(wire(moved), "C: d\r\n");
  moved = copy;
  EXPECT_EQ(wire(moved), wire(copy));
}

TEST(HttpHeaders, TooLongAName_IsABugOfTheCaller) {
  HeaderMap map;
  map.add(std::string(65535, 'n'), "v");
  EXPECT_EQ(map.at(0).name.size(), 65535u);
  EXPECT_THROW(map.add(std::string(65536, 'n'), "v"), std::length_error);
}

}  // namespace
}  // namespace outrider
