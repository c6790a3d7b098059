#include "robot/link_rules.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

bool holds(const std::vector<std::string>& hosts, const char* url) {
  const Result<Url> parsed = Url::parse(url);
  EXPECT_TRUE(parsed) << url;
  return HostList{hosts}.contains(*parsed);
}

TEST(HostList, AName_IsThatHostAtEveryPort) {
  const std::vector<std::string> hosts{"a.example", "b.example"};
  EXPECT_TRUE(holds(hosts, "http://a.example/x"));
  EXPECT_TRUE(holds(hosts, "https://b.example:8443/"));
  EXPECT_FALSE(holds(hosts, "http://www.a.example/"));
  EXPECT_FALSE(holds(hosts, "http://a.example.org/"));
}

TEST(HostList, ANameWithAPort_IsThatPortAlone) {
  const std::vector<std::string> hosts{"a.example:8080", "b.example:443", "[::1]:81"};
  EXPECT_TRUE(holds(hosts, "http://a.example:8080/"));
  EXPECT_FALSE(holds(hosts, "http://a.example/"));
  EXPECT_TRUE(holds(hosts, "https://b.example/")) << "the default port, written out";
  EXPECT_FALSE(holds(hosts, "http://b.example/"));
  EXPECT_TRUE(holds(hosts, "http://[::1]:81/"));
  EXPECT_FALSE(holds(hosts, "http://[::1]/"));
}

TEST(HostList, AnAddressWithColons_IsNoPort) {
  EXPECT_TRUE(holds({"[::1]"}, "http://[::1]/"));
  EXPECT_TRUE(holds({"[::1]"}, "http://[::1]:8080/"));
  EXPECT_FALSE(holds({"[::1]"}, "http://[::2]/"));
}

TEST(HostList, ADot_MeansAllBelow) {
  EXPECT_TRUE(holds({".a.example"}, "http://a.example/"));
  EXPECT_TRUE(holds({".a.example"}, "http://www.a.example/"));
  EXPECT_FALSE(holds({".a.example"}, "http://ba.example/"));
}

}  // namespace
}  // namespace outrider
