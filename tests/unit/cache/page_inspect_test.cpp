#include "cache/page_inspect.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

namespace json = boost::json;

TEST(PageInspect, LinksOfALine) {
  const json::value answer = json::parse(
      inspect_links_ndjson_line(R"({"html":"<nav><a href=b rel=nofollow>B</a>","url":"https://e.example/a/"})"));
  const json::object& link = answer.at("links").at(0).get_object();
  EXPECT_EQ(link.at("target"), "https://e.example/a/b");
  EXPECT_EQ(link.at("kind"), "anchor");
  EXPECT_EQ(link.at("reach"), "subdirectory");
  EXPECT_EQ(link.at("text"), "B");
  EXPECT_EQ(json::serialize(link.at("flags")), R"(["nofollow","in_navigation"])");
}

TEST(PageInspect, LanguageOfTextAndPage) {
  const std::string sentence = "Das ist ein ganz gewöhnlicher deutscher Satz, wie er überall stehen könnte.";
  EXPECT_EQ(json::parse(inspect_language_ndjson_line(R"({"text":")" + sentence + "\"}")).at("language"), "de");
  EXPECT_EQ(json::parse(inspect_language_ndjson_line(R"({"html":"<p>)" + sentence + "\"}")).at("language"), "de");
}

TEST(PageInspect, LinesThatAreNoSuchObject) {
  for (const char* line : {"", "[]", "{}", "{\"html\":1,\"url\":2}", "{\"html\":\"\",\"url\":\"x\"}", "\xFF"}) {
    EXPECT_TRUE(json::parse(inspect_links_ndjson_line(line)).get_object().contains("error")) << line;
  }
  EXPECT_TRUE(json::parse(inspect_language_ndjson_line("{}")).get_object().contains("error"));
}

}  // namespace
}  // namespace outrider
