#include "proxy/tag_splice.hpp"

#include "base/html_tokenizer.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace outrider {
namespace {

// `change` applied to the first tag of `page`.
std::string spliced(std::string_view page, const std::function<void(TagSplice&)>& change) {
  struct First : HtmlHandler {
    const std::function<void(TagSplice&)>* change = nullptr;
    std::string out;
    void on_start_tag(const HtmlTag& tag) override {
      TagSplice splice;
      (*change)(splice);
      splice.apply(tag, true, out);
    }
  } handler;
  handler.change = &change;
  HtmlTokenizer tokenizer{handler};
  tokenizer.feed(page);
  tokenizer.finish();
  return handler.out;
}

// What a browser would read from it: attributes that count.
std::string read_again(const std::string& tag_text) {
  struct Reader : HtmlHandler {
    std::string out;
    void on_start_tag(const HtmlTag& tag) override {
      std::string scratch;
      out = tag.name();
      for (const HtmlAttribute& a : tag.attributes)
        if (!a.duplicate) out += " " + tag.name(a) + "=" + std::string{tag.value(a, scratch)};
    }
  } handler;
  HtmlTokenizer tokenizer{handler};
  tokenizer.feed(tag_text);
  tokenizer.finish();
  return handler.out;
}

std::string set_b(std::string_view page) {
  return spliced(page, [](TagSplice& s) { s.set("b", "1\"<&"); });
}
std::string without_b(std::string_view page) {
  return spliced(page, [](TagSplice& s) { s.remove("b"); });
}

TEST(TagSplice, ExistingAttribute_GetsItsValueReplacedInPlace) {
  EXPECT_EQ(set_b("<a x=y b = 'old'  z>"), "<a x=y b=\"1&quot;&lt;&amp;\"  z>");
  EXPECT_EQ(set_b("<a B>"), "<a B=\"1&quot;&lt;&amp;\">");
  EXPECT_EQ(set_b("<a b=c/>"), "<a b=\"1&quot;&lt;&amp;\">");
  EXPECT_EQ(set_b("<a b=\"x\"c=d>"), "<a b=\"1&quot;&lt;&amp;\"c=d>");
}

TEST(TagSplice, NewAttribute_ReadsBackWhateverIsThere) {
  for (const std::string tag : {"<a>", "<a/>", "<a >", "<a x = >", "<a x=y>", "<a x/>", "<a\nx='y'z>", "<a/x>"}) {
    const std::string result = set_b(tag);
    EXPECT_TRUE(read_again(result).starts_with("a b=1\"<&")) << result;
  }
}

TEST(TagSplice, RemovedAttribute_LeavesItsNeighboursAlone) {
  EXPECT_EQ(without_b("<a x=y b=c z>"), "<a x=y z>");
  EXPECT_EQ(without_b("<a b=c>"), "<a>");
  EXPECT_EQ(without_b("<a x=y b=\"c\"/>"), "<a x=y />");  // not "y/"
  EXPECT_EQ(without_b("<a x=y b=\"c\"z>"), "<a x=y z>");  // not "yz"
  EXPECT_EQ(without_b("<a b b=2 c b>"), "<a c>");         // or the second one would begin to count
}

TEST(TagSplice, OfTwoChangesTheLaterStays) {
  const auto both = [](TagSplice& s) {
    s.set("b", "1");
    s.remove("b");
    s.set("c", "2");
    s.set("c", "3");
  };
  EXPECT_EQ(spliced("<a b=0>", both), "<a c=\"3\">");
}

}  // namespace
}  // namespace outrider
