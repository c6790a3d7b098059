// The query language: docs/search.md.
#include "cache/search_query.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

const WallTime kNow = WallTime{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16}} + std::chrono::hours{12};

WallTime day(int y, unsigned m, unsigned d) {
  return WallTime{std::chrono::sys_days{std::chrono::year{y} / static_cast<int>(m) / static_cast<int>(d)}};
}

SearchQuery parsed(std::string_view text) {
  return parse_search_query(text, kNow).value();
}

TEST(SearchQuery, WordsPhrasesAndNots_AreToldApart) {
  const SearchQuery query = parsed("  red \"green  blue\" -white -\"pale pink\" ");
  ASSERT_EQ(query.words.size(), 4u);
  EXPECT_EQ(query.words[0].text, "red");
  EXPECT_FALSE(query.words[0].phrase);
  EXPECT_EQ(query.words[1].text, "green  blue");
  EXPECT_TRUE(query.words[1].phrase);
  EXPECT_TRUE(query.words[2].excluded);
  EXPECT_EQ(query.words[2].text, "white");
  EXPECT_TRUE(query.words[3].excluded && query.words[3].phrase);
}

TEST(SearchQuery, PlaceOfAWord_IsWhereItStandsInTheText) {
  const SearchQuery query = parsed("+one „zwei drei“ vier*");
  for (const QueryWord& word : query.words) EXPECT_EQ(query.text.substr(word.begin, word.end - word.begin), word.text);
  ASSERT_EQ(query.words.size(), 3u);
  EXPECT_EQ(query.words[1].text, "zwei drei");
  EXPECT_TRUE(query.words[2].prefix);
}

TEST(SearchQuery, OpenQuote_EndsWithTheQuery) {
  const SearchQuery query = parsed("say \"to be or");
  ASSERT_EQ(query.words.size(), 2u);
  EXPECT_EQ(query.words[1].text, "to be or");
}

TEST(SearchQuery, CapitalOr_JoinsItsNeighbours) {
  const SearchQuery query = parsed("cat OR dog or bird AND fish");
  ASSERT_EQ(query.words.size(), 5u);
  EXPECT_TRUE(query.words[1].or_before);
  EXPECT_EQ(query.words[2].text, "or");
  EXPECT_FALSE(query.words[2].or_before);
  EXPECT_FALSE(parsed("-cat OR dog").words[1].or_before);
  EXPECT_EQ(parsed("OR").words.size(), 1u);
}

TEST(SearchQuery, Filters_AreNotWords) {
  const SearchQuery query = parsed("Site:Example.ORG lang:de -type:pdf link:https://a.example/X?Y visited:yes");
  EXPECT_TRUE(query.words.empty());
  EXPECT_FALSE(query.asks_nothing);
  EXPECT_EQ(query.wanted.sites, std::vector<std::string>{"example.org"});
  EXPECT_EQ(query.wanted.languages, std::vector<std::string>{"de"});
  EXPECT_EQ(query.excluded.types, std::vector<std::string>{"pdf"});
  EXPECT_EQ(query.wanted.links, std::vector<std::string>{"https://a.example/X?Y"});
  EXPECT_EQ(query.visited, true);
}

TEST(SearchQuery, UnknownPrefix_IsAWord) {
  const SearchQuery query = parsed("std::vector 12:30 http://example.org/");
  ASSERT_EQ(query.words.size(), 3u);
  EXPECT_EQ(query.words[0].text, "std::vector");
}

TEST(SearchQuery, Dates_MeanTheirBeginning) {
  EXPECT_EQ(parsed("before:2024").fetched.until, day(2024, 1, 1));
  EXPECT_EQ(parsed("after:2024-05").fetched.from, day(2024, 5, 1));
  EXPECT_EQ(parsed("after:2024-05-31").fetched.from, day(2024, 5, 31));
  EXPECT_EQ(parsed("after:7d").fetched.from, kNow - std::chrono::days{7});
  const SearchQuery visited = parsed("visited:2024-02");
  EXPECT_EQ(visited.visited, true);
  EXPECT_EQ(visited.visits.from, day(2024, 2, 1));
  EXPECT_EQ(visited.visits.until, day(2024, 3, 1));
  EXPECT_EQ(parsed("visited:yesterday").visits.until, day(2026, 11, 16));
}

TEST(SearchQuery, WhatCannotBeMeant_IsSaid) {
  for (const char* text : {"before:soon", "after:2024-13", "before:2023-02-29", "visited:maybe",
                           "site:", "-visited:week", "after:99999999999d", "before:2024-1-1"})
    EXPECT_FALSE(parse_search_query(text, kNow).has_value()) << text;
  const auto too_long = parse_search_query(std::string(kMaxQueryBytes + 1, 'a'), kNow);
  ASSERT_FALSE(too_long.has_value());
  EXPECT_EQ(too_long.error().kind, ErrorKind::invalid_argument);
}

TEST(SearchQuery, NumberOfParts_IsLimited) {
  std::string many;
  for (int i = 0; i < 200; ++i) many += "w" + std::to_string(i) + " ";
  EXPECT_EQ(parsed(many).words.size(), kMaxQueryParts);
}

TEST(SearchQuery, NothingButSpaceAndSigns_AsksNothing) {
  for (const char* text : {"", "   ", "-", "+ -", "\"\"", "*", "\xE3\x80\x80"})
    EXPECT_TRUE(parsed(text).asks_nothing) << text;
}

TEST(SearchQuery, BytesThatAreNoUtf8_AreReplaced) {
  EXPECT_EQ(parsed("a\xFF"
                   "b")
                .words.at(0)
                .text,
            "a\xEF\xBF\xBD"
            "b");
}

}  // namespace
}  // namespace outrider
