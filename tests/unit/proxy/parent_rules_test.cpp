#include "proxy/parent_rules.hpp"

#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using testing::SecretFolder;

std::shared_ptr<const ParentRules> rules_for(const ParentSettings& settings) {
  Result<std::shared_ptr<const ParentRules>> rules = ParentRules::create(settings);
  EXPECT_TRUE(rules.has_value()) << (rules ? "" : rules.error().detail);
  return rules.value();
}

std::string parent_of(const ParentRules& rules, std::string_view host, std::uint16_t port = 443) {
  const ParentRules::Choice& choice = rules.select(host, port);
  return (choice.parent ? choice.parent->name() : "direct") + (choice.direct_fallback ? " or direct" : "");
}

std::string problem(const ParentSettings& settings) {
  const auto rules = ParentRules::create(settings);
  return rules ? "" : rules.error().detail;
}

TEST(ParentRules, NoneByDefault) {
  EXPECT_EQ(parent_of(*rules_for({}), "example.com"), "direct");
}

TEST(ParentRules, DefaultForAll_ButNotForThisMachine) {
  ParentSettings settings;
  settings.default_parent = "proxy.example:3128";
  const auto rules = rules_for(settings);
  EXPECT_EQ(parent_of(*rules, "example.com"), "proxy.example:3128");
  EXPECT_EQ(parent_of(*rules, "8.8.8.8"), "proxy.example:3128");
  for (const char* own :
       {"localhost", "LOCALHOST.", "app.localhost", "127.0.0.1", "127.1.2.3", "[::1]", "::1", "::ffff:127.0.0.1"})
    EXPECT_EQ(parent_of(*rules, own), "direct") << own;
  for (const char* other : {"notlocalhost", "localhost.example.com", "127.example.com"})
    EXPECT_EQ(parent_of(*rules, other), "proxy.example:3128") << other;
}

TEST(ParentRules, ByHostPattern_MostSpecificDecides) {
  ParentSettings settings;
  settings.default_parent = "http://proxy.example:3128";
  settings.rules = {".corp.example = direct",
                    "*.onion = socks5://127.0.0.1:9050",
                    "www.corp.example=other.example:8080",
                    "10.0.0.0/8 = direct",
                    "*:8443 = tls.example:1",
                    "localhost = for.local:2"};
  const auto rules = rules_for(settings);
  EXPECT_EQ(parent_of(*rules, "db.corp.example"), "direct");
  EXPECT_EQ(parent_of(*rules, "www.corp.example"), "other.example:8080");
  EXPECT_EQ(parent_of(*rules, "x.onion"), "socks5://127.0.0.1:9050");
  EXPECT_EQ(parent_of(*rules, "10.1.2.3"), "direct");
  EXPECT_EQ(parent_of(*rules, "example.com"), "proxy.example:3128");
  EXPECT_EQ(parent_of(*rules, "example.com", 8443), "tls.example:1");
  EXPECT_EQ(parent_of(*rules, "localhost"), "for.local:2");
}

TEST(ParentRules, DirectFallback_IsPartOfTheChoice) {
  ParentSettings settings;
  settings.default_parent = "proxy.example:3128, direct";
  settings.rules = {"*.onion = socks5://127.0.0.1:9050", "a.example = http://u:p,q@b.example:1 , direct"};
  const auto rules = rules_for(settings);
  EXPECT_EQ(parent_of(*rules, "example.com"), "proxy.example:3128 or direct");
  EXPECT_EQ(parent_of(*rules, "x.onion"), "socks5://127.0.0.1:9050") << "must not leak";
  EXPECT_EQ(parent_of(*rules, "a.example"), "b.example:1 or direct");
}

TEST(ParentRules, Credentials_InTheUrlOrInAFile) {
  const SecretFolder folder;
  ParentSettings settings;
  settings.default_parent = "http://user:pa%3Ass@a.example:3128";
  settings.rules = {"b = b.example:3128", "c = socks5://c.example:1080", "d = d.example:3128"};
  settings.credentials_file = folder.write(
      "secrets",
      "# parents\nb.example:3128  bob:se:cret word\nsocks5://c.example:1080 carol:pw\r\na.example:3128 no:no\n");
  const auto rules = rules_for(settings);
  EXPECT_EQ(rules->select("x", 80).parent->authorization, "Basic dXNlcjpwYTpzcw==") << "its own text comes first";
  EXPECT_EQ(rules->select("b", 80).parent->authorization, "Basic Ym9iOnNlOmNyZXQgd29yZA==");
  EXPECT_EQ(rules->select("c", 80).parent->user, "carol");
  EXPECT_EQ(rules->select("c", 80).parent->password, "pw");
  EXPECT_FALSE(rules->select("d", 80).parent->has_credentials());
}

TEST(ParentRules, MistakesNameTheKey_AndNoPassword) {
  const SecretFolder folder;
  ParentSettings settings;
  settings.default_parent = "ftp://user:hunter2@proxy.example";
  EXPECT_NE(problem(settings).find("parents.default"), std::string::npos);
  EXPECT_EQ(problem(settings).find("hunter2"), std::string::npos);
  settings = {};
  settings.rules = {"http://user:hunter2@proxy.example"};
  EXPECT_NE(problem(settings).find("parents.rules"), std::string::npos);
  EXPECT_EQ(problem(settings).find("hunter2"), std::string::npos);
  settings.rules = {"a b = direct"};
  EXPECT_NE(problem(settings).find("parents.rules"), std::string::npos);
  settings.rules = {"a = "};
  EXPECT_NE(problem(settings), "");
  settings.rules = {"= direct"};
  EXPECT_NE(problem(settings), "");
  settings = {};
  settings.default_parent = "a:1";
  settings.credentials_file = folder.write("open", "a:1 u:p\n", 0644);
  EXPECT_NE(problem(settings).find("chmod 640"), std::string::npos);
  settings.credentials_file = folder.write("bad", "a:1 hunter2\n");
  EXPECT_NE(problem(settings).find("line 1"), std::string::npos);
  EXPECT_EQ(problem(settings).find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace outrider
