#include "cache/page_scan.hpp"

#include "base/http_date.hpp"
#include "cache/page_limits.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

PageScan scan(std::string_view html, std::string_view url = "https://site.example/docs/page.html",
              std::string_view charset = {}) {
  return scan_page(html, Url::parse(url).value(), charset);
}

std::vector<std::string> targets(const PageScan& found, LinkKind kind = LinkKind::anchor) {
  std::vector<std::string> out;
  for (const Link& link : found.links)
    if (link.kind == kind) out.push_back(link.target);
  return out;
}

using Strings = std::vector<std::string>;

std::string date(const std::optional<WallTime>& time) {
  return time ? format_http_date(*time) : "none";
}

TEST(PageScan, AnchorIsResolvedAgainstThePage) {
  const PageScan found = scan("<a href='other.html'>Other</a> <a href='/top#part'>Top</a> <a href='//x.example'>X</a>");
  ASSERT_EQ(found.links.size(), 3U);
  EXPECT_EQ(found.links[0].target, "https://site.example/docs/other.html");
  EXPECT_EQ(found.links[0].text, "Other");
  EXPECT_EQ(found.links[0].reach, LinkReach::subdirectory);
  EXPECT_EQ(found.links[1].target, "https://site.example/top#part");
  EXPECT_EQ(found.links[1].reach, LinkReach::internal);
  EXPECT_EQ(found.links[2].target, "https://x.example/");
  EXPECT_EQ(found.links[2].reach, LinkReach::external);
  EXPECT_EQ(found.links[2].position, 2U);
}

// HTML standard, section 2.4.3: the first <base> with an href, wherever it stands, counts for the whole document.
TEST(PageScan, WhoWantsOnlyLinks_GetsTheSameOnes) {
  constexpr std::string_view kHtml =
      "<base href=/b/><meta name=robots content=nofollow><title>T</title><nav><a href=1 rel=ugc>one</a></nav>"
      "<template><a href=no>no</a></template><img src=i.png alt=i><a href=2>two <b>words</b></a><a href=mailto:x>m</a>"
      "<script>var a = '<a href=no>';</script><meta http-equiv=refresh content='1;url=3'><link rel=canonical href=4>";
  const Url page = Url::parse("https://site.example/docs/page.html").value();
  const PageScan all = scan_page(kHtml, page), few = scan_page(kHtml, page, {}, ScanFor::links);
  ASSERT_EQ(few.links.size(), all.links.size());
  ASSERT_EQ(few.urls.size(), all.links.size());
  EXPECT_TRUE(all.urls.empty());
  for (std::size_t i = 0; i < all.links.size(); ++i) {
    EXPECT_EQ(few.urls[i].href(), all.links[i].target);
    EXPECT_EQ(few.links[i].target, "");
    EXPECT_EQ(few.links[i].text, "");
    EXPECT_EQ(few.links[i].kind, all.links[i].kind);
    EXPECT_EQ(few.links[i].flags, all.links[i].flags);
    EXPECT_EQ(few.links[i].position, all.links[i].position);
  }
  EXPECT_TRUE(few.page.robots.nofollow);
  EXPECT_EQ(few.page.canonical, all.page.canonical);
}

TEST(PageScan, FirstBaseWithHrefCountsForLinksBeforeIt) {
  const PageScan found = scan(
      "<a href=a>1</a><base target=_blank><base href='/folder/'><base href='/ignored/'><a href=b target=_self>2</a>");
  EXPECT_EQ(targets(found), (Strings{"https://site.example/folder/a", "https://site.example/folder/b"}));
  EXPECT_TRUE(found.links[0].has(LinkFlags::new_window));
  EXPECT_FALSE(found.links[1].has(LinkFlags::new_window));
}

TEST(PageScan, BaseThatIsScriptOrDataIsIgnored) {
  for (const char* base : {"javascript:alert(1)", "data:text/plain,x", "http://[bad"}) {
    const PageScan found = scan("<base href=\"" + std::string(base) + "\"><a href=a>1</a>");
    EXPECT_EQ(targets(found), Strings{"https://site.example/docs/a"}) << base;
  }
}

TEST(PageScan, ReferencesInAttributesAreDecoded) {
  EXPECT_EQ(targets(scan("<a href=' x?a=1&amp;b=2&copy=3&#x2F; '>x</a>")),
            Strings{"https://site.example/docs/x?a=1&b=2&copy=3/"});
}

// URL standard, section 4.1: the query is written in the encoding of the document.
TEST(PageScan, QueryIsWrittenInTheEncodingOfThePage) {
  EXPECT_EQ(targets(scan("<a href='?q=ü'>x</a>", "http://h/", "windows-1252")), Strings{"http://h/?q=%FC"});
  EXPECT_EQ(targets(scan("<a href='?q=ü'>x</a>", "http://h/")), Strings{"http://h/?q=%C3%BC"});
}

TEST(PageScan, TextOfAnAnchorIsCollapsedAcrossElements) {
  EXPECT_EQ(scan("<a href=x>  One\n <b>two</b>three<br>four&nbsp;&amp; <i>five</i> </a> after").links[0].text,
            "One twothree four & five");
}

TEST(PageScan, TextOfAnAnchorComesFromAltThenLabelThenTitle) {
  EXPECT_EQ(scan("<a href=x title=T><img src=i.png alt='A picture'></a>").links[0].text, "A picture");
  EXPECT_EQ(scan("<a href=x title=T aria-label=L><img src=i.png alt=''></a>").links[0].text, "L");
  EXPECT_EQ(scan("<a href=x title=T> </a>").links[0].text, "T");
  EXPECT_EQ(scan("<a href=x title=T>word</a>").links[0].text, "word");
}

// Section 13.2.6.4.7: a start tag "a" closes the one that is open.
TEST(PageScan, AnchorEndsAtTheNextAnchor) {
  const PageScan found = scan("<a href=1>one <a href=2>two</a> three<a name=x>four");
  ASSERT_EQ(found.links.size(), 2U);
  EXPECT_EQ(found.links[0].text, "one");
  EXPECT_EQ(found.links[1].text, "two");
}

TEST(PageScan, RelTokensTargetAndDownload) {
  const Link link = scan("<a href=x rel='  NoFollow UGC\tsponsored noopener me' target=_BLANK download>x</a>").links[0];
  EXPECT_EQ(link.rel, "nofollow ugc sponsored noopener me");
  EXPECT_EQ(link.flags, LinkFlags::nofollow | LinkFlags::ugc | LinkFlags::sponsored | LinkFlags::noopener |
                            LinkFlags::new_window | LinkFlags::download);
}

TEST(PageScan, LinksInsideNavigationAreMarked) {
  const PageScan found = scan("<nav><ul><li><a href=1>1</a></ul></nav><main><a href=2>2</a></main><footer><a href=3>");
  EXPECT_TRUE(found.links[0].has(LinkFlags::in_navigation));
  EXPECT_FALSE(found.links[1].has(LinkFlags::in_navigation));
  EXPECT_TRUE(found.links[2].has(LinkFlags::in_navigation));
}

TEST(PageScan, EveryKindIsFound) {
  const PageScan found = scan(R"(<link rel=canonical href=/c><link rel=next href=n><link rel="shortcut icon" href=f.ico>
    <link rel=alternate hreflang=de href=de><link rel=alternate type="application/rss+xml" title=News href=feed>
    <link rel="alternate stylesheet" href=s.css><link rel=author href=me><link rel=license>
    <meta http-equiv=refresh content="5; URL='later'">
    <map><area href=ar alt=Area></map><form action=search></form><form method=POST action=no></form><form></form>
    <iframe src=if title=Frame></iframe><iframe></iframe><iframe src="javascript:0"></iframe>
    <img src=i.png alt=I><img srcset=", one.png 1x, two.png 2x"><script src=s.js></script><video src=v poster=p></video>
    <object data=o></object><embed src=e><input type=image src=in><input src=no><img src="data:image/png,x">)");
  const auto all = [&](LinkKind kind) {
    std::string text;
    for (const std::string& target : targets(found, kind)) text += target.substr(20) + " ";
    return text;
  };
  EXPECT_EQ(all(LinkKind::canonical), "/c ");
  EXPECT_EQ(all(LinkKind::pagination), "/docs/n ");
  EXPECT_EQ(all(LinkKind::alternate), "/docs/de ");
  EXPECT_EQ(all(LinkKind::feed), "/docs/feed ");
  EXPECT_EQ(all(LinkKind::link_rel), "/docs/me ");
  EXPECT_EQ(all(LinkKind::meta_refresh), "/docs/later ");
  EXPECT_EQ(all(LinkKind::area), "/docs/ar ");
  EXPECT_EQ(all(LinkKind::form), "/docs/search ");
  EXPECT_EQ(all(LinkKind::iframe), "/docs/if ");
  EXPECT_EQ(all(LinkKind::embedded),
            "/docs/f.ico /docs/s.css /docs/i.png /docs/one.png /docs/s.js /docs/p /docs/v /docs/o /docs/e /docs/in ");
  EXPECT_EQ(found.page.canonical, "https://site.example/c");
  EXPECT_EQ(found.page.favicon, "https://site.example/docs/f.ico");
  for (const Link& link : found.links) {
    if (link.kind == LinkKind::alternate) {
      EXPECT_EQ(link.hreflang, "de");
    }
    if (link.kind == LinkKind::feed) {
      EXPECT_EQ(link.text, "News");
    }
    if (link.kind == LinkKind::iframe) {
      EXPECT_EQ(link.text, "Frame");
    }
    if (link.kind == LinkKind::area) {
      EXPECT_EQ(link.text, "Area");
    }
  }
}

TEST(PageScan, FramesCountOnlyInAFrameset) {
  EXPECT_EQ(targets(scan("<frameset><frame src=a><frame src=b></frameset>"), LinkKind::frame),
            (Strings{"https://site.example/docs/a", "https://site.example/docs/b"}));
  EXPECT_TRUE(scan("<body><frame src=a>").links.empty());
}

TEST(PageScan, MarkupThatIsNoneHasNoLinks) {
  EXPECT_TRUE(scan("<!-- <a href=1> --><script>'<a href=2>'</script><style><a href=3></style><textarea><a href=4>"
                   "</textarea><template><a href=5></a><img src=i></template><xmp><a href=6></xmp>")
                  .links.empty());
}

// Nobody runs scripts here: what <noscript> holds is part of the page.
TEST(PageScan, NoscriptIsMarkup) {
  EXPECT_EQ(targets(scan("<noscript><a href=1>x</a></noscript>")), Strings{"https://site.example/docs/1"});
}

TEST(PageScan, AnchorsInSvgHaveXlink) {
  EXPECT_EQ(targets(scan("<svg><a xlink:href=1><title>no</title></a></svg><a xlink:href=2>")),
            Strings{"https://site.example/docs/1"});
}

TEST(PageScan, TitleIsTheFirstOneOutsideSvg) {
  EXPECT_EQ(scan("<svg><title>icon</title></svg><title> A &amp;\n B </title><title>C</title>").page.title, "A & B");
  EXPECT_EQ(scan("<meta property=og:title content=OG>").page.title, "OG");
  EXPECT_EQ(scan("<title>unfinished").page.title, "unfinished");
}

TEST(PageScan, HeadData) {
  const PageContent page = scan(R"(<html lang="de-AT"><meta name=Description content=" About  it ">
    <meta property="og:description" content="worse"><meta name=keywords content="one, two,, one,three">
    <meta name=author content="A. Uthor"><meta property="og:site_name" content="The Site">
    <meta property="og:image" content="/pic.jpg"><meta name="twitter:image" content="no.jpg">
    <meta name=robots content="NOINDEX, follow,noarchive"><meta name=googlebot content=nofollow>
    <meta property="article:published_time" content="2024-05-17T10:00:00+02:00">
    <meta property="og:updated_time" content="2024-06-01">)")
                               .page;
  EXPECT_EQ(page.declared_language, "de-AT");
  EXPECT_EQ(page.description, "About it");
  EXPECT_EQ(page.keywords, (Strings{"one", "two", "three"}));
  EXPECT_EQ(page.author, "A. Uthor");
  EXPECT_EQ(page.site_name, "The Site");
  EXPECT_EQ(page.image, "https://site.example/pic.jpg");
  EXPECT_TRUE(page.robots.noindex);
  EXPECT_TRUE(page.robots.noarchive);
  EXPECT_FALSE(page.robots.nofollow);
  EXPECT_FALSE(page.robots.nosnippet);
  EXPECT_EQ(date(page.published), "Fri, 17 May 2024 08:00:00 GMT");
  EXPECT_EQ(date(page.modified), "Sat, 01 Jun 2024 00:00:00 GMT");
}

TEST(PageScan, TimeElementsCountIfTheyAreOfThePage) {
  EXPECT_EQ(date(scan("<time datetime=2024-01-01>an event</time>").page.published), "none");
  EXPECT_EQ(date(scan("<article><time datetime=2024-01-02></article>").page.published),
            "Tue, 02 Jan 2024 00:00:00 GMT");
  const PageContent page =
      scan("<time class='entry-date published' datetime=2024-01-03><time class=updated datetime=2024-01-04>").page;
  EXPECT_EQ(date(page.published), "Wed, 03 Jan 2024 00:00:00 GMT");
  EXPECT_EQ(date(page.modified), "Thu, 04 Jan 2024 00:00:00 GMT");
}

TEST(PageScan, JsonLdIsRead) {
  const PageContent page = scan(R"(<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
    {"@type":"WebSite","name":"Paper"},{"@type":"Comment","datePublished":"1999-01-01","author":"troll"},
    {"@type":["NewsArticle"],"datePublished":"2023-02-03T04:05:06Z","dateModified":"2023-02-04",
     "author":[{"@type":"Person","name":"Ann"}],"image":{"url":"/a.png"},"headline":"Head"}]}</script>)")
                               .page;
  EXPECT_EQ(date(page.published), "Fri, 03 Feb 2023 04:05:06 GMT");
  EXPECT_EQ(date(page.modified), "Sat, 04 Feb 2023 00:00:00 GMT");
  EXPECT_EQ(page.author, "Ann");
  EXPECT_EQ(page.site_name, "Paper");
  EXPECT_EQ(page.image, "https://site.example/a.png");
  EXPECT_EQ(page.title, "Head");
}

TEST(PageScan, BrokenOrHugeJsonLdIsSkipped) {
  std::string huge(page_limits::kJsonLdBytes + 1, ' ');
  huge += "{}";
  std::string deep(5000, '[');
  std::string broken = "{";
  for (const std::string* json : {&broken, &deep, &huge}) {
    EXPECT_EQ(scan("<script type='application/ld+json'>" + *json + "</script><title>ok</title>").page.title, "ok");
  }
}

TEST(PageScan, CuttingIntoChunksChangesNothing) {
  const std::string page =
      "<html lang=fr><title>Été &eacute;</title><base href=/b/><a href='x&amp;y'>un  <b>deux</b>&nbsp;trois</a>"
      "<script type='application/ld+json'>{\"@type\":\"Article\",\"author\":\"Z\"}</script><img alt=a src=i>";
  const PageScan whole = scan(page);
  for (std::size_t at = 0; at <= page.size(); ++at) {
    PageScanner scanner{Url::parse("https://site.example/docs/page.html").value()};
    scanner.feed(page.substr(0, at));
    scanner.feed(page.substr(at));
    const PageScan cut = scanner.finish();
    EXPECT_EQ(cut.page.title, whole.page.title);
    EXPECT_EQ(cut.page.author, "Z");
    ASSERT_EQ(cut.links.size(), whole.links.size());
    EXPECT_EQ(cut.links[0].text, "un deux trois");
    EXPECT_EQ(cut.links[0].target, "https://site.example/b/x&y");
  }
}

TEST(PageScan, NumberAndSizeOfLinksAreLimited) {
  std::string page;
  for (std::size_t i = 0; i < page_limits::kLinks + 100; ++i) page += "<a href=x>";
  EXPECT_EQ(scan(page).links.size(), page_limits::kLinks);
  EXPECT_TRUE(scan("<a href='" + std::string(page_limits::kUrl + 1, 'x') + "'>").links.empty());
  EXPECT_LE(scan("<a href=x>" + std::string(10'000, 'y')).links[0].text.size(), page_limits::kLinkText);

  // A long base makes long links of short ones.
  page = "<base href='/" + std::string(8'000, 'p') + "/'>";
  for (int i = 0; i < 20'000; ++i) page += "<a href=x>";
  std::size_t bytes = 0;
  for (const Link& link : scan(page).links) bytes += link.target.size();
  EXPECT_LE(bytes, page_limits::kTargetBytes);
}

}  // namespace
}  // namespace outrider
