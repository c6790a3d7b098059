#include "base/html_name.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

namespace outrider {
namespace {

TEST(HtmlName, Key_DoesNotDependOnCase) {
  EXPECT_EQ(html_name_key("TITLE"), html_name_key("title"));
  EXPECT_EQ(html_name_key("foreignObject"), html_name_key("FOREIGNOBJECT"));
  EXPECT_NE(html_name_key("[@`{"), html_name_key("{`@["));  // the neighbours of the letters
  EXPECT_EQ(html_name_key("aZ@["), html_name_key("Az@["));
  EXPECT_NE(html_name_key("a@"), html_name_key("a`"));
}

TEST(HtmlName, Key_IsTheSameAtCompileTimeAndAtRunTime) {
  static constexpr HtmlNameKey kKeys[] = {html_name_key("a"),         html_name_key("tt"),
                                          html_name_key("div"),       html_name_key("span"),
                                          html_name_key("title"),     html_name_key("script"),
                                          html_name_key("section"),   html_name_key("noscript"),
                                          html_name_key("plaintext"), html_name_key("annotation-xml")};
  const char* const names[] = {"a",      "tt",      "div",      "span",      "title",
                               "script", "section", "noscript", "plaintext", "annotation-xml"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const std::string name = names[i];
    const std::unique_ptr<char[]> exact{new char[name.size()]};  // no byte beyond it is read
    std::copy(name.begin(), name.end(), exact.get());
    EXPECT_EQ(html_name_key({exact.get(), name.size()}), kKeys[i]) << name;
  }
}

TEST(HtmlName, ShortNames_HaveDifferentKeys) {
  const std::string letters = "az05-\xC3";
  std::set<HtmlNameKey> keys;
  std::size_t count = 0;
  for (const char a : letters)
    for (const char b : letters)
      for (const char c : letters)
        for (const std::string& end :
             {std::string(), std::string("x"), std::string("xxxxx"), std::string("xxxx\xC3")}) {
          keys.insert(html_name_key(std::string{a, b, c} + end));
          ++count;
        }
  EXPECT_EQ(keys.size(), count);
}

TEST(HtmlName, SameName) {
  EXPECT_TRUE(same_html_name("HREF", "href"));
  EXPECT_FALSE(same_html_name("href", "hrefs"));
  EXPECT_FALSE(same_html_name("K", "\xE2\x84\xAA"));  // only ASCII letters have two cases: the Kelvin sign is no k
}

}  // namespace
}  // namespace outrider
