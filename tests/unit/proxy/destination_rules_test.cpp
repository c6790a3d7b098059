#include "proxy/destination_rules.hpp"

#include "base/config_loader.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

IpAddress ip(const char* text) {
  return boost::asio::ip::make_address(text);
}

std::shared_ptr<const DestinationRules> rules_for(const DestinationSettings& settings, bool personal = true) {
  Installation installation;
  installation.personal = personal;
  installation.own_ports = {8282};
  Result<std::shared_ptr<const DestinationRules>> rules = DestinationRules::create(settings, installation);
  EXPECT_TRUE(rules.has_value()) << (rules ? "" : rules.error().detail);
  return rules.value();
}

std::string problem(const DestinationSettings& settings) {
  const auto rules = DestinationRules::create(settings, Installation{});
  return rules ? "" : rules.error().detail;
}

TEST(DestinationRules, WithoutRules_APersonGoesAnywhere) {
  const auto rules = rules_for({});
  EXPECT_TRUE(rules->check("example.com", 80, false).has_value());
  EXPECT_TRUE(rules->check("localhost", 3000, false).has_value());
  EXPECT_TRUE(rules->check("example.com", 22, true).has_value()) << "a tunnel of one's own";
  EXPECT_TRUE(rules->policy_for_browser()->check(ip("192.168.1.1"), 80).has_value());
  EXPECT_TRUE(rules->policy_for_browser()->check(ip("127.0.0.1"), 80).has_value());
  EXPECT_FALSE(rules->policy_for_browser()->check(ip("127.0.0.1"), 8282).has_value()) << "never to ourselves";
  EXPECT_FALSE(rules->policy_for_browser()->check(ip("169.254.169.254"), 80).has_value());
}

TEST(DestinationRules, SharedInstallation_PublicInternetAndWebPorts) {
  const auto rules = rules_for({}, false);
  EXPECT_EQ(rules->policy_for_browser()->check(ip("192.168.1.1"), 80).error().kind, ErrorKind::address_denied);
  EXPECT_TRUE(rules->policy_for_browser()->check(ip("1.1.1.1"), 80).has_value());
  for (const std::uint16_t port : std::initializer_list<std::uint16_t>{80, 443, 8443})
    EXPECT_TRUE(rules->check("example.com", port, true).has_value()) << port;
  for (const std::uint16_t port : std::initializer_list<std::uint16_t>{0, 22, 25, 3306, 6667, 8080, 65535})
    EXPECT_FALSE(rules->check("example.com", port, true).has_value()) << port;
  EXPECT_TRUE(rules->check("example.com", 8080, false).has_value()) << "plain HTTP may go to other ports";
}

// https://fetch.spec.whatwg.org/#port-blocking: a POST to port 25 is a letter to somebody.
TEST(DestinationRules, PlainRequests_GoToNoBadPort) {
  const auto rules = rules_for({});
  for (const std::uint16_t port :
       std::initializer_list<std::uint16_t>{0, 1, 22, 25, 110, 465, 587, 6000, 6667, 10080}) {
    const Result<void> verdict = rules->check("example.com", port, false);
    ASSERT_FALSE(verdict.has_value()) << port;
    EXPECT_EQ(verdict.error().kind, ErrorKind::rule_denied);
  }
  for (const std::uint16_t port :
       std::initializer_list<std::uint16_t>{80, 81, 443, 591, 3000, 5000, 8000, 8080, 9200, 65535})
    EXPECT_FALSE(is_bad_port(port)) << port;
}

TEST(DestinationRules, Block_GivesTheRuleAsReason) {
  DestinationSettings settings;
  settings.block = {".ads.example", "*:8333"};
  const auto rules = rules_for(settings);
  const Result<void> verdict = rules->check("x.ads.example", 443, true);
  ASSERT_FALSE(verdict.has_value());
  EXPECT_EQ(verdict.error().kind, ErrorKind::rule_denied);
  EXPECT_EQ(verdict.error().detail, "blocked by rule \".ads.example\"");
  EXPECT_FALSE(rules->check("X.ADS.Example.", 443, true).has_value());
  EXPECT_FALSE(rules->check("example.org", 8333, false).has_value());
  EXPECT_TRUE(rules->check("example.org", 8334, false).has_value());
}

TEST(DestinationRules, MostSpecificDecides_AndBlockWhereTheyAreEqual) {
  DestinationSettings settings;
  settings.block = {"*", "secret.example.com", "both.example"};
  settings.allow = {".example.com", "both.example"};
  const auto rules = rules_for(settings);
  EXPECT_TRUE(rules->check("www.example.com", 443, true).has_value());
  EXPECT_FALSE(rules->check("secret.example.com", 443, true).has_value());
  EXPECT_FALSE(rules->check("other.example", 443, true).has_value());
  EXPECT_FALSE(rules->check("both.example", 443, true).has_value());
  EXPECT_FALSE(rules->check("1.2.3.4", 443, true).has_value());
}

TEST(DestinationRules, NamesThatResolveIntoABlockedNetwork_AreBlockedByThePolicy) {
  DestinationSettings settings;
  settings.block = {"203.0.112.0/24:443", "10.0.0.0/8"};
  settings.allow = {"10.1.0.0/16", "www.example.com"};
  const auto rules = rules_for(settings);
  const AddressPolicy& policy = *rules->policy_for_browser();
  EXPECT_EQ(policy.check(ip("203.0.112.9"), 443).error().kind, ErrorKind::rule_denied);
  EXPECT_TRUE(policy.check(ip("203.0.112.9"), 80).has_value());
  EXPECT_FALSE(policy.check(ip("10.2.0.1"), 80).has_value()) << "even for a name that is allowed";
  EXPECT_TRUE(policy.check(ip("10.1.0.1"), 80).has_value());
  EXPECT_FALSE(policy.check(ip("::ffff:10.2.0.1"), 80).has_value());
  EXPECT_FALSE(rules->check("10.2.0.1", 80, false).has_value()) << "and at once where the address is written out";
}

TEST(DestinationRules, PrivateAddresses_AsConfigured) {
  DestinationSettings settings;
  settings.private_addresses = PrivateAddresses::deny;
  settings.allow = {"10.0.0.5:8080"};
  const auto denied = rules_for(settings, true);
  EXPECT_FALSE(denied->policy_for_browser()->check(ip("192.168.1.1"), 80).has_value());
  EXPECT_TRUE(denied->policy_for_browser()->check(ip("10.0.0.5"), 8080).has_value()) << "an exception";
  EXPECT_FALSE(denied->policy_for_browser()->check(ip("10.0.0.5"), 80).has_value());
  settings.private_addresses = PrivateAddresses::allow;
  const auto allowed = rules_for(settings, false);
  EXPECT_TRUE(allowed->policy_for_browser()->check(ip("192.168.1.1"), 80).has_value());
}

TEST(DestinationRules, TheRobot_StaysOnThePublicInternet) {
  DestinationSettings settings;
  settings.private_addresses = PrivateAddresses::allow;
  settings.allow = {"10.0.0.0/8", "127.0.0.1", "8.8.8.8"};
  settings.block = {"8.8.0.0/16"};
  settings.robot_allow = {"192.168.7.0/24"};
  const AddressPolicy robot = *rules_for(settings, true)->policy_for_robot();
  EXPECT_TRUE(robot.check(ip("1.1.1.1"), 80).has_value());
  EXPECT_TRUE(robot.check(ip("192.168.7.9"), 80).has_value());
  EXPECT_FALSE(robot.check(ip("192.168.8.9"), 80).has_value());
  EXPECT_FALSE(robot.check(ip("10.0.0.1"), 80).has_value()) << "what was opened for people is not open for the robot";
  EXPECT_FALSE(robot.check(ip("127.0.0.1"), 80).has_value());
  EXPECT_FALSE(robot.check(ip("8.8.4.4"), 80).has_value()) << "what is blocked is blocked for the robot too";
  EXPECT_TRUE(robot.check(ip("8.8.8.8"), 80).has_value());
  settings.robot_allow = {"127.0.0.0/8"};
  const AddressPolicy at_home = *rules_for(settings, true)->policy_for_robot();
  EXPECT_TRUE(at_home.check(ip("127.0.0.1"), 80).has_value());
  EXPECT_FALSE(at_home.check(ip("127.0.0.1"), 8282).has_value()) << "never to ourselves";
}

// Requests are asked about where browser and robot come together (cache/exchange); what it is given must know all
// rules.
TEST(DestinationRules, BothPolicies_HoldTheRulesAboutNames) {
  DestinationSettings settings;
  settings.block = {".ads.example"};
  settings.allow = {"news.example:119"};
  auto rules = rules_for(settings);
  for (const auto& policy : {rules->policy_for_browser(), rules->policy_for_robot()}) {
    EXPECT_EQ(policy->check_host("x.ads.example", 80).error().kind, ErrorKind::rule_denied);
    EXPECT_EQ(policy->check_host("X.ADS.Example.", 443).error().kind, ErrorKind::rule_denied);
    EXPECT_EQ(policy->check_host("www.example", 25).error().kind, ErrorKind::rule_denied) << "a bad port";
    EXPECT_TRUE(policy->check_host("www.example", 80).has_value());
  }
  EXPECT_TRUE(rules->policy_for_browser()->check_host("news.example", 119).has_value());
  const std::shared_ptr<const AddressPolicy> robot = rules->policy_for_robot();
  EXPECT_FALSE(robot->check_host("news.example", 119).has_value()) << "what was opened for people";
  rules.reset();  // a reload
  EXPECT_FALSE(robot->check_host("x.ads.example", 80).has_value());
}

TEST(DestinationRules, ConnectPorts_AsConfigured_AndByRule) {
  DestinationSettings settings;
  settings.connect_ports = {"443", "8000-8999"};
  settings.allow = {"git.example.com:22", "any.example.com"};
  const auto rules = rules_for(settings, true);
  EXPECT_TRUE(rules->check("example.com", 443, true).has_value());
  EXPECT_TRUE(rules->check("example.com", 8500, true).has_value());
  EXPECT_TRUE(rules->check("git.example.com", 22, true).has_value());
  EXPECT_FALSE(rules->check("any.example.com", 22, true).has_value()) << "a rule without port opens none";
  const Result<void> refused = rules->check("example.com", 22, true);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().detail.find("connect_ports"), std::string::npos);
  settings.connect_ports = {"*"};
  EXPECT_TRUE(rules_for(settings, false)->check("example.com", 22, true).has_value());
}

TEST(DestinationRules, WhatIsNoHost_IsRefused) {
  DestinationSettings settings;
  settings.block = {"evil.example"};
  const auto rules = rules_for(settings);
  const Result<void> verdict = rules->check(std::string_view{"evil.example\0", 13}, 80, false);
  ASSERT_FALSE(verdict.has_value());
  EXPECT_EQ(verdict.error().kind, ErrorKind::bad_message);
  EXPECT_EQ(verdict.error().side, Side::client);
}

TEST(DestinationRules, MistakesNameTheKey) {
  DestinationSettings settings;
  settings.block = {"http://x"};
  EXPECT_NE(problem(settings).find("destinations.block: \"http://x\""), std::string::npos);
  settings = {};
  settings.allow = {"10.0.0.1/8"};
  EXPECT_NE(problem(settings).find("destinations.allow"), std::string::npos);
  settings = {};
  settings.connect_ports = {"https"};
  EXPECT_NE(problem(settings).find("destinations.connect_ports"), std::string::npos);
  settings = {};
  settings.robot_allow = {"intranet.example"};
  EXPECT_NE(problem(settings).find("destinations.robot_allow"), std::string::npos);
}

}  // namespace
}  // namespace outrider
