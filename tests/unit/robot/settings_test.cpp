#include "robot/settings.hpp"

#include "base/config_loader.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

ConfigResult load(std::string_view toml) {
  ConfigSchema schema;
  schema.add<RobotSettings>();
  return load_config_text(schema, toml, "test.toml");
}

TEST(RobotSettings, UserAgent_NamesProductVersionAndContact) {
  RobotSettings settings;
  EXPECT_EQ(robot_user_agent(settings, "0.1"), "Outrider/0.1");
  settings.contact = "https://example.org/robot";
  EXPECT_EQ(robot_user_agent(settings, "0.1"), "Outrider/0.1 (+https://example.org/robot)");
}

// RFC 9309 section 2.2.1: a product token is letters, "-" and "_".
TEST(RobotSettings, Product_IsATokenThatRobotsTxtCanName) {
  EXPECT_TRUE(load("[robot]\nproduct = \"My-Bot_x\""));
  EXPECT_FALSE(load("[robot]\nproduct = \"My Bot\""));
  EXPECT_FALSE(load("[robot]\nproduct = \"Bot/2\""));
  EXPECT_FALSE(load("[robot]\nproduct = \"\""));
}

TEST(RobotSettings, Contact_CannotEndItsComment) {
  EXPECT_TRUE(load("[robot]\ncontact = \"mailto:me@example.org\""));
  EXPECT_FALSE(load("[robot]\ncontact = \"x) Evil/1.0 (\""));
}

// RFC 9309 section 2.4: not longer than 24 hours.
TEST(RobotSettings, RobotsLifetime_IsADayAtMost) {
  EXPECT_TRUE(load("[robot]\nrobots_lifetime = \"1d\""));
  EXPECT_FALSE(load("[robot]\nrobots_lifetime = \"2d\""));
}

TEST(RobotSettings, FirstBackoff_IsNotLongerThanTheLongest) {
  EXPECT_FALSE(load("[robot]\nbackoff_first = \"10m\"\nbackoff_longest = \"1m\""));
}

TEST(RobotSettings, NamesOfParameters_AreNotEmpty) {
  EXPECT_TRUE(load("[robot]\ntracking_parameters = [\"from\", \"utm_*\"]\nsession_parameters = []"));
  EXPECT_FALSE(load("[robot]\ntracking_parameters = [\"\"]"));
  EXPECT_FALSE(load("[robot]\nsession_parameters = [\"\"]"));
  EXPECT_FALSE(load("[robot]\ndirectory_index_names = [\"\"]"));
}

}  // namespace
}  // namespace outrider
