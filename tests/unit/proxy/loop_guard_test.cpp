#include "proxy/loop_guard.hpp"

#include <gtest/gtest.h>

#include <set>

namespace outrider {
namespace {

constexpr std::string_view kUs = "outrider-0123abcd";

bool looped(std::initializer_list<const char*> fields) {
  HeaderMap headers;
  for (const char* field : fields) headers.add(HeaderId::via, field);
  return has_looped(headers, kUs);
}

// RFC 9110 section 7.6.3
TEST(HasLooped, OurPseudonymAsRecipient_IsALoop) {
  EXPECT_TRUE(looped({"1.1 outrider-0123abcd"}));
  EXPECT_TRUE(looped({"1.0 fred, 1.1 outrider-0123abcd, 1.1 p.example.net"}));
  EXPECT_TRUE(looped({"1.0 fred", "1.1 x,1.1 outrider-0123abcd"}));
  EXPECT_TRUE(looped({"1.1  \t outrider-0123abcd(comment)"}));
  EXPECT_TRUE(looped({", , 1.1 outrider-0123abcd"}));
}

TEST(HasLooped, OthersAreNone) {
  EXPECT_FALSE(looped({}));
  EXPECT_FALSE(looped({""}));
  EXPECT_FALSE(looped({"1.1 outrider-0123abce"}));
  EXPECT_FALSE(looped({"1.1 xoutrider-0123abcd"}));
  EXPECT_FALSE(looped({"1.1 outrider-0123abcd.example.net"}));
  EXPECT_FALSE(looped({"outrider-0123abcd"})) << "that is a protocol without a recipient";
  EXPECT_FALSE(looped({"1.1 other outrider-0123abcd"})) << "the recipient is the second word";
}

TEST(HasLooped, CommentsNameNobody) {
  EXPECT_FALSE(looped({"1.1 fred (not 1.1 outrider-0123abcd, really)"}));
  EXPECT_FALSE(looped({R"(1.1 fred (nested (1.1 outrider-0123abcd), "quote) , 1.1 joe)"}));
  EXPECT_TRUE(looped({R"(1.1 fred (a \) , b), 1.1 outrider-0123abcd)"})) << "an escaped parenthesis ends nothing";
  EXPECT_TRUE(looped({"1.1 fred (x(y)z), 1.1 outrider-0123abcd (us)"}));
}

TEST(HasLooped, UnfinishedComment_HidesNothing) {
  EXPECT_TRUE(looped({"1.1 fred (oops, 1.1 outrider-0123abcd"}));
  EXPECT_TRUE(looped({R"(1.1 fred (oops \), 1.1 outrider-0123abcd)"}));
  EXPECT_FALSE(looped({"1.1 fred (oops"}));
  EXPECT_TRUE(looped({"1.1 fred (oops", "1.1 outrider-0123abcd"})) << "each field is read on its own";
}

TEST(AddVia, AppendsVersionAndName) {
  HeaderMap headers;
  headers.add(HeaderId::via, "1.0 fred");
  add_via(headers, HttpVersion::http10, kUs);
  add_via(headers, HttpVersion::http11, kUs);
  add_via(headers, HttpVersion::http2, kUs);
  EXPECT_EQ(headers.joined(HeaderId::via),
            "1.0 fred, 1.0 outrider-0123abcd, 1.1 outrider-0123abcd, 2 outrider-0123abcd");
  EXPECT_TRUE(has_looped(headers, kUs));
  const std::string long_name(200, 'n');
  add_via(headers, HttpVersion::http11, long_name);
  EXPECT_TRUE(has_looped(headers, long_name));
}

TEST(MakePseudonym, IsATokenAndUnique) {
  std::set<std::string> names;
  for (int i = 0; i < 50; ++i) names.insert(make_pseudonym());
  EXPECT_EQ(names.size(), 50U);
  for (const std::string& name : names) {
    EXPECT_EQ(name.size(), 17U);
    EXPECT_EQ(name.find_first_not_of("outrider-0123456789abcdef"), std::string::npos);
  }
}

}  // namespace
}  // namespace outrider
