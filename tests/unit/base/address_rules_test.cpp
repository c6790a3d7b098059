#include "base/address_rules.hpp"

#include "base/address_policy.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace outrider {
namespace {

IpAddress ip(const char* text) {
  return boost::asio::ip::make_address(text);
}

void add(AddressRules& rules, const char* prefix, std::uint32_t value, PortRange ports = {}) {
  rules.add(IpPrefix::parse(prefix).value(), ports, value);
}

std::uint32_t value_for(const AddressRules& rules, const char* address, std::uint16_t port = 443) {
  const AddressRules::Rule* rule = rules.find(ip(address), port);
  return rule != nullptr ? rule->value : 0;
}

TEST(PortRange, ParsesOnePortAndRanges) {
  EXPECT_EQ(PortRange::parse("443").value(), (PortRange{443, 443}));
  EXPECT_EQ(PortRange::parse("8000-8999").value(), (PortRange{8000, 8999}));
  EXPECT_EQ(PortRange::parse("1-65535").value(), (PortRange{1, 65535}));
  for (const char* bad :
       {"", "0", "65536", "-1", "80-", "-80", "90-80", "80 ", " 80", "http", "80-90-100", "+80", "0x50"})
    EXPECT_FALSE(PortRange::parse(bad).has_value()) << bad;
}

TEST(AddressRules, LongestPrefixDecides_InAnyOrderOfAdding) {
  AddressRules rules;
  add(rules, "10.1.2.0/24", 3);
  add(rules, "0.0.0.0/0", 1);
  add(rules, "10.0.0.0/8", 2);
  add(rules, "10.1.2.3", 4);
  EXPECT_EQ(value_for(rules, "10.1.2.3"), 4U);
  EXPECT_EQ(value_for(rules, "10.1.2.4"), 3U);
  EXPECT_EQ(value_for(rules, "10.9.9.9"), 2U);
  EXPECT_EQ(value_for(rules, "11.0.0.1"), 1U);
  EXPECT_EQ(value_for(rules, "2001:db8::1"), 0U);
}

TEST(AddressRules, NarrowerPortsFirst_ThenWiderOnes_ThenShorterPrefixes) {
  AddressRules rules;
  add(rules, "10.0.0.0/8", 1);
  add(rules, "10.0.0.0/16", 2, {8000, 8999});
  add(rules, "10.0.0.0/16", 3, {8080, 8080});
  EXPECT_EQ(value_for(rules, "10.0.0.1", 8080), 3U);
  EXPECT_EQ(value_for(rules, "10.0.0.1", 8081), 2U);
  EXPECT_EQ(value_for(rules, "10.0.0.1", 80), 1U);
}

TEST(AddressRules, SaidTwice_TheFirstCounts) {
  AddressRules rules;
  add(rules, "10.0.0.0/8", 1);
  add(rules, "10.0.0.0/8", 2);
  EXPECT_EQ(value_for(rules, "10.0.0.1"), 1U);
  EXPECT_EQ(rules.size(), 1U);
}

TEST(AddressRules, Ipv6_AtEveryLength) {
  AddressRules rules;
  add(rules, "::/0", 1);
  add(rules, "2001:db8::/32", 2);
  add(rules, "2001:db8:0:1::/64", 3);
  add(rules, "2001:db8:0:1:8000::/65", 4);
  add(rules, "2001:db8:0:1::7", 5);
  EXPECT_EQ(value_for(rules, "2001:db8:0:1::7"), 5U);
  EXPECT_EQ(value_for(rules, "2001:db8:0:1:8000::7"), 4U);
  EXPECT_EQ(value_for(rules, "2001:db8:0:1:7000::7"), 3U);
  EXPECT_EQ(value_for(rules, "2001:db8:0:2::"), 2U);
  EXPECT_EQ(value_for(rules, "fe80::1"), 1U);
  EXPECT_EQ(value_for(rules, "fe80::1%1"), 1U) << "a zone changes nothing";
  EXPECT_EQ(value_for(rules, "1.2.3.4"), 0U);
}

// Blocking 10.0.0.0/8 has to block every road that leads there.
TEST(AddressRules, DestinationsAreJudgedByTheAddressTheyEmbed) {
  AddressRules rules;
  add(rules, "10.0.0.0/8", 7);
  for (const char* spelling :
       {"::ffff:10.1.2.3", "::10.1.2.3", "64:ff9b::10.1.2.3", "2002:a01:203::1", "2001:0:1:2:3:4:f5fe:fdfc"})
    EXPECT_EQ(value_for(rules, spelling), 7U) << spelling;
  add(rules, "64:ff9b::/96", 8);
  EXPECT_EQ(value_for(rules, "64:ff9b::10.1.2.3"), 8U) << "a rule about the address itself comes first";
}

// A peer chooses its own source address, so what it embeds proves nothing; ::ffff: is written by our own kernel.
TEST(AddressRules, PeersAreJudgedByTheirOwnAddress) {
  AddressRules rules;
  add(rules, "10.0.0.0/8", 7);
  EXPECT_NE(rules.find_peer(ip("10.1.2.3")), nullptr);
  EXPECT_NE(rules.find_peer(ip("::ffff:10.1.2.3")), nullptr);
  for (const char* forged : {"::10.1.2.3", "64:ff9b::10.1.2.3", "2002:a01:203::1", "2001:0:1:2:3:4:f5fe:fdfc"})
    EXPECT_EQ(rules.find_peer(ip(forged)), nullptr) << forged;
}

TEST(AddressRules, TextOfARule_CanBeReadAgain) {
  AddressRules rules;
  add(rules, "10.0.0.0/8", 1, {22, 22});
  add(rules, "2001:db8::/32", 1, {8000, 8999});
  add(rules, "192.0.2.1", 1);
  add(rules, "::1", 1);
  EXPECT_EQ(rules.at(0).to_string(), "10.0.0.0/8:22");
  EXPECT_EQ(rules.at(1).to_string(), "[2001:db8::/32]:8000-8999");
  EXPECT_EQ(rules.at(2).to_string(), "192.0.2.1");
  EXPECT_EQ(rules.at(3).to_string(), "::1");
}

TEST(AddressRules, ManyRules_AreAllFound) {
  AddressRules rules;
  for (std::uint32_t i = 0; i < 50'000; ++i)
    rules.add(IpPrefix::parse(fmt::format("10.{}.{}.0/24", i / 200, i % 200)).value(), {}, i);
  for (std::uint32_t i = 0; i < 50'000; i += 997) {
    const AddressRules::Rule* rule = rules.find(ip(fmt::format("10.{}.{}.9", i / 200, i % 200).c_str()), 80);
    ASSERT_NE(rule, nullptr);
    EXPECT_EQ(rule->value, i);
  }
}

TEST(AddressPolicyRules, AllowLiftsAClassOnlyIfItSpeaksOfIt) {
  auto rules = std::make_shared<AddressRules>();
  add(*rules, "0.0.0.0/0", AddressPolicy::kAllow);
  add(*rules, "10.1.0.0/16", AddressPolicy::kAllow);
  add(*rules, "169.254.0.0/16", AddressPolicy::kAllow);
  add(*rules, "172.0.0.0/8", AddressPolicy::kAllow);
  add(*rules, "10.1.2.0/24", AddressPolicy::kDeny, {22, 22});
  add(*rules, "93.184.216.34", AddressPolicy::kDeny);
  AddressPolicy policy = AddressPolicy::public_only();
  policy.rules = rules;
  EXPECT_TRUE(policy.check(ip("1.1.1.1"), 80).has_value());
  EXPECT_TRUE(policy.check(ip("10.1.2.3"), 80).has_value());
  EXPECT_TRUE(policy.check(ip("169.254.1.1"), 80).has_value());
  EXPECT_FALSE(policy.check(ip("10.1.2.3"), 22).has_value()) << "blocked by the narrower rule";
  EXPECT_FALSE(policy.check(ip("10.2.0.1"), 80).has_value()) << "0.0.0.0/0 does not mean the private network";
  EXPECT_FALSE(policy.check(ip("127.0.0.1"), 80).has_value());
  EXPECT_FALSE(policy.check(ip("172.16.0.1"), 80).has_value()) << "172.0.0.0/8 is mostly public";
  EXPECT_FALSE(policy.check(ip("169.254.169.254"), 80).has_value()) << "metadata is a class of its own";
  const Result<void> denied = policy.check(ip("93.184.216.34"), 80);
  ASSERT_FALSE(denied.has_value());
  EXPECT_NE(denied.error().detail.find("blocked by rule \"93.184.216.34\""), std::string::npos);
}

TEST(IsLoopback, EmbeddedAddressesAreNot) {
  for (const char* yes : {"127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback(ip(yes))) << yes;
  for (const char* no : {"126.0.0.1", "0.0.0.0", "::", "2002:7f00:1::1", "64:ff9b::7f00:1", "::7f00:1", "10.0.0.1"})
    EXPECT_FALSE(is_loopback(ip(no))) << no;
}

TEST(IpPrefix, ZonesMappedAddressesAndNulBytes_AreRefused) {
  EXPECT_FALSE(IpPrefix::parse("fe80::%lo/10").has_value());
  EXPECT_FALSE(IpPrefix::parse("fe80::1%lo").has_value());
  EXPECT_FALSE(IpPrefix::parse("::ffff:10.0.0.0/104").has_value());
  EXPECT_FALSE(IpPrefix::parse(std::string_view{"10.0.0.1\0.evil", 14}).has_value());
}

}  // namespace
}  // namespace outrider
