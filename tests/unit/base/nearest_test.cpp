#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace outrider {
namespace {

TEST(Nearest, Distance_CountsInsertRemoveReplaceAndSwap) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("serve", "serve"), 0u);
  EXPECT_EQ(edit_distance("serv", "serve"), 1u);
  EXPECT_EQ(edit_distance("sevre", "serve"), 1u) << "swapped neighbours are one slip";
  EXPECT_EQ(edit_distance("SERVE", "serve"), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, Misspelling_FindsTheKnownWord) {
  const std::vector<std::string> known = {"serve", "inspect", "config"};
  EXPECT_EQ(nearest("sreve", known), "serve");
  EXPECT_EQ(nearest("confg", known), "config");
  EXPECT_EQ(nearest("conf", known), "config") << "an unfinished word";
  EXPECT_EQ(suggestion("inpsect", known), ", did you mean \"inspect\"?");
}

TEST(Nearest, AnotherWord_FindsNothing) {
  const std::vector<std::string> known = {"serve", "inspect", "config"};
  EXPECT_EQ(nearest("banana", known), std::nullopt);
  EXPECT_EQ(nearest("", known), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
  EXPECT_EQ(suggestion("banana", known), "");
  EXPECT_EQ(nearest(std::string(100000, 'a'), known), std::nullopt) << "no quadratic work for hostile words";
}

}  // namespace
}  // namespace outrider
