// What html5lib's cases (html_tokenizer_html5lib_test.cpp) do not ask: exact bytes, chunks, limits.
#include "base/html_tokenizer.hpp"

#include "tests/support/html_recorder.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace outrider {
namespace {

using test::HtmlStart;
using test::RecordedToken;
using test::tokens_of;

// Calls a function for each start tag, and keeps what the page looks like after it: its result instead of the tag.
class Rewriter : public HtmlHandler {
 public:
  using Edit = std::function<std::string(const HtmlTag&)>;
  explicit Rewriter(Edit edit) : edit_(std::move(edit)) {}

  void on_start_tag(const HtmlTag& tag) override { page += edit_(tag); }
  void on_end_tag(const HtmlTag& tag) override { page += tag.raw; }
  void on_text(const HtmlText& text) override { page += text.raw; }
  void on_comment(const HtmlComment& comment) override { page += comment.raw; }
  void on_doctype(const HtmlDoctype& doctype) override { page += doctype.raw; }
  void on_filler(const HtmlFiller& filler) override { page += filler.raw; }

  std::string page;

 private:
  Edit edit_;
};

std::string rewritten(std::string_view page, const Rewriter::Edit& edit) {
  Rewriter rewriter{edit};
  HtmlTokenizer tokenizer{rewriter};
  for (std::size_t at = 0; at < page.size(); at += 5) tokenizer.feed(page.substr(at, 5));
  tokenizer.finish();
  return rewriter.page;
}

TEST(HtmlTokenizer, UntouchedPage_IsByteIdentical) {
  const std::string page =
      "\xEF\xBB\xBF<!doctype HTML>\r\n<P  CLASS = x id='1'/ ><!--c--!></><?x><![CDATA[y]]>&amp&#0;\xFF<a\r=\f></ "
      "z><script><!--</p>"
      "</script\n><b a='";
  EXPECT_EQ(rewritten(page, [](const HtmlTag& tag) { return std::string(tag.raw); }), page);
}

TEST(HtmlTokenizer, Attribute_CanBeReplacedInPlace) {
  const auto edit = [](const HtmlTag& tag) {
    std::string raw{tag.raw};
    if (const HtmlAttribute* href = tag.find("href"))
      raw.replace(href->value_begin, href->value_end - href->value_begin, "/new");
    return raw;
  };
  EXPECT_EQ(rewritten("<a  HREF = \"/old\" x><a href='/old'y><a x href=/old><a href><a href=>", edit),
            "<a  HREF = \"/new\" x><a href='/new'y><a x href=/new><a href/new><a href=/new>");
}

TEST(HtmlTokenizer, Attribute_CanBeRemoved) {
  const auto edit = [](const HtmlTag& tag) {
    std::string raw{tag.raw};
    if (const HtmlAttribute* a = tag.find("x")) raw.erase(a->name_begin, a->end() - a->name_begin);
    return raw;
  };
  EXPECT_EQ(rewritten("<a x=\"1\"><a y x='2' z><a x><a x = 3>", edit), "<a ><a y  z><a ><a >");
}

TEST(HtmlTokenizer, Attributes_HaveTheirRanges) {
  class Handler : public HtmlHandler {
   public:
    void on_start_tag(const HtmlTag& tag) override {
      ++seen;
      EXPECT_EQ(tag.offset, 2U);
      EXPECT_EQ(tag.raw_name(), "A");
      EXPECT_EQ(tag.key, html_name_key("a"));
      ASSERT_EQ(tag.attributes.size(), 6U);
      const auto& list = tag.attributes;
      EXPECT_EQ(tag.raw_name(list[0]), "B");
      EXPECT_EQ(tag.raw_value(list[0]), "1&lt;");
      EXPECT_EQ(list[0].quote, '"');
      std::string scratch;
      EXPECT_EQ(tag.value(list[0], scratch), "1<");
      EXPECT_EQ(tag.raw_value(list[1]), "2");
      EXPECT_EQ(list[1].quote, '\'');
      EXPECT_EQ(tag.raw_value(list[2]), "3/");
      EXPECT_EQ(list[2].quote, '\0');
      EXPECT_FALSE(list[3].has_value);
      EXPECT_TRUE(list[4].duplicate);
      EXPECT_EQ(tag.find("b"), &list[0]);
      EXPECT_EQ(tag.name(list[5]), "=f");
      EXPECT_TRUE(list[5].has_value);
      EXPECT_EQ(tag.find("g"), nullptr);
    }
    int seen = 0;
  } handler;
  HtmlTokenizer tokenizer{handler};
  tokenizer.feed("..<A B=\"1&lt;\" c='2'd=3/ e b=4 =f=>");
  EXPECT_EQ(handler.seen, 1);
}

// 13.2.5.33: however many there are.
TEST(HtmlTokenizer, DuplicateAttributes_TheFirstCounts) {
  EXPECT_EQ(tokens_of("<a x=1 X=2 y x=3>"), "<a x=[1] y=[]>");
  EXPECT_EQ(tokens_of("<a b=1 c=2 d=3 e=4 f=5 g=6 h=7 i=8 j=9 B=0 J=0 c>"),
            "<a b=[1] c=[2] d=[3] e=[4] f=[5] g=[6] h=[7] i=[8] j=[9]>");
}

TEST(HtmlTokenizer, BytesThatMeanNothing_AreFiller) {
  EXPECT_EQ(tokens_of("a</>b"), "\"a\" ~empty_end_tag~ \"b\"");
  EXPECT_EQ(tokens_of("a<b c='d"), "\"a\" ~unfinished_tag~");
  EXPECT_EQ(tokens_of("a<"), "\"a<\"");
  EXPECT_EQ(tokens_of("a</"), "\"a</\"");
  EXPECT_EQ(tokens_of("<script>a</script"), "<script> \"a</script\"");
  EXPECT_EQ(tokens_of("<script>a</script "), "<script> \"a\" ~unfinished_tag~");
  EXPECT_EQ(tokens_of(""), "");
}

// 13.2.5.15 to 13.2.5.31
TEST(HtmlTokenizer, Script_IsHiddenByCommentsAndScriptsInThem) {
  EXPECT_EQ(tokens_of("<script><!--<script></script>--></script>x"),
            "<script> \"<!--<script></script>-->\" </script> \"x\"");
  EXPECT_EQ(tokens_of("<script><!--</script>x"), "<script> \"<!--\" </script> \"x\"");
  EXPECT_EQ(tokens_of("<script><!--<script>--></script>x"), "<script> \"<!--<script>-->\" </script> \"x\"");
  EXPECT_EQ(tokens_of("<script><!--><script></script>x"), "<script> \"<!--><script>\" </script> \"x\"");
  EXPECT_EQ(tokens_of("<script><!--<scripts></script>x"), "<script> \"<!--<scripts>\" </script> \"x\"");
  EXPECT_EQ(tokens_of("<script><!--<script></SCRIPT/</script>x"), "<script> \"<!--<script></SCRIPT/\" </script> \"x\"");
}

// 13.2.5.43 to 13.2.5.52
TEST(HtmlTokenizer, Comments_EndInSeveralWays) {
  EXPECT_EQ(tokens_of("<!--a--><!--a--!><!--><!---><!----><!-----><!--a--b-!->-->"), "{a} {a} {} {} {} {-} {a--b-!->}");
  EXPECT_EQ(tokens_of("<!a><?b></ c><!-d>"), "{a} {?b} { c} {-d}");
  EXPECT_EQ(tokens_of("<!--a--!"), "{a}");
  EXPECT_EQ(tokens_of("<!--a---"), "{a-}");
  EXPECT_EQ(tokens_of("<!--a-"), "{a}");
}

// ---- chunks ----

class Pieces : public HtmlHandler {
 public:
  void on_text(const HtmlText& text) override { texts.emplace_back(text.raw); }
  void on_start_tag(const HtmlTag& tag) override { texts.emplace_back(tag.raw); }
  std::vector<std::string> texts;

  std::string take() {
    std::string all;
    for (const std::string& text : texts) all += text;
    texts.clear();
    return all;
  }
};

TEST(HtmlTokenizer, Text_IsHandedOutInTheChunkItCameIn) {
  Pieces pieces;
  HtmlTokenizer tokenizer{pieces};
  tokenizer.feed("Hello wor");
  EXPECT_EQ(pieces.take(), "Hello wor");
  tokenizer.feed("ld &am");
  EXPECT_EQ(pieces.take(), "ld ");
  EXPECT_EQ(tokenizer.held(), 3U);
  tokenizer.feed("p; \xE2\x82");
  EXPECT_EQ(pieces.take(), "&amp; ");
  tokenizer.feed("\xAC 5 < 6 <");
  EXPECT_EQ(pieces.take(), "\xE2\x82\xAC 5 < 6 ");
  tokenizer.feed("b");
  EXPECT_EQ(pieces.take(), "");
  tokenizer.feed("><script>var a = '</scr");
  EXPECT_EQ(pieces.take(), "<b><script>var a = '");
  EXPECT_EQ(tokenizer.held(), 5U);
  tokenizer.feed("eam>'; // &amp");
  EXPECT_EQ(pieces.take(), "</scream>'; // &amp");
  EXPECT_EQ(tokenizer.held(), 0U);
}

TEST(HtmlTokenizer, EndTagOfAnotherElement_IsNotWaitedFor) {
  Pieces pieces;
  HtmlTokenizer tokenizer{pieces};
  tokenizer.feed("<title></titleandmore");
  EXPECT_EQ(pieces.take(), "<title></titleandmore");
  EXPECT_EQ(tokenizer.held(), 0U);
}

TEST(HtmlTokenizer, PiecesOfText_DecodeAsTheWhole) {
  EXPECT_EQ(tokens_of("a&notin;b&not;c&amp\r\n\r&#x26;&#38x &CounterClockwiseContourIntegral;\xF0\x9F\x98\x80"),
            "\"a\xE2\x88\x89"
            "b\xC2\xAC"
            "c&\n\n&&x \xE2\x88\xB3\xF0\x9F\x98\x80\"");
}

// A token that begins in one chunk and ends deep in the next large one.
TEST(HtmlTokenizer, LargeChunks_GoOnWhereTheyLie) {
  std::string page = "<a title='";
  for (int i = 0; i < 3000; ++i) page += "word ";
  page += "'>";
  for (int i = 0; i < 3000; ++i) page += "<b c=d>text</b>";
  const std::vector<RecordedToken> whole = test::tokenize_html({page});
  ASSERT_EQ(whole.size(), 9001U);
  for (const std::size_t at : {1UL, 5UL, 1000UL, 1034UL, 15000UL, 15012UL, 15013UL, 20001UL})
    EXPECT_EQ(test::tokenize_html({std::string_view(page).substr(0, at), std::string_view(page).substr(at)}), whole)
        << at;
}

TEST(HtmlTokenizer, Offsets_CountFromTheFirstByteOfThePage) {
  class Last : public HtmlHandler {
   public:
    void on_start_tag(const HtmlTag& tag) override { offset = tag.offset; }
    void on_end(std::uint64_t bytes) override { size = bytes; }
    std::uint64_t offset = 0, size = 0;
  } last;
  HtmlTokenizer tokenizer{last};
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 5; ++i) tokenizer.feed(megabyte);
  tokenizer.feed("<p>");
  tokenizer.finish();
  EXPECT_EQ(last.offset, 5U << 20);
  EXPECT_EQ(last.size, (5U << 20) + 3);
}

// ---- content ----

TEST(HtmlTokenizer, HandlerMayDecideWhatFollowsATag) {
  class Handler : public Pieces {
   public:
    void on_start_tag(const HtmlTag& tag) override {
      if (tag.raw_name() == "x") tokenizer->set_content(HtmlContent::rawtext);
      if (tag.raw_name() == "title") tokenizer->set_content(HtmlContent::data);
      Pieces::on_start_tag(tag);
    }
    HtmlTokenizer* tokenizer = nullptr;
  } handler;
  HtmlTokenizer tokenizer{handler};
  handler.tokenizer = &tokenizer;
  tokenizer.feed("<x><b></b></x><title><i>");
  tokenizer.finish();
  EXPECT_EQ(handler.texts, (std::vector<std::string>{"<x>", "<b></b>", "<title>", "<i>"}));
}

// ---- limits ----

HtmlStart limited(std::uint32_t token, std::uint32_t attributes = 100) {
  HtmlStart start;
  start.options.limits = {token, attributes};
  return start;
}

std::string filled(const std::string& begin, std::size_t size, const std::string& end) {
  return begin + std::string(size - begin.size() - end.size(), 'x') + end;
}

TEST(HtmlTokenizer, TokenAtTheLimit_IsWhole) {
  EXPECT_EQ(tokens_of(filled("<a b=", 64, ">"), limited(64)), "<a b=[" + std::string(58, 'x') + "]>");
  EXPECT_EQ(tokens_of(filled("<!--", 64, "-->"), limited(64)), "{" + std::string(57, 'x') + "}");
}

TEST(HtmlTokenizer, LongerTag_HasTheAttributesThatWereComplete) {
  EXPECT_EQ(tokens_of(filled("<a b=1 c d='2' e=", 65, ">") + "y", limited(64)),
            "cut:<a b=[1] c=[] d=[2]> ~remainder~ \"y\"");
  EXPECT_EQ(tokens_of(filled("<a b ", 200, "='1'/>") + "y", limited(64)), "cut:<a b=[]> ~remainder~ \"y\"");
  EXPECT_EQ(tokens_of(filled("</a b='", 65, "'>") + "y", limited(64)), "cut:</a> ~remainder~ \"y\"");
  EXPECT_EQ(tokens_of(filled("<", 100, ">") + "y", limited(64)),
            "cut:<" + std::string(63, 'x') + "> ~remainder~ \"y\"");
}

TEST(HtmlTokenizer, LongerTag_IsFollowedToItsEnd) {
  EXPECT_EQ(tokens_of(filled("<script src='", 300, "> \">' a=\">\" b>") + "<b></script>", limited(64)),
            "cut:<script> ~remainder~ \"<b>\" </script>");
  EXPECT_EQ(tokens_of(filled("<svg a='", 300, "'/>") + "<style><b>", limited(64)),
            "cut:<svg> ~remainder~ <style> \"<b>\"");
}

TEST(HtmlTokenizer, LongerCommentOrDoctype_IsCut) {
  EXPECT_EQ(tokens_of(filled("<!--", 80, "-->") + "y", limited(64)),
            "cut:{" + std::string(60, 'x') + "} ~remainder~ \"y\"");
  for (std::size_t size = 65; size < 72; ++size)  // the cut goes through the end
    EXPECT_EQ(tokens_of(filled("<!--", size, "--!>") + "-->", limited(64)).substr(0, 55),
              "cut:{" + std::string(50, 'x'));
  EXPECT_EQ(tokens_of(filled("<!", 80, ">") + "y", limited(64)),
            "cut:{" + std::string(62, 'x') + "} ~remainder~ \"y\"");
  EXPECT_EQ(tokens_of(filled("<!doctype html ", 80, ">") + "y", limited(64)), "cut:!html ~remainder~ \"y\"");
  EXPECT_EQ(tokens_of(filled("<!--", 80, ""), limited(64)), "cut:{" + std::string(60, 'x') + "} ~remainder~");
}

TEST(HtmlTokenizer, MoreAttributesThanAllowed_AreDropped) {
  EXPECT_EQ(tokens_of("<a b=1 c d=3 e f=5>", limited(1000, 3)), "<a b=[1] c=[] d=[3]>");
  EXPECT_EQ(tokens_of("<a b=1 c=2 d>", limited(1000, 3)), "<a b=[1] c=[2] d=[]>");
  EXPECT_EQ(tokens_of(filled("<a b c d='", 100, "' e f>"), limited(64, 2)), "cut:<a b=[] c=[]> ~remainder~");
  const std::vector<RecordedToken> tokens = test::tokenize_html({"<a b c><a b c d>"}, limited(1000, 2));
  EXPECT_FALSE(tokens.at(0).attributes_dropped);
  EXPECT_TRUE(tokens.at(1).attributes_dropped);
}

TEST(HtmlTokenizer, Memory_IsBoundedByTheLargestToken) {
  for (const std::string begin : {"<a href='", "<a ", "<", "<!--", "<!", "<?", "<!doctype ", "</a ", "text", "&#",
                                  "<script>", "<svg><![CDATA["}) {
    HtmlHandler nobody;
    HtmlTokenizer tokenizer{nobody, {.limits = {.token = 4096, .attributes = 16}}};
    tokenizer.feed(begin);
    for (const char c : {'0', ' ', '-', ']', '&'}) {
      const std::string chunk(10'000, c);
      for (int i = 0; i < 100; ++i) {
        tokenizer.feed(chunk);
        EXPECT_LE(tokenizer.held(), 4096U + 3) << begin;
      }
    }
    tokenizer.finish();
  }
}

}  // namespace
}  // namespace outrider
