#include "plugins/rearmirror/search_page.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

Link link(std::string target, std::string text = "words") {
  Link made;
  made.target = std::move(target);
  made.text = std::move(text);
  return made;
}

struct SearchPageTest : ::testing::Test {
  RearMirrorSettings settings;
  SearchLink judged(const Link& of) const {
    return SearchLinkClassifier{settings, "https://search.example/?q=x", "https://page.org/a"}.judge(of);
  }
};

// Who is asked must not depend on the page that is read.
TEST(SearchTemplate, NamesOneEngine) {
  EXPECT_TRUE(is_search_template("https://search.example/?q={url}"));
  EXPECT_TRUE(is_search_template("http://127.0.0.1:8888/search?q=%22{title}%22&l={host}"));
  EXPECT_FALSE(is_search_template("https://search.example/"));
  EXPECT_FALSE(is_search_template("https://{host}/?q={url}"));
  EXPECT_FALSE(is_search_template("https://{url}/"));
  EXPECT_FALSE(is_search_template("file:///{url}"));
  EXPECT_FALSE(is_search_template("https://me:secret@search.example/?q={url}"));
}

TEST(SearchTemplate, ValuesAreEncodedAndSecretsLeftOut) {
  EXPECT_EQ(search_address("https://s.example/?q={url}&t={title}", "https://u:p@x.org/a?b=c&d#e", "A & {url}"),
            "https://s.example/?q=https%3A%2F%2Fx.org%2Fa%3Fb%3Dc%26d&t=A%20%26%20%7Burl%7D");
  EXPECT_EQ(search_address("https://s.example/?q={url}", "file:///etc/passwd", ""), "");
}

// ANCESTORS, Rückspiegel: a link classifier marks the engine's own links.
TEST_F(SearchPageTest, LinksOfTheEngine_AreItsOwn) {
  EXPECT_EQ(judged(link("https://search.example/settings")).kind, SearchLinkKind::own);
  EXPECT_EQ(judged(link("https://help.search.example/")).kind, SearchLinkKind::own);
  EXPECT_EQ(judged(link("javascript:next()")).kind, SearchLinkKind::own);
  EXPECT_EQ(judged(link("https://notsearch.example/")).kind, SearchLinkKind::result);
  EXPECT_EQ(judged(link("https://ads.org/x")).kind, SearchLinkKind::result);
  settings.search_own_hosts = {".Ads.org"};
  EXPECT_EQ(judged(link("https://www.ads.org/x")).kind, SearchLinkKind::own);
}

TEST_F(SearchPageTest, LinksThatAreNoResults_AreToldApart) {
  EXPECT_EQ(judged(link("https://other.net/", "")).kind, SearchLinkKind::special);
  EXPECT_EQ(judged(link("https://other.net/", "Cached")).kind, SearchLinkKind::special);
  EXPECT_EQ(judged(link("https://page.org/b")).kind, SearchLinkKind::self);
  EXPECT_EQ(judged(link("https://user@other.net/")).kind, SearchLinkKind::special);
  Link picture = link("https://other.net/p.png");
  picture.kind = LinkKind::embedded;
  EXPECT_EQ(judged(picture).kind, SearchLinkKind::own);
}

TEST_F(SearchPageTest, WrappedResults_AreUnwrapped) {
  const SearchLink found = judged(link("https://search.example/go?x=1&uddg=https%3A%2F%2Fother.net%2Fa%3Fb%23c"));
  EXPECT_EQ(found.kind, SearchLinkKind::result);
  EXPECT_EQ(found.target, "https://other.net/a?b");
  EXPECT_TRUE(found.wrapped);
  EXPECT_EQ(judged(link("https://search.example/go?url=javascript:x")).kind, SearchLinkKind::own);
  EXPECT_EQ(judged(link("https://search.example/go?url=https://search.example/")).kind, SearchLinkKind::own);
  EXPECT_EQ(judged(link("https://search.example/go?url=https://page.org/")).kind, SearchLinkKind::self);
}

// An engine on this machine or in this network has no registrable domain.
TEST(SearchPage, EngineByAddress_IsToldByItsPort) {
  const SearchLinkClassifier classifier{RearMirrorSettings{}, "http://127.0.0.1:81/?q=x", "http://127.0.0.1:82/"};
  EXPECT_EQ(classifier.judge(link("http://127.0.0.1:81/next")).kind, SearchLinkKind::own);
  EXPECT_EQ(classifier.judge(link("http://127.0.0.1:83/hit")).kind, SearchLinkKind::result);
}

TEST(SearchPage, Results_ComeOnceAndInOrder) {
  const SearchLinkClassifier classifier{RearMirrorSettings{}, "https://search.example/", "https://page.org/"};
  const std::vector<Link> links{link("https://search.example/a"), link("https://b.net/"), link("https://c.net/#1"),
                                link("https://b.net/#2"), link("https://d.net/")};
  const std::vector<SearchLink> results = search_results(links, classifier, 2);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].target, "https://b.net/");
  EXPECT_EQ(results[1].target, "https://c.net/");
}

}  // namespace
}  // namespace outrider
