// What `outrider inspect url` prints.
#include "base/url_inspect.hpp"

#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

boost::json::object inspected(std::string_view line) {
  const std::string out = inspect_url_ndjson_line(test::ExactBuffer(line));
  EXPECT_EQ(out.find('\n'), std::string::npos);
  return boost::json::parse(out).as_object();
}

TEST(UrlInspect, Line_GivesAllParts) {
  const auto out = inspected(R"({"input":"../c?q#f","base":"https://u:p@www.example.co.uk:81/a/b"})");
  const std::pair<const char*, const char*> expected[] = {{"href", "https://u:p@www.example.co.uk:81/c?q#f"},
                                                          {"protocol", "https:"},
                                                          {"username", "u"},
                                                          {"password", "p"},
                                                          {"host", "www.example.co.uk:81"},
                                                          {"hostname", "www.example.co.uk"},
                                                          {"port", "81"},
                                                          {"pathname", "/c"},
                                                          {"search", "?q"},
                                                          {"hash", "#f"},
                                                          {"origin", "https://www.example.co.uk:81"},
                                                          {"registrable_domain", "example.co.uk"},
                                                          {"canonical_key", "https://u:p@www.example.co.uk:81/c?q"}};
  for (const auto& [name, value] : expected) EXPECT_EQ(out.at(name), boost::json::value(value)) << name;
  EXPECT_EQ(out.size(), std::size(expected));
}

TEST(UrlInspect, Failure_IsSaidWithItsReason) {
  EXPECT_EQ(inspected(R"({"input":"http://a b/","base":null})").at("failure"), true);
  EXPECT_EQ(inspected(R"({"input":"x"})").at("failure"), true);
  const auto out = inspected(R"({"input":"x","base":"nonsense"})");
  EXPECT_EQ(out.at("failure"), true);
  EXPECT_EQ(out.at("reason").as_string().find("base: "), 0U);
}

TEST(UrlInspect, LinesThatAreNoCases_AreErrors) {
  for (const char* bad :
       {"", "{", "[]", "null", R"({"input":1})", R"({"base":"x"})", R"({"input":"x","base":1})", R"({"input":"\u12"})",
        R"({"input":"x"} x)", R"({"input":"\)", R"({"input":"\uD800)", R"("\uD800\u)"})
    EXPECT_TRUE(inspected(bad).contains("error")) << bad;
}

TEST(UrlInspect, LoneSurrogates_AreReplacementCharacters) {
  EXPECT_EQ(inspected(R"({"input":"http://h/\uD800"})").at("href"), "http://h/%EF%BF%BD");
  EXPECT_EQ(inspected(R"({"input":"http://h/\udc00x\uD83D"})").at("href"), "http://h/%EF%BF%BDx%EF%BF%BD");
  EXPECT_EQ(inspected(R"({"input":"http://h/\uD83D\uDE00"})").at("href"), "http://h/%F0%9F%98%80");
  EXPECT_EQ(inspected(R"({"input":"http://h/\uD83D\uD83D\uDE00"})").at("href"), "http://h/%EF%BF%BD%F0%9F%98%80");
  EXPECT_EQ(inspected(R"({"input":"http://h/\\uD800"})").at("href"),
            "http://h//uD800");  // an escaped backslash, no escape
  EXPECT_EQ(inspected(R"({"input":"http://h/\uD83D\n"})").at("href"), "http://h/%EF%BF%BD");
}

TEST(UrlInspect, IllFormedUtf8_IsReplaced) {
  EXPECT_EQ(inspected("{\"input\":\"http://h/\xFF\"}").at("href"), "http://h/%EF%BF%BD");
}

}  // namespace
}  // namespace outrider
