// The conformance cases of web-platform-tests, https://github.com/web-platform-tests/wpt/tree/master/url/resources.
#include "base/url.hpp"

#include "base/url_parser.hpp"
#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

namespace json = boost::json;
using test::attribute;
using test::load_url_cases;
using test::parse_exact;

std::string text_of(const json::value& value) {
  return std::string(value.as_string());
}

// Both parsers must agree wherever the fast one accepts: the serialisation and every offset behind it.
void expect_same_as_general_parser(std::string_view input, const Url* base, const Result<Url>& result) {
  UrlParser parser(input, base, {});
  const bool parsed = parser.run() == nullptr;
  ASSERT_EQ(parsed, result.has_value()) << input;
  if (!parsed) return;
  const Url general = parser.take();
  for (std::string_view name : test::kAttributes) EXPECT_EQ(attribute(general, name), attribute(*result, name)) << name;
  EXPECT_EQ(general.host_kind(), result->host_kind()) << input;
}

// The serialisation parses to itself (https://url.spec.whatwg.org/#url-serializing).
void expect_serialisation_is_stable(const Url& url) {
  const Result<Url> again = parse_exact(url.href());
  ASSERT_TRUE(again) << url.href();
  for (std::string_view name : test::kAttributes) EXPECT_EQ(attribute(*again, name), attribute(url, name)) << name;
  EXPECT_EQ(again->has_opaque_path(), url.has_opaque_path());
}

TEST(UrlWpt, UrlTestData_ParsesAndResolvesAsBrowsersDo) {
  const auto cases = load_url_cases("urltestdata.json");
  if (!cases) GTEST_SKIP() << "skipped: no shared data";
  int count = 0;
  for (const json::value& entry : cases->as_array()) {
    const json::object* c = entry.if_object();
    if (c == nullptr) continue;  // a comment
    ++count;
    const std::string input = text_of(c->at("input"));
    const json::value* base_text = c->if_contains("base");
    SCOPED_TRACE(json::serialize(*c));
    std::optional<Url> base;
    if (base_text != nullptr && base_text->is_string()) {
      const Result<Url> parsed = parse_exact(text_of(*base_text));
      if (!parsed) {
        EXPECT_TRUE(c->contains("failure")) << "the base does not parse";
        continue;
      }
      base = *parsed;
    }
    const Url* base_or_null = base ? &*base : nullptr;
    const Result<Url> url = parse_exact(input, base_or_null);
    expect_same_as_general_parser(input, base_or_null, url);
    if (c->contains("failure")) {
      EXPECT_FALSE(url) << url->href();
      continue;
    }
    ASSERT_TRUE(url) << url.error().detail;
    for (std::string_view name : test::kAttributes) {
      const json::value* expected = c->if_contains(name);
      if (expected != nullptr) {
        EXPECT_EQ(attribute(*url, name), text_of(*expected)) << name;
      }
    }
    expect_serialisation_is_stable(*url);
  }
  EXPECT_GT(count, 600);
}

TEST(UrlWpt, SettersTests_ChangeWhatTheyMay) {
  const auto cases = load_url_cases("setters_tests.json");
  if (!cases) GTEST_SKIP() << "skipped: no shared data";
  int count = 0;
  for (const auto& [name, list] : cases->as_object()) {
    if (name == "comment") continue;
    for (const json::value& c : list.as_array()) {
      ++count;
      SCOPED_TRACE(std::string(name) + ": " + json::serialize(c));
      Result<Url> url = parse_exact(text_of(c.at("href")));
      ASSERT_TRUE(url);
      test::set_attribute(*url, name, test::ExactBuffer(text_of(c.at("new_value"))));
      for (const auto& [attribute_name, expected] : c.at("expected").as_object())
        EXPECT_EQ(attribute(*url, attribute_name), text_of(expected)) << std::string_view(attribute_name);
      expect_serialisation_is_stable(*url);
    }
  }
  EXPECT_GT(count, 200);
}

// toascii.json and IdnaTestV2.json: host names in, ASCII out, null for those that must fail.
void run_host_cases(std::string_view file, int at_least) {
  const auto cases = load_url_cases(file);
  if (!cases) GTEST_SKIP() << "skipped: no shared data";
  int count = 0;
  for (const json::value& entry : cases->as_array()) {
    const json::object* c = entry.if_object();
    if (c == nullptr || text_of(c->at("input")).empty()) continue;
    ++count;
    SCOPED_TRACE(json::serialize(*c));
    const std::string input = text_of(c->at("input"));
    const Result<Url> url = parse_exact(test::url_with_host(input));
    const Result<std::string> host = parse_host(test::ExactBuffer(input), true);
    EXPECT_EQ(url.has_value(), host.has_value());
    if (c->at("output").is_null()) {
      EXPECT_FALSE(url) << url->href();
      continue;
    }
    const std::string output = text_of(c->at("output"));
    ASSERT_TRUE(url) << url.error().detail;
    EXPECT_EQ(url->hostname(), output);
    EXPECT_EQ(url->host(), output);
    EXPECT_EQ(url->pathname(), "/x");
    EXPECT_EQ(*host, output);
    expect_serialisation_is_stable(*url);
  }
  EXPECT_GT(count, at_least);
}

TEST(UrlWpt, ToAscii_OfAssortedHosts) {
  run_host_cases("toascii.json", 55);
}

TEST(UrlWpt, IdnaTestV2_OfUnicode) {
  run_host_cases("IdnaTestV2.json", 1800);
}

TEST(UrlWpt, PercentEncoding_QueryInTheCharsetOfThePage) {
  const auto cases = load_url_cases("percent-encoding.json");
  if (!cases) GTEST_SKIP() << "skipped: no shared data";
  int count = 0;
  for (const json::value& entry : cases->as_array()) {
    const json::object* c = entry.if_object();
    if (c == nullptr) continue;
    const std::string input = text_of(c->at("input"));
    const json::object& output = c->at("output").as_object();
    for (const auto& [charset, expected] : output) {
      ++count;
      SCOPED_TRACE(std::string(charset) + ": " + json::serialize(*c));
      const Result<Url> url = parse_exact("https://doc.invalid/?" + input + "#" + input, nullptr, charset);
      ASSERT_TRUE(url);
      EXPECT_EQ(url->search(), "?" + text_of(expected));
      EXPECT_EQ(url->hash(), "#" + text_of(output.at("utf-8")));  // only the query is in the charset of the page
    }
  }
  EXPECT_GT(count, 12);
}

}  // namespace
}  // namespace outrider
