// HTML standard, section 13.2.6: what the tree builder tells the tokenizer, seen through the tokenizer.
#include "base/html_content_model.hpp"

#include "tests/support/html_recorder.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using test::HtmlStart;
using test::tokens_of;

// 13.2.6.4.4 and 13.2.6.4.7
TEST(HtmlContentModel, ElementsThatHoldText) {
  EXPECT_EQ(tokens_of("<title><b>&lt;</title><b>"), "<title> \"<b><\" </title> <b>");
  EXPECT_EQ(tokens_of("<TEXTAREA></title>&amp</textarea ><b>"), "<textarea> \"</title>&\" </textarea> <b>");
  for (const std::string name : {"style", "xmp", "iframe", "noembed", "noframes", "noscript"})
    EXPECT_EQ(tokens_of("<" + name + "><b>&lt;</b></" + name + "><b>"),
              "<" + name + "> \"<b>&lt;</b>\" </" + name + "> <b>");
  EXPECT_EQ(tokens_of("<script>a<b></script><b>"), "<script> \"a<b>\" </script> <b>");
  EXPECT_EQ(tokens_of("<plaintext><b></plaintext>&amp;"), "<plaintext> \"<b></plaintext>&amp;\"");
  EXPECT_EQ(tokens_of("<listing><pre><template><p>"), "<listing> <pre> <template> <p>");
}

TEST(HtmlContentModel, SelfClosingMeansNothingInHtml) {
  EXPECT_EQ(tokens_of("<title/><b></title>"), "<title/> \"<b>\" </title>");
  EXPECT_EQ(tokens_of("<script/><b></script>"), "<script/> \"<b>\" </script>");
}

TEST(HtmlContentModel, NoscriptIsMarkup_WhereNoScriptsRun) {
  HtmlStart start;
  start.options.scripting = false;
  EXPECT_EQ(tokens_of("<noscript><b>&lt;</noscript>", start), "<noscript> <b> \"<\" </noscript>");
}

// 13.2.6.5: elements of SVG and MathML never change the tokenizer's state.
TEST(HtmlContentModel, InSvgAndMath_NoElementHoldsText) {
  for (const std::string name : {"title", "style", "script", "textarea", "xmp", "iframe", "noscript", "plaintext"}) {
    for (const std::string root : {"svg", "math"})
      EXPECT_EQ(tokens_of("<" + root + "><g><" + name + "><g>&lt;</" + name + "></" + root + ">"),
                "<" + root + "> <g> <" + name + "> <g> \"<\" </" + name + "> </" + root + ">");
    EXPECT_NE(tokens_of("<svg></svg><" + name + "><g></g>"), "<svg> </svg> <" + name + "> <g> </g>") << "over again";
  }
}

TEST(HtmlContentModel, CdataSections_CountOnlyInSvgAndMath) {
  EXPECT_EQ(tokens_of("<p><![CDATA[a>b]]>"), "<p> {[CDATA[a} \"b]]>\"");
  EXPECT_EQ(tokens_of("<svg><![CDATA[a>b]]]>c<b>"), "<svg> \"a>b]\" \"c\" <b>");
  EXPECT_EQ(tokens_of("<math><mi><![CDATA[<&amp;\r\n]]></math><![CDATA[x]]>"),
            "<math> <mi> \"<&amp;\n\" </math> {[CDATA[x]]}");
  EXPECT_EQ(tokens_of("<svg><![cdata[x]]>"), "<svg> {[cdata[x]]}");
  EXPECT_EQ(tokens_of("<svg/><![CDATA[x]]>"), "<svg/> {[CDATA[x]]}");
  EXPECT_EQ(tokens_of("<svg><![CDATA[x]]"), "<svg> \"x]]\"");
}

// 13.2.6.5: html integration points and MathML text integration points.
TEST(HtmlContentModel, HtmlBeginsAgain_InIntegrationPoints) {
  EXPECT_EQ(tokens_of("<svg><foreignObject><title><b></title></foreignObject><title><b></svg>"),
            "<svg> <foreignobject> <title> \"<b>\" </title> </foreignobject> <title> <b> </svg>");
  for (const std::string point :
       {"svg><desc", "svg><title", "math><mi", "math><mo", "math><mn", "math><ms", "math><mtext",
        "math><annotation-xml encoding='Text/HTML'", "math><annotation-xml encoding='application/xhtml&#43;xml'"})
    EXPECT_NE(tokens_of("<" + point + "><style><b></style>").find("<style> \"<b>\" </style>"), std::string::npos)
        << point;
  for (const std::string none : {"svg><mi", "math><desc", "math><annotation-xml", "math><annotation-xml encoding=x"})
    EXPECT_NE(tokens_of("<" + none + "><style><b></style>").find("<style> <b> </style>"), std::string::npos) << none;
}

TEST(HtmlContentModel, IntegrationPoints_AreStillSvg) {
  EXPECT_EQ(tokens_of("<svg><title><![CDATA[x]]></title>"), "<svg> <title> \"x\" </title>");
  EXPECT_EQ(tokens_of("<svg><foreignObject><div><![CDATA[x]]></div>"),
            "<svg> <foreignobject> <div> {[CDATA[x]]} </div>");
  EXPECT_EQ(tokens_of("<svg><desc><p><br></p><![CDATA[x]]>"), "<svg> <desc> <p> <br> </p> \"x\"");
  EXPECT_EQ(tokens_of("<math><mi><mglyph><style><b>"), "<math> <mi> <mglyph> <style> <b>");
  EXPECT_EQ(tokens_of("<math><annotation-xml><svg><desc><style><b>"),
            "<math> <annotation-xml> <svg> <desc> <style> \"<b>\"");
}

TEST(HtmlContentModel, SvgInsideHtmlInsideSvg) {
  EXPECT_EQ(
      tokens_of(
          "<svg><foreignObject><svg><style><g></style></svg><style><g></style></foreignObject><style><g></style>"),
      "<svg> <foreignobject> <svg> <style> <g> </style> </svg> <style> \"<g>\" </style> </foreignobject> <style> <g> "
      "</style>");
}

// 13.2.6.5: "a start tag whose tag name is one of: b, big, blockquote, …"
TEST(HtmlContentModel, TagsOfHtml_EndSvg) {
  EXPECT_EQ(tokens_of("<svg><g><p><style><b>"), "<svg> <g> <p> <style> \"<b>\"");
  EXPECT_EQ(tokens_of("<svg><font><style><b>"), "<svg> <font> <style> <b>");
  EXPECT_EQ(tokens_of("<svg><font SIZE=1><style><b>"), "<svg> <font size=[1]> <style> \"<b>\"");
  EXPECT_EQ(tokens_of("<svg><a><style><g>"), "<svg> <a> <style> <g>");
  EXPECT_EQ(tokens_of("<svg></p><style><b>"), "<svg> </p> <style> \"<b>\"");
  EXPECT_EQ(tokens_of("<svg><foreignObject><math><p><style><b>"), "<svg> <foreignobject> <math> <p> <style> \"<b>\"");
}

TEST(HtmlContentModel, EndTags_CloseWhatIsOpen) {
  EXPECT_EQ(tokens_of("<svg></g></unknown><style><b>"), "<svg> </g> </unknown> <style> <b>");
  EXPECT_EQ(tokens_of("<svg><svg></svg><style><g></svg><style><b>"),
            "<svg> <svg> </svg> <style> <g> </svg> <style> \"<b>\"");
  EXPECT_EQ(tokens_of("<div><svg><g></div><style><b>"), "<div> <svg> <g> </div> <style> \"<b>\"");
  EXPECT_EQ(tokens_of("<svg><a></a><style><g>"), "<svg> <a> </a> <style> <g>");
  EXPECT_EQ(tokens_of("<svg><desc><div><math></svg><style><g>"), "<svg> <desc> <div> <math> </svg> <style> <g>");
}

TEST(HtmlContentModel, DeeperThanRecorded_IsStillFollowed) {
  std::string page;
  for (int i = 0; i < 2000; ++i) page += "<svg>";
  for (int i = 0; i < 1999; ++i) page += "</svg>";
  const auto end_of = [](const std::string& text) {
    const std::string all = test::describe(test::tokenize_html({text}));
    return all.substr(all.rfind("</svg>"));
  };
  EXPECT_EQ(end_of(page + "<style><g>"), "</svg> <style> <g>");
  EXPECT_EQ(end_of(page + "</svg><style><g>"), "</svg> <style> \"<g>\"");
}

}  // namespace
}  // namespace outrider
