#include "base/ip_address.hpp"

#include "base/address_policy.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

IpAddress ip(const char* text) {
  return boost::asio::ip::make_address(text);
}

struct Case {
  const char* address;
  AddressClass expected;
};

class AddressClassOf : public ::testing::TestWithParam<Case> {};

TEST_P(AddressClassOf, EverySpelling_FallsIntoItsClass) {
  EXPECT_EQ(to_string(classify(ip(GetParam().address))), to_string(GetParam().expected)) << GetParam().address;
}

INSTANTIATE_TEST_SUITE_P(
    Registry, AddressClassOf,
    ::testing::Values(Case{"8.8.8.8", AddressClass::public_internet},
                      Case{"2001:4860:4860::8888", AddressClass::public_internet},
                      Case{"127.0.0.1", AddressClass::loopback}, Case{"127.255.255.254", AddressClass::loopback},
                      Case{"::1", AddressClass::loopback}, Case{"10.1.2.3", AddressClass::private_net},
                      Case{"172.15.255.255", AddressClass::public_internet},
                      Case{"172.16.0.0", AddressClass::private_net}, Case{"172.31.255.255", AddressClass::private_net},
                      Case{"172.32.0.0", AddressClass::public_internet}, Case{"192.168.0.1", AddressClass::private_net},
                      Case{"fd12::1", AddressClass::private_net}, Case{"100.64.0.1", AddressClass::shared_net},
                      Case{"100.128.0.1", AddressClass::public_internet}, Case{"169.254.1.1", AddressClass::link_local},
                      Case{"fe80::1", AddressClass::link_local}, Case{"169.254.169.254", AddressClass::metadata},
                      Case{"fd00:ec2::254", AddressClass::metadata}, Case{"100.100.100.200", AddressClass::metadata},
                      Case{"169.254.170.23", AddressClass::metadata}, Case{"fd00:ec2::23", AddressClass::metadata},
                      Case{"fd20:ce::254", AddressClass::metadata}, Case{"169.254.0.23", AddressClass::metadata},
                      Case{"169.254.42.42", AddressClass::metadata}, Case{"fd00:42::42", AddressClass::metadata},
                      Case{"fd00:c1::a9fe:a9fe", AddressClass::metadata},
                      Case{"fd20:ce::255", AddressClass::private_net}, Case{"224.0.0.1", AddressClass::multicast},
                      Case{"ff02::1", AddressClass::multicast}, Case{"0.0.0.0", AddressClass::reserved},
                      Case{"255.255.255.255", AddressClass::reserved}, Case{"::", AddressClass::reserved},
                      Case{"2001:db8::1", AddressClass::reserved}, Case{"192.0.2.1", AddressClass::reserved}));

// An IPv6 address that carries an IPv4 address is judged as that IPv4 address.
INSTANTIATE_TEST_SUITE_P(Embedded, AddressClassOf,
                         ::testing::Values(Case{"::ffff:127.0.0.1", AddressClass::loopback},
                                           Case{"::ffff:10.0.0.1", AddressClass::private_net},
                                           Case{"::ffff:8.8.8.8", AddressClass::public_internet},
                                           Case{"::ffff:0:192.168.1.1", AddressClass::private_net},
                                           Case{"::7f00:1", AddressClass::loopback},
                                           Case{"64:ff9b::169.254.169.254", AddressClass::metadata},
                                           Case{"64:ff9b::8.8.8.8", AddressClass::public_internet},
                                           Case{"64:ff9b:1::1", AddressClass::private_net},
                                           Case{"2002:7f00:1::", AddressClass::loopback},
                                           Case{"2002:808:808::", AddressClass::public_internet},
                                           Case{"2001:0:1:2:3:4:80ff:fffe", AddressClass::loopback}));

TEST(Allotment, IsAnIpv4Address_OrA64) {
  const auto of = [](const char* text) { return allotment_of(boost::asio::ip::make_address(text)).to_string(); };
  EXPECT_EQ(of("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(of("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(of("fe80::1%1"), "fe80::");
}

TEST(IpPrefix, ParsesAndContains) {
  const IpPrefix ten = IpPrefix::parse("10.0.0.0/8").value();
  EXPECT_TRUE(ten.contains(ip("10.255.1.2")));
  EXPECT_TRUE(ten.contains(ip("::ffff:10.1.2.3"))) << "a dual-stack socket shows IPv4 clients like this";
  EXPECT_FALSE(ten.contains(ip("11.0.0.0")));
  EXPECT_FALSE(ten.contains(ip("::a00:1")));
  const IpPrefix odd = IpPrefix::parse("192.0.2.128/25").value();
  EXPECT_TRUE(odd.contains(ip("192.0.2.255")));
  EXPECT_FALSE(odd.contains(ip("192.0.2.127")));
  EXPECT_TRUE(IpPrefix::parse("::/0").value().contains(ip("2001::1")));
  EXPECT_FALSE(IpPrefix::parse("::/0").value().contains(ip("1.2.3.4")));
  EXPECT_TRUE(IpPrefix::parse("1.2.3.4").value().contains(ip("1.2.3.4")));
}

TEST(IpPrefix, NonsenseIsRefusedWithAReason) {
  for (const char* text :
       {"", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8x", "10.0.0.1/8", "::1/129", "example.org"})
    EXPECT_FALSE(IpPrefix::parse(text).has_value()) << text;
  EXPECT_NE(IpPrefix::parse("10.0.0.1/8").error().detail.find("behind the prefix"), std::string::npos);
}

TEST(AddressPolicy, PublicOnly_RefusesEverythingElse) {
  const AddressPolicy policy = AddressPolicy::public_only();
  EXPECT_TRUE(policy.check(ip("93.184.216.34"), 80).has_value());
  for (const char* address : {"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:192.168.0.1", "0.0.0.0"}) {
    const Result<void> verdict = policy.check(ip(address), 80);
    ASSERT_FALSE(verdict.has_value()) << address;
    EXPECT_EQ(verdict.error().kind, ErrorKind::address_denied);
    EXPECT_TRUE(verdict.error().retry_safe);
  }
}

TEST(AddressPolicy, Refusal_NamesTheSettingThatOpens) {
  AddressPolicy policy = AddressPolicy::public_only();
  EXPECT_EQ(policy.check(ip("127.0.0.1"), 80).error().detail,
            "127.0.0.1 is a loopback address, and those are not allowed here");
  policy.opened_by = "some.setting";
  EXPECT_EQ(policy.check(ip("127.0.0.1"), 80).error().detail,
            "127.0.0.1 is a loopback address, and those are not allowed here (some.setting)");
}

TEST(AddressPolicy, ExceptionsAllow_DenialsWin) {
  AddressPolicy policy = AddressPolicy::public_only();
  policy.allow.push_back(IpPrefix::parse("10.1.0.0/16").value());
  policy.deny.push_back(IpPrefix::parse("10.1.2.0/24").value());
  EXPECT_TRUE(policy.check(ip("10.1.3.4"), 80).has_value());
  EXPECT_FALSE(policy.check(ip("10.1.2.3"), 80).has_value());
  EXPECT_FALSE(policy.check(ip("10.2.0.1"), 80).has_value());
}

TEST(AddressPolicy, OwnPort_IsALoopWhateverElseIsAllowed) {
  AddressPolicy policy = AddressPolicy::personal();
  policy.allow.push_back(IpPrefix::parse("127.0.0.0/8").value());
  policy.own_ports = {8282};
  EXPECT_FALSE(policy.check(ip("127.0.0.1"), 8282).has_value());
  EXPECT_FALSE(policy.check(ip("127.9.9.9"), 8282).has_value());
  EXPECT_FALSE(policy.check(ip("::1"), 8282).has_value());
  EXPECT_FALSE(policy.check(ip("::ffff:127.0.0.1"), 8282).has_value());
  EXPECT_TRUE(policy.check(ip("127.0.0.1"), 8283).has_value());
  EXPECT_TRUE(policy.check(ip("8.8.8.8"), 8282).has_value());
}

}  // namespace
}  // namespace outrider
