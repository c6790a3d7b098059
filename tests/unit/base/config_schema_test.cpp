#include "base/config_schema.hpp"

#include "tests/unit/base/config_samples.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace outrider {
namespace {

using config_samples::LimitSettings;
using config_samples::ProxySettings;
using config_samples::schema;

TEST(ConfigSchema, Keys_AreFoundByTheirPath) {
  const ConfigSchema known = schema();
  const auto place = known.find("proxy.limits.depth");
  ASSERT_TRUE(place);
  EXPECT_EQ(known.at(*place).name, "depth");
  EXPECT_FALSE(known.find("proxy"));
  EXPECT_FALSE(known.find("proxy.limits"));
  EXPECT_FALSE(known.find("proxy.Listen"));
  EXPECT_FALSE(known.find("listen"));
  EXPECT_TRUE(known.is_section("proxy"));
  EXPECT_TRUE(known.is_section("proxy.limits"));
  EXPECT_FALSE(known.is_section("pro"));
  EXPECT_EQ(known.at(*place).environment_name(), "OUTRIDER__PROXY__LIMITS__DEPTH");
}

TEST(ConfigSchema, ParentOfANestedSection_IsASectionEvenWithoutKeys) {
  ConfigSchema known;
  known.add<LimitSettings>();
  EXPECT_TRUE(known.is_section("proxy"));
  EXPECT_TRUE(known.find("proxy.limits.depth"));
}

TEST(ConfigSchema, Suggestion_PrefersTheSameNameInAnotherSection) {
  const ConfigSchema known = schema();
  EXPECT_EQ(known.suggest_key("proxy.listn"), ", did you mean \"proxy.listen\"?");
  EXPECT_EQ(known.suggest_key("listen"), ", did you mean \"proxy.listen\"?");
  EXPECT_EQ(known.suggest_key("proxy.depth"), ", did you mean \"proxy.limits.depth\"?");
  EXPECT_EQ(known.suggest_key("proxy.banana_split"), "");
  EXPECT_EQ(known.suggest_section("poxy"), ", did you mean \"proxy\"?");
}

TEST(ConfigSchema, FurtherConditions_AreCheckedAfterTheTypeAndBesideTheKeysOwn) {
  ConfigSchema known = schema();
  known.require<std::string>("proxy.listen", [](const std::string& text) -> Refusal {
    return text == "nowhere:1" ? Refusal("is nowhere") : std::nullopt;
  });
  const KeySchema& key = known.at(*known.find("proxy.listen"));
  ProxySettings settings;
  EXPECT_EQ(key.assign(&settings, std::string{"nowhere:1"}), "is nowhere");
  EXPECT_EQ(key.assign(&settings, std::string{"localhost"}), "has no port");
  EXPECT_TRUE(key.assign(&settings, true)) << "not even a text";
  EXPECT_EQ(settings.listen, "127.0.0.1:8282");
  EXPECT_FALSE(key.assign(&settings, std::string{"here:1"}));
  EXPECT_EQ(settings.listen, "here:1");
  EXPECT_THROW(known.require<bool>("proxy.no_such", nullptr), std::logic_error);
}

// What follows are bugs of a programmer; they show at the first start.
template <class S>
void expect_refused() {
  ConfigSchema known = schema();
  EXPECT_THROW(known.add<S>(), std::logic_error);
}

struct Plain {
  int n = 1;
};

struct BadSection : Plain {
  static constexpr std::string_view kSection = "Proxy-2";
  static void describe(SectionSchema<BadSection>&) {}
};

struct BadKey : Plain {
  static constexpr std::string_view kSection = "other";
  static void describe(SectionSchema<BadKey>& s) { s.key("two__parts", &BadKey::n, "Text.", Change::live); }
};

struct TwiceTheSame : Plain {
  static constexpr std::string_view kSection = "other";
  static void describe(SectionSchema<TwiceTheSame>& s) {
    s.key("n", &TwiceTheSame::n, "Text.", Change::live);
    s.key("n", &TwiceTheSame::n, "Text.", Change::live);
  }
};

struct BadDefault : Plain {
  static constexpr std::string_view kSection = "other";
  static void describe(SectionSchema<BadDefault>& s) {
    s.key("n", &BadDefault::n, "Text.", Change::live, in_range(2, 3));
  }
};

struct NoComment : Plain {
  static constexpr std::string_view kSection = "other";
  static void describe(SectionSchema<NoComment>& s) { s.key("n", &NoComment::n, "", Change::live); }
};

struct SectionThatIsAKey : Plain {
  static constexpr std::string_view kSection = "proxy.listen";
  static void describe(SectionSchema<SectionThatIsAKey>&) {}
};

struct KeyThatIsASection : Plain {
  static constexpr std::string_view kSection = "proxy";
  static void describe(SectionSchema<KeyThatIsASection>& s) {
    s.key("limits", &KeyThatIsASection::n, "Text.", Change::live);
  }
};

TEST(ConfigSchema, FaultyDescriptions_AreLogicErrors) {
  expect_refused<ProxySettings>();  // twice
  expect_refused<BadSection>();
  expect_refused<BadKey>();
  expect_refused<TwiceTheSame>();
  expect_refused<BadDefault>();
  expect_refused<NoComment>();
  expect_refused<SectionThatIsAKey>();

  ConfigSchema nested_first;
  nested_first.add<LimitSettings>();
  EXPECT_THROW(nested_first.add<KeyThatIsASection>(), std::logic_error);
}

}  // namespace
}  // namespace outrider
