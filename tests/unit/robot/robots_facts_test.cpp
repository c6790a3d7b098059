// The public facts about robots.txt: what RFC 9309 demands, and what independent matchers agree on for real files.
#include "robot/robots_inspect.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace outrider {
namespace {

namespace json = boost::json;
const std::filesystem::path kFolder = std::filesystem::path(OUTRIDER_TEST_DATA) / "robots";

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

json::array facts_of(std::string_view name) {
  return json::parse(read(kFolder / name)).as_array();
}

// Through the same door as the command: one line of NDJSON.
TEST(RobotsFacts, WhatTheRfcDemandsAndOthersTolerate) {
  if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no test data";
  const json::array facts = facts_of("facts.json");
  int checked = 0;
  for (const json::value& value : facts) {
    json::object fact = value.as_object();
    if (fact.at("class") == json::value("disputed")) continue;  // the tolerance that others have is ours, too
    const bool expected = fact.at("allowed").as_bool();
    fact.erase("allowed");
    const json::object answer = json::parse(inspect_robots_ndjson_line(json::serialize(fact))).as_object();
    ASSERT_TRUE(answer.contains("allowed")) << json::serialize(fact);
    EXPECT_EQ(answer.at("allowed").as_bool(), expected) << json::serialize(fact);
    ++checked;
  }
  EXPECT_GT(checked, 200);
}

// Where the RFC's words and a widely used matcher differ we keep to the RFC: both sides are compared in one spelling.
TEST(RobotsFacts, DisputedOnes_ByTheRfc) {
  if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no test data";
  const json::array facts = facts_of("facts.json");
  for (const json::value& value : facts) {
    const json::object& fact = value.as_object();
    if (fact.at("class") != json::value("disputed") || fact.at("source") != json::value("RFC 9309")) continue;
    const json::object answer = json::parse(inspect_robots_ndjson_line(json::serialize(fact))).as_object();
    EXPECT_EQ(answer.at("allowed"), fact.at("allowed")) << json::serialize(fact);
  }
}

TEST(RobotsFacts, RealFiles_WhereIndependentMatchersAgree) {
  if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no test data";
  int checked = 0;
  const json::array facts = facts_of("real-facts.json");
  for (const json::value& value : facts) {
    const json::object& fact = value.as_object();
    if (!fact.at("agreed").as_bool()) continue;
    const std::string robots = read(kFolder / std::string(fact.at("robots_file").as_string()));
    const json::object answer = inspect_robots(robots, std::string_view(fact.at("agent").as_string()),
                                               std::string_view(fact.at("url").as_string()));
    EXPECT_EQ(answer.at("allowed"), fact.at("allowed")) << json::serialize(fact) << json::serialize(answer);
    ++checked;
  }
  EXPECT_GT(checked, 2000);
}

TEST(RobotsFacts, LinesThatAreNoQuestion_AreAnsweredWithAnError) {
  for (std::string_view line :
       {"", "x", "[]", "{}", R"({"robots":"","agent":"a"})", R"({"robots_b64":"!","agent":"a","url":"/"})"}) {
    EXPECT_TRUE(json::parse(inspect_robots_ndjson_line(line)).as_object().contains("error")) << line;
  }
}

}  // namespace
}  // namespace outrider
