#include "robot/prefetch_guard.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const WallTime kNow{1'700'000'000s};

class PrefetchGuardTest : public testing::Test {
 protected:
  RobotSettings settings;
  Url url(std::string_view text) { return Url::parse(text).value(); }
  std::string refusal(const PrefetchGuard& guard, std::string_view text, const Link* link = nullptr) {
    const Url target = url(text);
    PrefetchQuestion question;
    question.url = &target;
    question.link = link;
    const PrefetchVerdict verdict = guard.check(question, kNow);
    EXPECT_EQ(verdict.allowed, verdict.reason.empty());
    return verdict.reason;
  }
};

TEST_F(PrefetchGuardTest, OrdinaryPage_MayBeLoadedAhead) {
  const PrefetchGuard guard(settings);
  EXPECT_EQ(refusal(guard, "https://a.example/2026/11/some-news.html"), "");
}

TEST_F(PrefetchGuardTest, OnlyGetAndHead) {
  const PrefetchGuard guard(settings);
  const Url target = url("https://a.example/");
  for (std::string_view method : {"POST", "PUT", "DELETE", "get"}) {
    EXPECT_FALSE(guard.check({method, &target, nullptr, false, false}, kNow).allowed) << method;
  }
  EXPECT_TRUE(guard.check({"HEAD", &target, nullptr, false, false}, kNow).allowed);
}

TEST_F(PrefetchGuardTest, Actions_AreNeverLoadedAhead) {
  const PrefetchGuard guard(settings);
  EXPECT_EQ(refusal(guard, "https://a.example/user/logout"), "looks like an action: logout");
  EXPECT_EQ(refusal(guard, "https://a.example/index.php?action=delete&id=7"), "looks like an action: delete");
  EXPECT_EQ(refusal(guard, "https://a.example/shop/add-to-cart/7"), "looks like an action: cart");
  Link link;
  link.text = "Abmelden";
  EXPECT_EQ(refusal(guard, "https://a.example/x7", &link), "looks like an action: abmelden");
}

TEST_F(PrefetchGuardTest, WordsAreConfigurable) {
  settings.prefetch_words = {"verschenken"};
  settings.prefetch_harmless = {"cart"};
  const PrefetchGuard guard(settings);
  EXPECT_NE(refusal(guard, "https://a.example/verschenken/7"), "");
  EXPECT_EQ(refusal(guard, "https://a.example/cart/7"), "");
}

TEST_F(PrefetchGuardTest, OneTimeTokens_AreNotUsedUp) {
  const PrefetchGuard guard(settings);
  for (std::string_view text :
       {"https://a.example/r/eyJhbGciOiJIUzI1NiJ9", "https://a.example/9f86d081884c7d659a2feaa0c55ad015",
        "https://a.example/x?token=1", "https://a.example/x?q=Zm9vYmFyQmF6MTIzNDU2Nzg5MA"}) {
    EXPECT_NE(refusal(guard, text).find("one-time token"), std::string::npos) << text;
  }
  EXPECT_FALSE(looks_like_token("a-long-title-of-a-page-from-2026-11-16"));
  EXPECT_FALSE(looks_like_token("internationalisation"));
  EXPECT_FALSE(looks_like_token("12345678901234567890123456"));
}

TEST_F(PrefetchGuardTest, QueryStrings_OnlyOfAShapeThatWasSeenSafe) {
  PrefetchGuard guard(settings);
  EXPECT_EQ(refusal(guard, "https://a.example/list?page=2&lang=de"), "has a query string that nobody has loaded yet");
  guard.saw_safe_query(url("https://a.example/list?lang=en&page=7"));
  EXPECT_EQ(refusal(guard, "https://a.example/list?page=2&lang=de"), "");
  EXPECT_NE(refusal(guard, "https://a.example/list?page=2&lang=de&do=x"), "");
  EXPECT_NE(refusal(guard, "https://a.example/other?page=2&lang=de"), "");
  guard.saw_safe_query(url("https://a.example/list?delete=1"));
  EXPECT_NE(refusal(guard, "https://a.example/list?delete=2"), "") << "an action stays one";
}

TEST_F(PrefetchGuardTest, NofollowDownloadsFormsAndSaveData_AreRespected) {
  const PrefetchGuard guard(settings);
  Link link;
  link.flags = LinkFlags::nofollow;
  EXPECT_EQ(refusal(guard, "https://a.example/", &link), "the link says nofollow");
  link.flags = LinkFlags::download;
  EXPECT_EQ(refusal(guard, "https://a.example/", &link), "the link is a download");
  link.flags = 0;
  link.kind = LinkKind::form;
  EXPECT_EQ(refusal(guard, "https://a.example/", &link), "it is a form");
  const Url target = url("https://a.example/");
  EXPECT_EQ(guard.check({"GET", &target, nullptr, true, false}, kNow).reason, "the page says nofollow");
  EXPECT_EQ(guard.check({"GET", &target, nullptr, false, true}, kNow).reason,
            "the browser asks to save data (Save-Data)");
  EXPECT_NE(refusal(guard, "https://user:pw@a.example/"), "");
  EXPECT_NE(refusal(guard, "mailto:x@a.example"), "");
}

TEST_F(PrefetchGuardTest, Budget_IsPerSiteAndDay) {
  settings.prefetch_per_day = 2;
  settings.prefetch_bytes_per_day = ByteSize{1000};
  PrefetchGuard guard(settings);
  const Url target = url("https://www.a.example/");
  guard.count_load(target, kNow);
  EXPECT_EQ(refusal(guard, "https://other.a.example/"), "");
  guard.count_load(target, kNow);
  EXPECT_EQ(refusal(guard, "https://other.a.example/"), "the budget of today for a.example is spent: 2 loads");
  EXPECT_EQ(refusal(guard, "https://b.example/"), "");
  EXPECT_TRUE(guard.check({"GET", &target, nullptr, false, false}, kNow + 24h).allowed) << "another day";
  guard.count_bytes(url("https://c.example/"), 1000, kNow);
  EXPECT_EQ(refusal(guard, "https://c.example/"), "the budget of today for c.example is spent: 1000 bytes");
}

TEST_F(PrefetchGuardTest, Budget_SurvivesARestartButNotTheDay) {
  settings.prefetch_per_day = 1;
  PrefetchGuard guard(settings);
  const Url target = url("https://www.a.example/");
  guard.count_load(target, kNow);
  PrefetchGuard again(settings);
  again.load_budget(guard.save_budget(), kNow + 1min);
  EXPECT_EQ(refusal(again, "https://a.example/"), "the budget of today for a.example is spent: 1 loads");
  PrefetchGuard tomorrow(settings);
  tomorrow.load_budget(guard.save_budget(), kNow + 24h);
  EXPECT_TRUE(tomorrow.check({"GET", &target, nullptr, false, false}, kNow + 24h).allowed);
  PrefetchGuard other(settings);
  for (std::string_view bad : {"", "[]", R"({"v":2})", R"({"v":1,"day":19675,"sites":{"a.example":[1]}})"}) {
    other.load_budget(bad, kNow);
    EXPECT_EQ(refusal(other, "https://a.example/"), "") << bad;
  }
}

TEST_F(PrefetchGuardTest, BudgetOfNothing_SwitchesItOff) {
  settings.prefetch_per_day = 0;
  const PrefetchGuard guard(settings);
  EXPECT_EQ(refusal(guard, "https://a.example/"), "loading ahead is switched off");
}

}  // namespace
}  // namespace outrider
