// From the memory into the index and back: with a real graph.
#include "cache/search_source.hpp"

#include "cache/search.hpp"
#include "tests/support/graph_fixture.hpp"

namespace outrider {
namespace {

struct SearchSourceTest : testing::GraphFixture {
  void SetUp() override {
    open();
    auto opened = Search::open(*graph_, temporary_.path() / "search", clock_);
    ASSERT_TRUE(opened.has_value()) << opened.error().to_string();
    search = std::move(*opened);
  }
  void TearDown() override {
    search->stop();
    search.reset();
    testing::GraphFixture::TearDown();
  }

  void remember(std::string url, std::string title, std::string text, std::vector<Link> links = {},
                std::optional<std::string> owner = {}) {
    Sighting seen = sighting(url, std::move(links), std::move(title));
    if (owner) seen = owned(seen, *owner);
    seen.page.text = std::move(text);
    seen.page.language = {"en", 1, 100};
    seen.page.deep = true;
    record(seen);
  }
  // Until everything that is queued is in the index.
  void index_all() {
    search->start();
    wait_for_index();
  }
  void wait_for_index() {
    while (!graph_->next_to_index(1).value().empty() || !graph_->next_to_unindex(1).value().empty())
      std::this_thread::yield();
  }
  std::string urls(const std::string& query, const Viewer& viewer = {}) const {
    const auto answer = graph_->search(viewer, {query, 0, 10});
    EXPECT_TRUE(answer.has_value());
    std::string list;
    if (answer)
      for (const SearchHit& hit : answer->hits) list += hit.url + " ";
    return list;
  }

  std::unique_ptr<Search> search;
};

TEST_F(SearchSourceTest, WhatTheMemoryHas_IsFound_WithSnippet) {
  remember("https://a.example/", "Birds", "All pelicans eat fish.", {link("https://b.example/", "feathered friends")});
  remember("https://b.example/", "Other", "Nothing of interest.");
  index_all();
  EXPECT_EQ(urls("pelican"), "https://a.example/ ");
  EXPECT_EQ(urls("feathered friend -pelicans"), "https://b.example/ ") << "by the text of a link";
  EXPECT_EQ(urls("link:b.example"), "https://a.example/ ");
  const auto answer = graph_->search({}, {"fish", 0, 10});
  EXPECT_EQ(answer->hits.at(0).snippet, "All pelicans eat fish.");
  EXPECT_GT(graph_->stats().search_bytes, 0u);
}

TEST_F(SearchSourceTest, WhileAnswersAreUnread_OnlyVisitedPagesAreIndexed_ButNotForEver) {
  for (const char* url : {"https://a.example/", "https://b.example/"}) {
    Sighting seen = sighting(url, {}, "Birds");
    seen.fetched_by = FetchedBy::robot;
    record(seen);
  }
  visit("https://b.example/");
  bool is_reading = true;
  GraphIndexSource source{*graph_, [&] { return is_reading; }, clock_};
  const auto waiting = [&] {
    std::string urls;
    for (const IndexEntry& entry : source.next(10).value()) urls += entry.page->url + " ";
    return urls;
  };
  EXPECT_EQ(waiting(), "https://b.example/ ");
  is_reading = false;
  EXPECT_EQ(waiting(), "https://b.example/ https://a.example/ ");
  is_reading = true;
  EXPECT_EQ(waiting(), "https://b.example/ ");
  clock_.advance(std::chrono::minutes{11});
  EXPECT_EQ(waiting(), "https://b.example/ https://a.example/ ");
}

TEST_F(SearchSourceTest, LinkThatAppearsLater_IsFoundByItsWords) {
  remember("https://b.example/", "Other", "Nothing of interest.");
  index_all();
  EXPECT_EQ(urls("feathered"), "");
  remember("https://a.example/", "Birds", "All pelicans eat fish.", {link("https://b.example/", "feathered friends")});
  while (graph_->queue_targets_of_new_links().value()) {
  }
  wait_for_index();
  EXPECT_EQ(urls("feathered friend"), "https://b.example/ ");
  EXPECT_EQ(graph_->search({}, {"feathered", 0, 10})->hits.at(0).in_degree, 1u);
}

TEST_F(SearchSourceTest, PageThatWasRead_IsFound_WhenALaterLoadFails) {
  remember("https://a.example/", "Birds", "All pelicans eat fish.");
  index_all();
  for (const int status : {503, 404, 302}) {
    Sighting failed = sighting("https://a.example/");
    failed.has_page = false;
    failed.status = status;
    if (status == 302) failed.redirects_to = "https://a.example/login";
    record(failed);
    visit("https://a.example/");
    wait_for_index();
    EXPECT_EQ(urls("pelican"), "https://a.example/ ") << status;
  }
}

TEST_F(SearchSourceTest, WhatHasNoText_IsFoundByItsAddress_AndByTheWordsOfLinks_IfSomebodyWantsIt) {
  const auto fetched = [this](const std::string& url, const std::string& mime, int status = 200) {
    Sighting seen = sighting(url);
    seen.has_page = false;
    seen.mime = mime;
    seen.status = status;
    record(seen);
  };
  // Loaded by the page: not worth an entry, whatever it says beside them.
  const std::vector<Link> links = {link("https://a.example/reports/linked.pdf", "Quarterly xylophone report"),
                                   link("https://a.example/reports/later.pdf", "Next report on marimbas"),
                                   link("https://a.example/part.png", "a gong", LinkKind::embedded),
                                   link("https://a.example/gone.pdf", "a vanished triangle")};
  remember("https://a.example/hub", "Hub", "Nothing of interest.", links);
  for (const char* part : {"https://a.example/part.png", "https://a.example/other.png"}) fetched(part, "image/png");
  fetched("https://a.example/style.css", "text/css");
  fetched("https://a.example/reports/linked.pdf", "application/pdf");
  fetched("https://a.example/gone.pdf", "text/html", 404);
  fetched("https://a.example/photo%20one.png", "image/png");
  visit("https://a.example/photo%20one.png");
  visit("https://a.example/gone.pdf");
  index_all();
  EXPECT_EQ(urls("xylophone"), "https://a.example/reports/linked.pdf ");
  EXPECT_EQ(urls("reports linked pdf"), "https://a.example/reports/linked.pdf ");
  EXPECT_EQ(urls("type:pdf"), "https://a.example/reports/linked.pdf ");
  EXPECT_EQ(urls("type:image"), "https://a.example/photo%20one.png ");
  EXPECT_EQ(urls("visited:yes type:image photo"), "https://a.example/photo%20one.png ");
  EXPECT_EQ(urls("gong"), "");
  EXPECT_EQ(urls("triangle"), "") << "it was never there";
  EXPECT_EQ(urls("style css"), "");
  EXPECT_EQ(graph_->search({}, {"type:image", 0, 10})->hits.at(0).title, "photo one.png");

  fetched("https://a.example/reports/later.pdf", "application/pdf");
  wait_for_index();
  EXPECT_EQ(urls("marimbas report"), "https://a.example/reports/later.pdf ");
  fetched("https://a.example/reports/linked.pdf", "text/html", 404);
  visit("https://a.example/reports/linked.pdf");
  wait_for_index();
  EXPECT_EQ(urls("xylophone type:pdf"), "https://a.example/reports/linked.pdf ") << "it was there";

  ASSERT_TRUE(graph_->queue_everything_for_index());
  wait_for_index();
  EXPECT_EQ(urls("gong"), "");
  EXPECT_EQ(urls("xylophone"), "https://a.example/reports/linked.pdf ");
  ASSERT_TRUE(graph_->forget(ForgetScope::of_page("https://a.example/hub")));
  wait_for_index();
  EXPECT_EQ(urls("marimbas report type:pdf site:a.example -linked"), "");
  EXPECT_EQ(urls("type:pdf"), "https://a.example/reports/linked.pdf ") << "somebody visited it";
}

TEST_F(SearchSourceTest, PictureThatIsLinkedLater_IsFoundByThatLink) {
  Sighting picture = sighting("https://a.example/p.png");
  picture.has_page = false;
  picture.mime = "image/png";
  record(picture);
  index_all();
  EXPECT_EQ(urls("type:image"), "");
  remember("https://a.example/", "Birds", "Some text.", {link("https://a.example/p.png", "pelican in flight")});
  while (graph_->queue_targets_of_new_links().value()) {
  }
  wait_for_index();
  EXPECT_EQ(urls("pelican type:image"), "https://a.example/p.png ");
}

TEST_F(SearchSourceTest, PersonalPage_IsItsOwners) {
  remember("https://mail.example/", "Letter", "Dear Anna", {}, "anna");
  remember("https://own.example/", "Letter", "Dear me", {}, "");
  index_all();
  EXPECT_EQ(urls("letter", {"anna", true}), "https://mail.example/ ");
  EXPECT_EQ(urls("letter"), "https://own.example/ ");
  EXPECT_EQ(urls("letter", Viewer::nobody()), "");
}

TEST_F(SearchSourceTest, VisitsOfAnOpenPage_AreOfThoseWhoMadeThem) {
  remember("https://a.example/", "Birds", "All pelicans eat fish.");
  visit("https://a.example/", "", "anna");
  visit("https://a.example/", "", "anna");
  visit("https://a.example/", "", "ben");
  index_all();
  const auto visits = [this](const char* user) {
    return graph_->search({user, true}, {"pelicans", 0, 10})->hits.at(0).visit_count;
  };
  EXPECT_EQ(visits("anna"), 2u);
  EXPECT_EQ(visits("ben"), 1u);
  EXPECT_EQ(visits(""), 0u);
  EXPECT_EQ(urls("visited:yes", {"anna", true}), "https://a.example/ ");
  EXPECT_EQ(urls("visited:yes"), "");
}

TEST_F(SearchSourceTest, ForgottenVisits_AreForgottenByTheIndex) {
  remember("https://a.example/", "Birds", "All pelicans eat fish.");
  visit("https://a.example/", "", "annaquux");
  index_all();
  ASSERT_EQ(urls("visited:yes", {"annaquux", true}), "https://a.example/ ");
  ASSERT_TRUE(graph_->forget(ForgetScope::of_user("annaquux")).has_value());
  EXPECT_EQ(urls("visited:yes", {"annaquux", true}), "");
  EXPECT_EQ(urls("pelican", {"annaquux", true}), "https://a.example/ ") << "it is everybody's";
  EXPECT_TRUE(files_with("annaquux").empty());
}

TEST_F(SearchSourceTest, ForgottenSite_IsInNoFileOfTheIndex) {
  remember("https://secret.example/", "canaryquux", "canaryquux canaryquux",
           {link("https://b.example/", "canaryquux in a link")});
  remember("https://b.example/", "Other", "Nothing of interest.");
  index_all();
  ASSERT_FALSE(files_with("canaryquux").empty());
  ASSERT_TRUE(graph_->forget(ForgetScope::of_site("secret.example")).has_value());
  EXPECT_TRUE(files_with("canaryquux").empty());
  EXPECT_EQ(urls("canaryquux"), "");
  EXPECT_EQ(urls("interest"), "https://b.example/ ");
}

}  // namespace
}  // namespace outrider
