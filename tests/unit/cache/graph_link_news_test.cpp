// Which pages are indexed again because of links that lead there.
#include "cache/graph.hpp"

#include "tests/support/graph_fixture.hpp"

namespace outrider {
namespace {

using Urls = std::vector<std::string>;

struct LinkNewsTest : testing::GraphFixture {
  // What an indexer does; the pages that it saw.
  Urls index_all() {
    Urls urls;
    for (bool more = true; more;) {
      const auto items = graph_->next_to_index(100);
      EXPECT_TRUE(items);
      more = items && !items->empty();
      for (const IndexItem& item : *items) {
        const auto node = graph_->page(item.page, false);
        EXPECT_TRUE(node && *node && graph_->links_indexed(item, (*node)->in_degree));
        EXPECT_TRUE(graph_->indexed({&item.ticket, 1}));
        urls.push_back(item.page.url);
      }
      if (!more) more = spread();
    }
    return urls;
  }
  bool spread() {
    const auto more = graph_->queue_targets_of_new_links();
    EXPECT_TRUE(more);
    return more && *more;
  }
};

TEST_F(LinkNewsTest, PageThatIsIndexed_IsIndexedAgain_WhenALinkToItAppears) {
  record(sighting("https://target.example/"));
  EXPECT_EQ(index_all(), Urls{"https://target.example/"});
  record(sighting("https://a.example/", {link("https://target.example/#part", "says more")}));
  EXPECT_EQ(index_all(), (Urls{"https://a.example/", "https://target.example/"}));
  EXPECT_EQ(index_all(), Urls{}) << "once";
}

TEST_F(LinkNewsTest, LinkThatSaysSomethingElse_IsNews_OneThatMovedIsNot) {
  record(sighting("https://target.example/"));
  record(sighting("https://a.example/", {link("https://target.example/", "one")}));
  EXPECT_EQ(index_all().size(), 2u);
  clock_.advance(std::chrono::hours{1});
  record(sighting("https://a.example/", {link("https://b.example/"), link("https://target.example/", "one")}, "Other"));
  EXPECT_EQ(index_all(), Urls{"https://a.example/"});
  clock_.advance(std::chrono::hours{1});
  record(sighting("https://a.example/", {link("https://target.example/", "two")}, "Third"));
  EXPECT_EQ(index_all(), (Urls{"https://a.example/", "https://target.example/"}));
}

TEST_F(LinkNewsTest, NewsThatWaited_AreNotLost_WhenThePageComesAgain) {
  record(sighting("https://target.example/"));
  index_all();
  record(sighting("https://a.example/", {link("https://target.example/", "one")}));
  clock_.advance(std::chrono::hours{1});
  record(sighting("https://a.example/", {link("https://target.example/", "one"), link("https://b.example/")}, "Other"));
  open();
  EXPECT_EQ(index_all(), (Urls{"https://a.example/", "https://target.example/"}));
}

TEST_F(LinkNewsTest, PagesThatNobodyReadYet_AndStyleSheets_AreLeftAlone) {
  record(sighting("https://style.example/"));
  index_all();
  record(sighting("https://a.example/", {link("https://unknown.example/", "never fetched"),
                                         link("https://style.example/", "", LinkKind::embedded)}));
  EXPECT_EQ(index_all(), Urls{"https://a.example/"});
}

// Navigation: a thousand pages of a site link to its start page.
TEST_F(LinkNewsTest, LinkOnEveryPage_DoesNotIndexItsTargetEachTime) {
  record(sighting("https://site.example/"));
  index_all();
  std::size_t again = 0;
  for (int i = 0; i < 300; ++i) {
    record(sighting(fmt::format("https://site.example/{}", i), {link("https://site.example/", "Home")}));
    for (const std::string& url : index_all()) again += url == "https://site.example/" ? 1 : 0;
  }
  EXPECT_GE(again, 8u);
  EXPECT_LE(again, 14u) << "the first eight, then 16, 32, 64, 128, 256";
}

TEST_F(LinkNewsTest, OpenLink_IsNewsForTheEntriesThatPeopleHaveOfThePage_APersonalOneForItsOwner) {
  record(owned(sighting("https://target.example/"), "anna"));
  record(owned(sighting("https://target.example/"), "ben"));
  for (const char* user : {"anna", "ben"}) visit("https://target.example/", "", user);
  index_all();
  record(sighting("https://open.example/", {link("https://target.example/", "open words")}));
  EXPECT_EQ(index_all().size(), 3u);
  record(owned(sighting("https://own.example/", {link("https://target.example/", "my words")}), "anna"));
  ASSERT_EQ(queued(), Urls{"https://own.example/"});
  index_all();
  record(owned(sighting("https://own2.example/", {link("https://target.example/", "my words")}), "anna"));
  const auto before = graph_->next_to_index(10);
  ASSERT_TRUE(graph_->indexed({&before->at(0).ticket, 1}));
  while (spread()) {
  }
  const auto items = graph_->next_to_index(10);
  ASSERT_EQ(items->size(), 1u);
  EXPECT_EQ(items->at(0).page.owner, "anna");
}

TEST_F(LinkNewsTest, ForgottenPage_IsNotAmongThoseWithNews) {
  graph_->set_index_eraser([](std::span<const std::string>) { return Result<void>{}; });
  record(sighting("https://target.example/"));
  index_all();
  record(sighting("https://secretquux.example/", {link("https://target.example/", "words")}));
  ASSERT_TRUE(graph_->forget(ForgetScope::of_site("secretquux.example")));
  EXPECT_TRUE(files_with("secretquux").empty());
  record(sighting("https://laterquux.example/", {link("https://target.example/", "words")}));
  ASSERT_TRUE(graph_->forget(ForgetScope::since(clock_.now() - std::chrono::seconds{1})));
  EXPECT_TRUE(files_with("laterquux").empty());
}

}  // namespace
}  // namespace outrider
