// https://mimesniff.spec.whatwg.org/#parsing-a-mime-type
#include "base/mime_type.hpp"

#include "tests/support/url_cases.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

// "type/subtype;name=value;…" or "-"
std::string parse(std::string_view text) {
  const auto mime = parse_mime_type(test::ExactBuffer(text));
  if (!mime) return "-";
  std::string out = mime->essence();
  for (const auto& [name, value] : mime->parameters) out += ';' + name + '=' + value;
  return out;
}

TEST(MimeType, TypeAndSubtype_AreTokens) {
  EXPECT_EQ(parse("text/html"), "text/html");
  EXPECT_EQ(parse(" \t\r\nTEXT/Html \t"), "text/html");
  EXPECT_EQ(parse("image/svg+xml;"), "image/svg+xml");
  EXPECT_EQ(parse("*/*"), "*/*");
  for (const std::string_view none : {"", " ", "text", "text/", "/html", "te xt/html", "text/ht ml", "text /html",
                                      "text/ html", "text/html,text/plain", "(x)/y", "text/\xC3\xA4"})
    EXPECT_EQ(parse(none), "-") << none;
}

TEST(MimeType, Parameters_AreReadAsBrowsersDo) {
  EXPECT_EQ(parse("text/html;charset=UTF-8"), "text/html;charset=UTF-8");
  EXPECT_EQ(parse("text/html ; CHARSET=\"utf-8\" x ; a=b"), "text/html;charset=utf-8;a=b");
  EXPECT_EQ(parse("text/html;charset=a;charset=b"), "text/html;charset=a");
  EXPECT_EQ(parse("text/html;charset= a b ;x"), "text/html;charset= a b");
  EXPECT_EQ(parse("text/html;charset=;a=b"), "text/html;a=b");
  EXPECT_EQ(parse("text/html;charset=\"\""), "text/html;charset=");
  EXPECT_EQ(parse("text/html;charset=\"a\\\"b;c\\"), "text/html;charset=a\"b;c\\");
  EXPECT_EQ(parse("text/html;;;;a=b;c;=d;e f=g;h=\x7F"), "text/html;a=b");
  EXPECT_EQ(parse("text/html;a"), "text/html");
  EXPECT_EQ(parse("text/html;a="), "text/html");
  EXPECT_EQ(parse("text/html;a='b'"), "text/html;a='b'");
}

TEST(MimeType, Xml_IsKnown) {
  for (const std::string_view xml : {"text/xml", "application/xml", "image/svg+xml", "application/atom+xml"})
    EXPECT_TRUE(parse_mime_type(xml)->is_xml()) << xml;
  for (const std::string_view other : {"text/html", "image/xml", "text/xmlx"})
    EXPECT_FALSE(parse_mime_type(other)->is_xml()) << other;
}

}  // namespace
}  // namespace outrider
