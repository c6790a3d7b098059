#include "cache/policy_combine.hpp"

#include "tests/unit/cache/policy_samples.hpp"

#include <gtest/gtest.h>

#include <random>

namespace outrider {
namespace {

using namespace samples;

const Fields kTag{{"ETag", "\"a\""}};

std::vector<const StoredHead*> pointers(const std::vector<StoredHead>& heads) {
  std::vector<const StoredHead*> list;
  for (const StoredHead& head : heads) list.push_back(&head);
  return list;
}

// RFC 9110 section 15.3.7.3.
TEST(Combinable, OnlyWithTheSameStrongValidatorAndLength) {
  EXPECT_TRUE(combinable(stored_part(0, 5, 10, kTag), stored_part(5, 5, 10, kTag)));
  EXPECT_TRUE(combinable(stored_part(0, 5, 10, kTag), stored(kTag, 10)));
  EXPECT_FALSE(combinable(stored_part(0, 5, 10, kTag), stored_part(5, 5, 10, {{"ETag", "\"b\""}})));
  EXPECT_FALSE(combinable(stored_part(0, 5, 10, kTag), stored_part(5, 5, 11, kTag)));
  EXPECT_FALSE(combinable(stored_part(0, 5, 10, {{"ETag", "W/\"a\""}}), stored_part(5, 5, 10, {{"ETag", "W/\"a\""}})));
  EXPECT_FALSE(combinable(stored_part(0, 5, 10), stored_part(5, 5, 10)));
  const Fields modified{{"Last-Modified", date(-Seconds{60})}};
  EXPECT_TRUE(combinable(stored_part(0, 5, 10, modified), stored_part(5, 5, 10, modified)));
  EXPECT_FALSE(combinable(stored_part(0, 5, 10, {{"ETag", "\"a\""}, {"Content-Encoding", "gzip"}}),
                          stored_part(5, 5, 10, kTag)));
  StoredHead odd = stored_part(5, 5, 10, kTag);
  odd.range->combinable = false;
  EXPECT_FALSE(combinable(stored_part(0, 5, 10, kTag), odd));
}

TEST(PiecesFor, Table) {
  const std::vector<StoredHead> parts = {stored_part(0, 5, 20, kTag), stored_part(3, 7, 20, kTag),
                                         stored_part(15, 5, 20, kTag)};
  const auto pieces = [&parts](ByteRange wanted) { return pieces_for(pointers(parts), wanted); };
  EXPECT_EQ(pieces({1, 2}), (std::vector<Piece>{{0, 1, 2}}));
  EXPECT_EQ(pieces({0, 9}), (std::vector<Piece>{{0, 0, 5}, {1, 2, 5}}));
  EXPECT_EQ(pieces({4, 9}), (std::vector<Piece>{{1, 1, 6}}));
  EXPECT_EQ(pieces({16, 19}), (std::vector<Piece>{{2, 1, 4}}));
  EXPECT_TRUE(pieces({0, 10}).empty());
  EXPECT_TRUE(pieces({9, 15}).empty());
  EXPECT_TRUE(pieces({14, 19}).empty());
  EXPECT_TRUE(pieces_for({}, {0, 1}).empty());
}

// Whatever parts there are: the pieces give exactly the bytes that were asked for, or there is a byte that no part has.
TEST(PiecesFor, ManyRandomParts_GiveTheRightBytes) {
  std::mt19937 random{1};
  std::string text;
  for (int i = 0; i < 40; ++i) text += static_cast<char>('A' + i);
  for (int round = 0; round < 3000; ++round) {
    std::vector<StoredHead> parts;
    std::vector<bool> covered(text.size());
    for (std::size_t n = 1 + random() % 5; n > 0; --n) {
      const std::size_t first = random() % text.size();
      const std::size_t length = 1 + random() % (text.size() - first);
      parts.push_back(stored_part(first, length, text.size(), kTag));
      for (std::size_t i = 0; i < length; ++i) covered[first + i] = true;
    }
    const std::uint64_t first = random() % text.size();
    const ByteRange wanted{first, first + random() % (text.size() - first)};
    bool all = true;
    for (std::size_t i = wanted.first; i <= wanted.last; ++i) all = all && covered[i];
    std::string got;
    for (const Piece& piece : pieces_for(pointers(parts), wanted))
      got += text.substr(parts[piece.part].range->first + piece.offset, piece.length);
    ASSERT_EQ(got, all ? text.substr(wanted.first, wanted.length()) : "");
  }
}

TEST(WhatIsMissing, Table) {
  struct Case {
    std::vector<StoredHead> parts;
    ByteRange wanted;
    std::string range;  // "" = nothing is to be asked for
  };
  for (const Case& c : std::vector<Case>{
           {{stored_part(0, 5, 10, kTag)}, {0, 9}, "bytes=5-"},
           {{stored_part(5, 5, 10, kTag)}, {0, 9}, "bytes=0-4"},
           {{stored_part(2, 3, 10, kTag)}, {0, 9}, "bytes=0-"},
           {{stored_part(0, 2, 10, kTag), stored_part(8, 2, 10, kTag)}, {0, 9}, "bytes=2-7"},
           {{stored_part(0, 2, 10, kTag), stored_part(4, 1, 10, kTag), stored_part(8, 2, 10, kTag)},
            {0, 9},
            "bytes=2-7"},
           {{stored_part(0, 5, 10, kTag)}, {2, 7}, "bytes=5-7"},
           {{stored_part(0, 5, 10, kTag)}, {1, 4}, ""},  // all there
           {{stored_part(0, 5, 10, kTag)}, {6, 9}, ""},
           {{stored_part(0, 2, 10, kTag), stored_part(2, 2, 10, kTag)}, {6, 9}, ""},  // nothing of it there
           {{stored_part(0, 5, 10)}, {0, 9}, ""},  // no validator: nobody could tell what belongs together
           {{stored_part(0, 5, 10, {{"ETag", "W/\"a\""}})}, {0, 9}, ""},
           {{}, {0, 9}, ""},
       }) {
    const auto missing = what_is_missing(pointers(c.parts), c.wanted);
    EXPECT_EQ(missing ? missing->range : "", c.range);
    if (missing) {
      EXPECT_EQ(missing->if_range, "\"a\"");
    }
  }
}

}  // namespace
}  // namespace outrider
