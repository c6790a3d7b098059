#include "proxy/mobile_profile.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(MobileProfile, CarriesTheCertificate) {
  const std::string profile = mobile_profile("CA <of> anna", "\x30\x03\x02\x01\x05", "AB:CD:EF");
  EXPECT_NE(profile.find("<data>MAMCAQU=</data>"), std::string::npos) << profile;
  EXPECT_NE(profile.find("<string>com.apple.security.root</string>"), std::string::npos);
  EXPECT_NE(profile.find("<string>CA &lt;of&gt; anna</string>"), std::string::npos) << "names are text";
  EXPECT_NE(profile.find("<string>ABCDEF00-0000-0000-0000-000000000000</string>"), std::string::npos) << profile;
}

TEST(MobileProfile, SameCertificate_SameProfile) {
  EXPECT_EQ(mobile_profile("a", "b", "01:02"), mobile_profile("a", "b", "01:02"));
  EXPECT_NE(mobile_profile("a", "b", "01:02"), mobile_profile("a", "b", "01:03"));
}

}  // namespace
}  // namespace outrider
