#include "proxy/plugin_switches.hpp"

#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct PluginSwitchesTest : ::testing::Test {
  testing::SecretFolder folder;
  PluginSwitches switches{folder.path() / "switches.json"};
};

TEST_F(PluginSwitchesTest, NothingIsSaid_Works) {
  EXPECT_TRUE(switches.is_on("a", ""));
  EXPECT_TRUE(switches.is_on("a", "bank.example"));
}

TEST_F(PluginSwitchesTest, SiteOfTheConfiguration_WinsOverASwitchForEverywhere) {
  switches.set_defaults({}, {"a bank.example"});
  ASSERT_TRUE(switches.turn("a", "", true));
  EXPECT_FALSE(switches.is_on("a", "bank.example"));
  EXPECT_FALSE(switches.is_on("a", "www.bank.example"));
  EXPECT_TRUE(switches.is_on("a", "other.example"));
}

TEST_F(PluginSwitchesTest, OnSomewhere_OneSiteIsEnough) {
  ASSERT_TRUE(switches.turn("a", "", false));
  EXPECT_FALSE(switches.is_on_somewhere("a"));
  ASSERT_TRUE(switches.turn("a", "bank.example", true));
  EXPECT_TRUE(switches.is_on_somewhere("a"));
  switches.set_defaults({"b"}, {"b bank.example"});
  EXPECT_FALSE(switches.is_on_somewhere("b"));
  EXPECT_TRUE(switches.is_on_somewhere("c"));
}

// RFC 1034 section 3.1: "bank.example." is the same host, and browsers keep the dot.
TEST_F(PluginSwitchesTest, FinalDot_MakesNoOtherSite) {
  ASSERT_TRUE(switches.turn("a", "bank.example", false));
  EXPECT_FALSE(switches.is_on("a", "bank.example."));
  EXPECT_FALSE(switches.is_on("a", "www.bank.example."));
  switches.set_defaults({}, {"b shop.example."});
  EXPECT_FALSE(switches.is_on("b", "shop.example"));
  EXPECT_FALSE(switches.is_on("b", "shop.example."));
}

TEST_F(PluginSwitchesTest, SameSite_ThePersonWinsOverTheConfiguration) {
  switches.set_defaults({"b"}, {"a bank.example"});
  ASSERT_TRUE(switches.turn("a", "bank.example", true));
  EXPECT_TRUE(switches.is_on("a", "bank.example"));
  EXPECT_FALSE(switches.is_on("b", ""));
  ASSERT_TRUE(switches.turn("b", "", true));
  EXPECT_TRUE(switches.is_on("b", "x.example"));
}

TEST_F(PluginSwitchesTest, LongerName_WinsWhoeverSaidIt) {
  switches.set_defaults({}, {"a pay.bank.example"});
  ASSERT_TRUE(switches.turn("a", "bank.example", true));
  EXPECT_TRUE(switches.is_on("a", "www.bank.example"));
  EXPECT_FALSE(switches.is_on("a", "pay.bank.example"));
}

}  // namespace
}  // namespace outrider
