#include "proxy/rewriter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace outrider {
namespace {

using ::testing::ElementsAre;

// A filter made of functions.
struct Scripted : PageFilter {
  PageInterest wants;
  std::function<void(const HtmlTag&, TagEdit&)> start_tag;
  std::function<void(const HtmlTag&, TokenEdit&)> end_tag;
  std::function<void(const HtmlText&, TokenEdit&)> text;
  std::function<void(const HtmlComment&, TokenEdit&)> comment;
  std::function<std::string(PagePlace)> place;
  std::function<bool()> done;

  PageInterest interest() const override { return wants; }
  void on_start_tag(const HtmlTag& tag, TagEdit& edit) override {
    if (start_tag) start_tag(tag, edit);
  }
  void on_end_tag(const HtmlTag& tag, TokenEdit& edit) override {
    if (end_tag) end_tag(tag, edit);
  }
  void on_text(const HtmlText& token, TokenEdit& edit) override {
    if (text) text(token, edit);
  }
  void on_comment(const HtmlComment& token, TokenEdit& edit) override {
    if (comment) comment(token, edit);
  }
  std::string insert_at(PagePlace at) override { return place ? place(at) : std::string{}; }
  bool is_done() const override { return done && done(); }
};

using Make = std::function<Scripted()>;

Scripted on_tags(std::string element, std::function<void(const HtmlTag&, TagEdit&)> edit) {
  Scripted filter;
  filter.wants.tags = {{std::move(element), ""}};
  filter.start_tag = std::move(edit);
  return filter;
}

Scripted marks() {
  Scripted filter;
  filter.place = [](PagePlace place) {
    constexpr std::array<std::string_view, 4> kNames{"{H}", "{/H}", "{B}", "{/B}"};
    return std::string{kNames[static_cast<std::size_t>(place)]};
  };
  return filter;
}

std::string run(const std::vector<std::string_view>& chunks, const std::vector<Make>& makes,
                PageRewriter::Options options) {
  PageRewriter::Filters filters;
  for (const Make& make : makes) filters.push_back(std::make_unique<Scripted>(make()));
  PageRewriter rewriter{std::move(filters), std::move(options)};
  std::string out;
  for (const std::string_view chunk : chunks) {
    const std::string exact{chunk};  // of its size, so that a sanitizer sees what goes beyond it
    out += rewriter.feed(exact);
  }
  out += rewriter.finish();
  return out;
}

// The result must not depend on how the network cut the page.
std::string rewrite(std::string_view page, const std::vector<Make>& makes, const PageRewriter::Options& options = {}) {
  const std::string whole = run({page}, makes, options);
  for (std::size_t at = 0; at <= page.size(); ++at)
    EXPECT_EQ(run({page.substr(0, at), page.substr(at)}, makes, options), whole) << "split at " << at;
  return whole;
}

std::string rewrite(std::string_view page, const Make& make, const PageRewriter::Options& options = {}) {
  return rewrite(page, std::vector<Make>{make}, options);
}

TEST(Rewriter, SeveralInterestsInOneTag_AreOneCall) {
  const auto make = [] {
    Scripted filter = on_tags("a", [](const HtmlTag&, TagEdit& edit) { edit.after("+"); });
    filter.wants.tags = {{"a", "href"}, {"a", ""}, {"", "title"}};
    filter.wants.end_tags = true;
    filter.end_tag = [](const HtmlTag&, TokenEdit& edit) { edit.after("-"); };
    return filter;
  };
  EXPECT_EQ(rewrite("<a href=x title=y>z</a>", make), "<a href=x title=y>+z</a>-");
}

TEST(Rewriter, PageWithoutEdits_IsByteIdentical) {
  const std::string page =
      "<!doctype html>\n<HTML><head ><title>a&amp;b</TITLE><script>if (a<b) '</div>'</script></head>\r\n<body>"
      "<a href = x/ HREF='y'>\xFF text</a ><!-- c --!></><br/><svg><![CDATA[x]]></svg><p";
  EXPECT_EQ(rewrite(page, [] { return on_tags("", [](const HtmlTag&, TagEdit&) {}); }), page);
  EXPECT_EQ(rewrite("", [] { return Scripted{}; }), "");
}

TEST(Rewriter, UnchangedChunk_IsNotCopied) {
  PageRewriter::Filters filters;
  filters.push_back(std::make_unique<Scripted>());
  PageRewriter rewriter{std::move(filters), {}};
  const std::string chunk = "<p>one</p><p>two</p>";
  EXPECT_EQ(rewriter.feed(chunk).data(), chunk.data());
}

// The first byte is forwarded within the chunk it came in: only an incomplete token waits.
TEST(Rewriter, Chunk_GoesOutUpToAnIncompleteToken) {
  PageRewriter::Filters filters;
  filters.push_back(std::make_unique<Scripted>());
  PageRewriter rewriter{std::move(filters), {}};
  EXPECT_EQ(rewriter.feed("<p>one<a hre"), "<p>one");
  EXPECT_EQ(rewriter.held(), 6U);
  EXPECT_EQ(rewriter.feed("f=x>two"), "<a href=x>two");
  EXPECT_EQ(rewriter.finish(), "");
}

TEST(Rewriter, FiltersOfTheHeadAlone_SeeNothingBehindIt) {
  const auto make = [] {
    Scripted filter = marks();
    filter.wants = PageInterest::in_head({{"", ""}});
    filter.start_tag = [](const HtmlTag&, TagEdit& edit) { edit.after("+"); };
    return filter;
  };
  EXPECT_EQ(rewrite("<head><meta></head><body><p>one<p>two</body>", make),
            "<head>{H}+<meta>+{/H}</head><body><p>one<p>two</body>");
  EXPECT_EQ(rewrite("<title>x</title>text<b>", make), "{H}<title>+x</title>{/H}text<b>");
}

TEST(Rewriter, WhatFollowsTheHead_IsNotHeld) {
  Scripted filter = marks();
  filter.wants.head_only = true;
  PageRewriter::Filters filters;
  filters.push_back(std::make_unique<Scripted>(filter));
  PageRewriter rewriter{std::move(filters), {}};
  rewriter.feed("<head></head><body><p>");
  EXPECT_EQ(rewriter.feed("<a hre"), "<a hre");  // half a tag: nobody looks
  EXPECT_EQ(rewriter.feed(std::string(10'000, '<')), std::string(10'000, '<'));
  EXPECT_EQ(rewriter.finish(), "");
}

TEST(Rewriter, FilterThatHasSeenEnough_IsCalledNoMore_WhereverThePageIsCut) {
  const auto make = [] {
    const auto seen = std::make_shared<int>(0);
    Scripted filter = marks();
    filter.wants = PageInterest::in({{"b", ""}});
    filter.wants.until_done = true;
    filter.start_tag = [seen](const HtmlTag&, TagEdit& edit) { edit.after(std::to_string(++*seen)); };
    filter.done = [seen] { return *seen == 2; };
    return filter;
  };
  EXPECT_EQ(rewrite("<head></head><body><b>x<b>y<b>z</body>", make),
            "<head>{H}{/H}</head><body>{B}<b>1x<b>2y<b>z</body>");
}

TEST(Rewriter, WhereAllFiltersHaveSeenEnough_TheRestIsNotHeld) {
  Scripted filter;
  filter.wants = PageInterest::in({{"b", ""}});
  filter.wants.until_done = true;
  filter.done = [] { return true; };
  PageRewriter::Filters filters;
  filters.push_back(std::make_unique<Scripted>(filter));
  PageRewriter rewriter{std::move(filters), {}};
  EXPECT_EQ(rewriter.feed("<body><b>"), "<body><b>");
  EXPECT_EQ(rewriter.feed("<a hre"), "<a hre");
}

TEST(Rewriter, OneFilterOfTheWholePage_AllOfItIsRead) {
  const auto head = [] {
    Scripted filter;
    filter.wants.head_only = true;
    return filter;
  };
  const auto whole = [] { return on_tags("p", [](const HtmlTag&, TagEdit& edit) { edit.after("+"); }); };
  EXPECT_EQ(rewrite("<head></head><body><p>x", {Make{head}, Make{whole}}), "<head></head><body><p>+x");
}

TEST(Rewriter, BeforeAndAfter_SurroundTheToken) {
  const auto around = [] {
    return on_tags("b", [](const HtmlTag&, TagEdit& edit) {
      edit.before("[");
      edit.after("]");
    });
  };
  EXPECT_EQ(rewrite("x<b>y</b><B>", around), "x[<b>]y</b>[<B>]");
}

TEST(Rewriter, ReplacedAndRemovedTags) {
  EXPECT_EQ(rewrite("x<b>y</b>", [] { return on_tags("b", [](const HtmlTag&, TagEdit& e) { e.replace("<i>"); }); }),
            "x<i>y</b>");
  EXPECT_EQ(rewrite("x<b>y</b>", [] { return on_tags("b", [](const HtmlTag&, TagEdit& e) { e.replace(""); }); }),
            "xy</b>");
}

TEST(Rewriter, TextAndCommentsAndEndTags_CanBeReplaced) {
  const auto filter = [] {
    Scripted f;
    f.wants = {{{"b", ""}}, true, true, true};
    f.text = [](const HtmlText& text, TokenEdit& edit) {
      if (text.content == HtmlContent::data) edit.replace_by_text("<&\">");
    };
    f.comment = [](const HtmlComment&, TokenEdit& edit) { edit.replace(""); };
    f.end_tag = [](const HtmlTag&, TokenEdit& edit) { edit.after("!"); };
    return f;
  };
  EXPECT_EQ(rewrite("<b><!--c--></b><i></i>", filter), "<b></b>!<i></i>");
  EXPECT_EQ(run({"<b>x</b>"}, {filter}, {}), "<b>&lt;&amp;&quot;&gt;</b>!");
}

TEST(Rewriter, Subscription_ByElementAndAttribute) {
  std::vector<std::string> seen;
  const auto filter = [&] {
    Scripted f;
    f.wants.tags = {{"a", "href"}, {"", "data-x"}};
    f.start_tag = [&](const HtmlTag& tag, TagEdit&) { seen.emplace_back(tag.raw); };
    return f;
  };
  run({"<a><a href=1><b data-x><c DATA-X=2><p href>"}, {filter}, {});
  EXPECT_THAT(seen, ElementsAre("<a href=1>", "<b data-x>", "<c DATA-X=2>"));
}

TEST(Rewriter, RemovedElement_GoesUpToItsEndTag) {
  const auto without = [](const char* name) {
    return [name] { return on_tags(name, [](const HtmlTag&, TagEdit& e) { EXPECT_TRUE(e.remove_element()); }); };
  };
  EXPECT_EQ(rewrite("a<div>b<div>c</div>d</div>e", without("div")), "ae");
  EXPECT_EQ(rewrite("a<script>'<b>'</script>b", without("script")), "ab");
  EXPECT_EQ(rewrite("a<script/>x</script>b", without("script")), "ab");  // HTML knows no <script/>
  EXPECT_EQ(rewrite("a<img src=x>b", without("img")), "ab");
  EXPECT_EQ(rewrite("a<svg><path/>b</svg>", without("path")), "a<svg>b</svg>");
  EXPECT_EQ(rewrite("a<div>b<p>c</body></html>", without("div")), "a</body></html>");  // never closed
}

// HTML standard, section 13.2.6.1: only void elements, SVG and MathML know a "/" at the end of a tag.
TEST(Rewriter, RemovedElement_WithASlashInItsTag_EndsWhereABrowserEndsIt) {
  const auto without = [](const char* name) {
    return [name] {
      return on_tags("", [name](const HtmlTag& tag, TagEdit& e) {
        const bool meant = tag.find("x") != nullptr || tag.key == html_name_key(name);
        EXPECT_EQ(meant && e.remove_element(), meant);
      });
    };
  };
  EXPECT_EQ(rewrite("a<div/>b</div>c", without("div")), "ac");
  EXPECT_EQ(rewrite("a<div x>b<div/>c</div>d</div>e", without("-")), "ae");
  EXPECT_EQ(rewrite("a<svg/>b", without("svg")), "ab");
  EXPECT_EQ(rewrite("<svg><g x>a<g/>b</g>c</svg>", without("-")), "<svg>c</svg>");
  EXPECT_EQ(rewrite("<svg><script/>b</svg>", without("script")), "<svg>b</svg>");
  EXPECT_EQ(rewrite("<svg><div/>b</div>c", without("div")), "<svg>c");  // ends the picture
  EXPECT_EQ(rewrite("<svg><foreignObject><a/>b</a>c", without("a")), "<svg><foreignObject>c");
}

TEST(Rewriter, ElementWhoseEndCannotBeTold_StaysWhole) {
  for (const char* name : {"p", "li", "td", "html", "head", "body"}) {
    const auto filter = [name] {
      return on_tags(name, [](const HtmlTag&, TagEdit& e) { EXPECT_FALSE(e.remove_element()); });
    };
    const std::string page = "x<" + std::string{name} + ">y";
    EXPECT_EQ(run({page}, {filter}, {}), page);
  }
}

TEST(Rewriter, TwoFilters_SeeTheOriginalPage) {
  std::vector<std::string> seen;
  const auto one = [] {
    return on_tags("a", [](const HtmlTag&, TagEdit& e) {
      e.set_attribute("href", "1");
      e.before("1");
    });
  };
  const auto two = [&] {
    return on_tags("a", [&](const HtmlTag& tag, TagEdit& e) {
      seen.emplace_back(tag.raw);
      e.set_attribute("rel", "2");
      e.before("2");
    });
  };
  EXPECT_EQ(run({"<a href=0>"}, {one, two}, {}), "12<a rel=\"2\" href=\"1\">");
  EXPECT_THAT(seen, ElementsAre("<a href=0>"));
}

TEST(Rewriter, FilterThatThrows_IsLeftOutAndUndone) {
  std::vector<std::string> failures;
  PageRewriter::Options options;
  options.failed = [&](std::size_t filter, const char* what) { failures.push_back(std::to_string(filter) + what); };
  const auto good = [] { return on_tags("a", [](const HtmlTag&, TagEdit& e) { e.after("!"); }); };
  const auto bad = [] {
    return on_tags("a", [](const HtmlTag&, TagEdit& e) {
      e.replace("lost");
      throw std::runtime_error("broken");
    });
  };
  EXPECT_EQ(run({"<a>x<a>y"}, {good, bad}, options), "<a>!x<a>!y");
  EXPECT_THAT(failures, ElementsAre("1broken"));
  EXPECT_EQ(run({"<a>x<a>y"}, {bad, good}, options), "<a>!x<a>!y");
}

// HtmlLimits::token: what is longer cannot be changed, but what stands behind it can be added.
TEST(Rewriter, TruncatedTag_KeepsItsBytes) {
  PageRewriter::Options options;
  options.limits.token = 64;
  const std::string page = "<a href=" + std::string(200, 'x') + ">y";
  const auto filter = [] {
    return on_tags("a", [](const HtmlTag&, TagEdit& e) {
      EXPECT_FALSE(e.set_attribute("rel", "x"));
      EXPECT_FALSE(e.remove_element());
      e.replace("lost");
      e.before("[");
      e.after("]");
    });
  };
  EXPECT_EQ(rewrite(page, filter, options), "[<a href=" + std::string(200, 'x') + ">]y");
}

TEST(Rewriter, Memory_IsBoundedByTheLargestToken) {
  PageRewriter::Options options;
  options.limits.token = 1024;
  PageRewriter::Filters filters;
  filters.push_back(std::make_unique<Scripted>());
  PageRewriter rewriter{std::move(filters), options};
  const std::string chunk(4096, 'x');
  rewriter.feed("<a href='");
  for (int i = 0; i < 100; ++i) {
    rewriter.feed(chunk);
    EXPECT_LE(rewriter.held(), 2048U);
  }
}

TEST(Rewriter, BeyondAscii_AsReferencesUnlessThePageIsUtf8) {
  const auto filter = [] {
    return on_tags("b", [](const HtmlTag&, TagEdit& e) {
      e.set_attribute("title", "\xC3\xA4\xFF");
      e.after("\xE2\x80\x94");
    });
  };
  PageRewriter::Options options;
  EXPECT_EQ(rewrite("<b>", filter, options), "<b title=\"&#xE4;&#xFFFD;\">&#x2014;");
  options.utf8 = true;
  EXPECT_EQ(rewrite("<b>", filter, options), "<b title=\"\xC3\xA4\xFF\">\xE2\x80\x94");
  EXPECT_EQ(rewrite("<meta charset=UTF-8><b>", filter), "<meta charset=UTF-8><b title=\"\xC3\xA4\xFF\">\xE2\x80\x94");
  EXPECT_EQ(rewrite("\xEF\xBB\xBF<b>", filter), "\xEF\xBB\xBF<b title=\"\xC3\xA4\xFF\">\xE2\x80\x94");
}

TEST(Rewriter, OtherEncodings_PassUnmodified) {
  const auto filter = [] { return on_tags("b", [](const HtmlTag&, TagEdit& e) { e.after("!"); }); };
  for (const std::string page :
       {"<meta charset=iso-2022-jp><b>", "<meta http-equiv=Content-Type content='text/html; charset=HZ-GB-2312'><b>",
        "\xFF\xFE<b>", "\xFE\xFF<b>"})
    EXPECT_EQ(run({page}, {filter}, {}), page);
  // The head of the answer wins over <meta>, and UTF-16 written in ASCII is UTF-8.
  PageRewriter::Options options;
  options.charset_given = true;
  EXPECT_EQ(run({"<meta charset=iso-2022-jp><b>"}, {filter}, options), "<meta charset=iso-2022-jp><b>!");
  EXPECT_EQ(run({"<meta charset=utf-16><b>"}, {filter}, {}), "<meta charset=utf-16><b>!");
}

// HTML standard, section 13.2.6.4: where head and body are, also when nobody wrote them.
TEST(Rewriter, Places_AreFoundAsABrowserFindsThem) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"<!doctype html><html><head><title>t</title></head><body class=x>y</body></html>",
       "<!doctype html><html><head>{H}<title>t</title>{/H}</head><body class=x>{B}y{/B}</body></html>"},
      {"<!doctype html>\n<title>t</title>\n<p>y", "<!doctype html>\n{H}<title>t</title>\n{/H}{B}<p>y{/B}"},
      {"hello", "{H}{/H}{B}hello{/B}"},
      {"<body>y", "{H}{/H}<body>{B}y{/B}"},
      {"<head><script>'<body>'</script><p>y", "<head>{H}<script>'<body>'</script>{/H}{B}<p>y{/B}"},
      {"<head></head>\n<script></script><div>", "<head>{H}{/H}</head>\n<script></script>{B}<div>{/B}"},
      {"<head><template><body></body><p>x</template><p>",
       "<head>{H}<template><body></body><p>x</template>{/H}{B}<p>{/B}"},
      {"<html><frameset><frame></frameset></html>", "<html>{H}{/H}<frameset><frame></frameset></html>"},
      {"\xEF\xBB\xBF <html><head>x", "\xEF\xBB\xBF <html><head>{H}{/H}{B}x{/B}"},
      {"\xEF\xBB\xBFhello<p>", "\xEF\xBB\xBFhello<p>"},
      {"\xEF\xBBhello<p>", "\xEF\xBBhello<p>"},
      {"\xEF\xBB\xBF<!doctype html>hello", "\xEF\xBB\xBF<!doctype html>{H}{/H}{B}hello{/B}"},
      {"<p>a</html>", "{H}{/H}{B}<p>a{/B}</html>"},
      {"<!-- only a comment -->", "<!-- only a comment -->"},
      {" \n", " \n"},
      {"<p><script>never closed", "{H}{/H}{B}<p><script>never closed"},
      {"<p>a<!-- never closed", "{H}{/H}{B}<p>a<!-- never closed"},
      {"<p>a<b never-closed", "{H}{/H}{B}<p>a<b never-closed"},
      {"</p></br>", "</p>{H}{/H}{B}</br>{/B}"},
  };
  for (const auto& [page, expected] : cases) EXPECT_EQ(rewrite(page, marks), expected);
}

TEST(Rewriter, EditsAreCounted) {
  PageRewriter::Filters filters;
  filters.push_back(std::make_unique<Scripted>(on_tags("b", [](const HtmlTag&, TagEdit& e) { e.before("x"); })));
  PageRewriter rewriter{std::move(filters), {}};
  rewriter.feed("<a><b><b>");
  rewriter.finish();
  EXPECT_EQ(rewriter.edits(), 2U);
}

}  // namespace
}  // namespace outrider
