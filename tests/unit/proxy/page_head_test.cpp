#include "proxy/page_head.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

constexpr PageMark kMark = 0x1F2E3D4C;

RequestHead get() {
  RequestHead head;
  head.set_method(Method::get);
  return head;
}

ResponseHead html() {
  ResponseHead head;
  head.headers.add("Content-Type", "text/html; charset=utf-8");
  return head;
}

TEST(PageHead, HtmlPage_MayBeRewritten) {
  EXPECT_TRUE(may_rewrite(get(), html()));
  ResponseHead head = html();
  head.headers.set("Content-Type", "TEXT/HTML ;charset=windows-1252");
  EXPECT_TRUE(may_rewrite(get(), head));
}

TEST(PageHead, WhatIsNoWholeHtmlPage_IsLeftAlone) {
  const auto with = [](const char* name, const char* value) {
    ResponseHead head = html();
    head.headers.set(name, value);
    return head;
  };
  EXPECT_FALSE(may_rewrite(get(), with("Content-Type", "application/xhtml+xml")));
  EXPECT_FALSE(may_rewrite(get(), with("Content-Type", "text/html; charset=utf-16le")));
  EXPECT_FALSE(may_rewrite(get(), with("Content-Type", "text/html; charset=\"ISO-2022-JP\"")));
  EXPECT_FALSE(may_rewrite(get(), with("Content-Range", "bytes 0-1/2")));
  EXPECT_FALSE(may_rewrite(get(), with("Content-Disposition", "attachment; filename=x.html")));
  // RFC 9110 section 7.7, RFC 9111 section 5.2.2.6
  EXPECT_FALSE(may_rewrite(get(), with("Cache-Control", "max-age=1, No-Transform")));
  for (const int status : {206, 304, 404, 500}) {
    ResponseHead head = html();
    head.status = status;
    EXPECT_FALSE(may_rewrite(get(), head)) << status;
  }
  RequestHead range = get();
  range.headers.add("Range", "bytes=0-");
  EXPECT_FALSE(may_rewrite(range, html()));
  RequestHead post = get();
  post.set_method(Method::post);
  EXPECT_FALSE(may_rewrite(post, html()));
}

TEST(PageHead, ChangedPage_SaysNothingThatIsTrueOfTheOriginalOnly) {
  ResponseHead head = html();
  for (const char* name : {"Content-Length", "Content-MD5", "Digest", "Content-Digest", "Repr-Digest"})
    head.headers.add(name, "1");
  head.headers.add("Accept-Ranges", "bytes");
  head.headers.add("ETag", "\"abc\"");
  head.headers.add("Last-Modified", "x");
  mark_rewritten(head.headers, kMark);
  EXPECT_EQ(head.headers.find("ETag"), "W/\"abc+or.1f2e3d4c\"");
  EXPECT_EQ(head.headers.find("Accept-Ranges"), "none");
  EXPECT_EQ(head.headers.find("Vary"), "Sec-Fetch-Dest");
  EXPECT_EQ(head.headers.size(), 5U);  // and Content-Type, Last-Modified
}

// RFC 9110 section 12.5.5: the same address gives something else to a frame or a script.
TEST(PageHead, ChangedPage_SaysWhatItVariesBy) {
  ResponseHead head = html();
  head.headers.add("Vary", "Cookie");
  mark_rewritten(head.headers, kMark);
  mark_rewritten(head.headers, kMark);
  EXPECT_EQ(head.headers.joined("Vary"), "Cookie, Sec-Fetch-Dest");
  head.headers.set("Vary", "*");
  mark_rewritten(head.headers, kMark);
  EXPECT_EQ(head.headers.joined("Vary"), "*");
}

struct Conditions {
  HeaderMap headers;
  bool marked = false;
};
Conditions translated(const char* tags, PageMark mark, const char* date = nullptr) {
  Conditions c;
  if (tags != nullptr) c.headers.add("If-None-Match", tags);
  if (date != nullptr) c.headers.add("If-Modified-Since", date);
  c.marked = translate_conditions(c.headers, mark);
  return c;
}

// The client has the page as we would change it now: the origin (or the cache) decides, by its own tag.
TEST(PageHead, ConditionWithTheMarkInForce_IsTheOriginsAgain) {
  const Conditions c = translated("W/\"abc+or.1f2e3d4c\"", kMark, "date");
  EXPECT_EQ(c.headers.find("If-None-Match"), "W/\"abc\"");
  EXPECT_TRUE(c.headers.has("If-Modified-Since"));
  EXPECT_TRUE(c.marked);
}

// A plugin was switched since, on, off or to another version: the whole page has to come.
TEST(PageHead, ConditionOfAnotherMark_IsDropped) {
  for (const char* tag : {"W/\"abc+or.00000001\"", "\"abc\"", "*"}) {
    const Conditions c = translated(tag, kMark, "date");
    EXPECT_TRUE(c.headers.empty()) << tag;
    EXPECT_FALSE(c.marked);
  }
  EXPECT_TRUE(translated("W/\"abc+or.1f2e3d4c\"", 0, "date").headers.empty());
  EXPECT_TRUE(translated(nullptr, kMark, "date").headers.empty());
  EXPECT_EQ(translated("W/\"a+or.00000001\", W/\"b+or.1f2e3d4c\"", kMark).headers.find("If-None-Match"), "W/\"b\"");
}

// A PDF that somebody opens again.
TEST(PageHead, ConditionOfWhatPassedUnchanged_Stays) {
  UnchangedPages pages;
  pages.note("http://x/a.pdf", "\"abc\"", kMark);
  pages.note("http://x/a.pdf", "date", kMark);
  const auto kept = [&](const char* url, PageMark mark) {
    HeaderMap headers;
    headers.add("If-None-Match", "W/\"abc\"");
    EXPECT_FALSE(translate_conditions(headers, mark, [&](std::string_view v) { return pages.has(url, v, mark); }));
    return headers.has("If-None-Match");
  };
  EXPECT_TRUE(kept("http://x/a.pdf", kMark));
  EXPECT_FALSE(kept("http://x/b.pdf", kMark));
  EXPECT_FALSE(kept("http://x/a.pdf", kMark + 1));
  HeaderMap headers;
  headers.add("If-Modified-Since", "date");
  translate_conditions(headers, kMark, [&](std::string_view v) { return pages.has("http://x/a.pdf", v, kMark); });
  EXPECT_TRUE(headers.has("If-Modified-Since"));
  pages.clear();
  EXPECT_FALSE(kept("http://x/a.pdf", kMark));
}

TEST(PageHead, PageWithoutTag_IsConfirmedByItsDateUnderTheMark) {
  ResponseHead head = html();
  mark_rewritten(head.headers, kMark);
  const std::string tag{*head.headers.find("ETag")};
  EXPECT_EQ(tag, "W/\"+or.1f2e3d4c\"");
  const Conditions c = translated(tag.c_str(), kMark, "date");
  EXPECT_FALSE(c.headers.has("If-None-Match"));
  EXPECT_TRUE(c.headers.has("If-Modified-Since"));
  EXPECT_TRUE(c.marked);
}

TEST(PageHead, WithoutPlugins_ConditionsAreNotTouched) {
  const Conditions c = translated("\"a+b\", W/\"x\", *", 0, "date");
  EXPECT_EQ(c.headers.find("If-None-Match"), "\"a+b\", W/\"x\", *");
  EXPECT_TRUE(c.headers.has("If-Modified-Since"));
}

TEST(PageHead, TopLevel_ByFetchMetadataOrByWhatNavigationsAskFor) {
  const auto with = [](std::initializer_list<std::pair<const char*, const char*>> fields) {
    RequestHead head = get();
    for (const auto& [name, value] : fields) head.headers.add(name, value);
    return is_top_level(head);
  };
  EXPECT_TRUE(with({{"Sec-Fetch-Dest", "document"}}));
  EXPECT_FALSE(with({{"Sec-Fetch-Dest", "iframe"}, {"Accept", "text/html"}, {"Upgrade-Insecure-Requests", "1"}}));
  EXPECT_FALSE(with({{"Sec-Fetch-Dest", "empty"}, {"Accept", "text/html"}}));
  EXPECT_TRUE(with({{"Accept", "text/html,*/*;q=0.8"}, {"Upgrade-Insecure-Requests", "1"}}));
  EXPECT_FALSE(with({{"Accept", "text/html"}}));
  EXPECT_FALSE(with({{"Accept", "*/*"}, {"Upgrade-Insecure-Requests", "1"}}));
  EXPECT_FALSE(with({{"Sec-Fetch-Dest", "document"}, {"X-Requested-With", "XMLHttpRequest"}}));
  EXPECT_FALSE(with({{"Sec-Fetch-Dest", "document"}, {"Sec-Purpose", "prefetch;prerender"}}));
}

}  // namespace
}  // namespace outrider
