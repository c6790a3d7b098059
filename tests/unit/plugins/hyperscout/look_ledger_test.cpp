#include "plugins/hyperscout/look_ledger.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace outrider::hyperscout {
namespace {

constexpr SteadyTime at(int seconds) {
  return SteadyTime{std::chrono::seconds{seconds}};
}

TEST(LookLedger, SiteIsTheRegisteredName_OrTheHostWhereThereIsNone) {
  EXPECT_EQ(site_of("www.news.example.co.uk"), "example.co.uk");
  EXPECT_EQ(site_of("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(site_of("[::1]"), "[::1]");
  EXPECT_EQ(site_of("localhost"), "localhost");
  EXPECT_EQ(site_of(""), "");
}

TEST(LookLedger, AddressIsAskedForAgainInItsTime_ForEachSiteByItself) {
  LookLedger ledger;
  EXPECT_TRUE(ledger.may_ask("a.example", "http://x/", at(1)));
  ledger.asked("a.example", "http://x/", at(10));
  EXPECT_FALSE(ledger.may_ask("a.example", "http://x/", at(9)));
  EXPECT_TRUE(ledger.may_ask("a.example", "http://x/", at(10)));
  EXPECT_TRUE(ledger.may_ask("a.example", "http://y/", at(9)));
  EXPECT_TRUE(ledger.may_ask("b.example", "http://x/", at(9)));
  ledger.take_back("a.example", "http://x/");
  EXPECT_TRUE(ledger.may_ask("a.example", "http://x/", at(9)));
}

TEST(LookLedger, OneSiteCannotPushOutWhatIsNotedForAnother) {
  LookLedger ledger;
  ledger.asked("a.example", "http://x/", at(10));
  for (std::size_t i = 0; i <= LookLedger::kMostOfASite; ++i)
    ledger.asked("b.example", fmt::format("http://x/{}", i), at(10));
  EXPECT_FALSE(ledger.may_ask("a.example", "http://x/", at(1)));
  EXPECT_TRUE(ledger.may_ask("b.example", "http://x/0", at(1))) << "the oldest of its own goes";
  EXPECT_FALSE(ledger.may_ask("b.example", "http://x/1", at(1)));
  for (std::size_t i = 0; i < LookLedger::kMostSites; ++i)
    ledger.asked(fmt::format("{}.example", i), "http://x/", at(10));
  EXPECT_TRUE(ledger.may_ask("a.example", "http://x/", at(1))) << "so many sites are noted";
}

// It goes to the robot, which writes its tasks down.
TEST(LookLedger, WordForASite_DoesNotNameIt_AndIsAnotherOneInAnotherProcess) {
  const LookLedger ledger, other;
  EXPECT_EQ(ledger.word_for("a.example"), ledger.word_for("a.example"));
  EXPECT_NE(ledger.word_for("a.example"), ledger.word_for("b.example"));
  EXPECT_NE(ledger.word_for("a.example"), other.word_for("a.example"));
  EXPECT_EQ(ledger.word_for("a.example").find("example"), std::string::npos);
}

}  // namespace
}  // namespace outrider::hyperscout
