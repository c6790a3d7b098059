// Nodes and links: what goes in comes out, in both directions, and only for those who may see it.
#include "cache/graph.hpp"

#include "cache/graph_keys.hpp"
#include "tests/support/graph_fixture.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <thread>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class GraphTest : public testing::GraphFixture {};

PageContent read_page(std::string text, std::uint64_t fingerprint) {
  PageContent page;
  page.title = "Deep";
  page.text = std::move(text);
  page.headings = {{1, "One"}, {2, "Two"}};
  page.language = {"de", 0.9f, 400};
  page.word_count = 7;
  page.fingerprint = fingerprint;
  page.simhash = fingerprint + 1;
  page.deep = true;
  return page;
}

TEST_F(GraphTest, Node_ComesBackAsItWasRecorded) {
  Sighting seen = sighting("https://www.example.com/a?b=c#frag", {link("https://other.example/", "there")});
  seen.fetched_by = FetchedBy::robot;
  seen.etag = "\"x\"";
  seen.last_modified = "yesterday";
  seen.wire_size = 10;
  seen.decoded_size = 30;
  seen.page.description = "About";
  seen.page.keywords = {"one", "two"};
  seen.page.published = clock_.now() - 48h;
  seen.page.robots.noindex = true;
  const Recorded recorded = record(seen);
  EXPECT_TRUE(recorded.is_new);
  EXPECT_FALSE(recorded.changed);
  open();  // and after a new start
  const auto found = node("https://www.example.com/a?b=c");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->url, "https://www.example.com/a?b=c");
  EXPECT_EQ(found->status, 200);
  EXPECT_EQ(found->fetched_by, FetchedBy::robot);
  EXPECT_EQ(found->etag, "\"x\"");
  EXPECT_EQ(found->last_modified, "yesterday");
  EXPECT_EQ(found->wire_size, 10u);
  EXPECT_EQ(found->decoded_size, 30u);
  EXPECT_EQ(found->page.title, "Title");
  EXPECT_EQ(found->page.description, "About");
  EXPECT_EQ(found->page.keywords, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(found->page.published, clock_.now() - 48h);
  EXPECT_TRUE(found->page.robots.noindex);
  EXPECT_FALSE(found->page.robots.nofollow);
  EXPECT_EQ(found->first_seen, clock_.now());
  EXPECT_EQ(found->last_fetched, clock_.now());
  EXPECT_EQ(found->fetches, 1u);
  EXPECT_EQ(found->out_degree, 1u);
  EXPECT_FALSE(found->has_text);
  EXPECT_FALSE(node("https://www.example.com/other"));
}

TEST_F(GraphTest, Links_AreFoundFromBothEnds_WithAllTheySay) {
  Link full = link("https://b.example/x#part", "Words", LinkKind::area);
  full.flags = LinkFlags::nofollow | LinkFlags::new_window;
  full.rel = "nofollow";
  full.reach = LinkReach::external;
  full.position = 3;
  record(sighting("https://a.example/", {full, link("mailto:x@a.example"), link("https://a.example/#top")}));
  const auto outward = graph_->links_from({}, "https://a.example/", {});
  ASSERT_TRUE(outward);
  ASSERT_EQ(outward->links.size(), 3u);
  const auto inward = graph_->links_to({}, "https://b.example/x", {});
  ASSERT_TRUE(inward);
  ASSERT_EQ(inward->links.size(), 1u);
  for (const KnownLink& known : {outward->links[0], inward->links[0]}) {
    EXPECT_EQ(known.source, "https://a.example/");
    EXPECT_EQ(known.link.target, "https://b.example/x#part");
    EXPECT_EQ(known.link.kind, LinkKind::area);
    EXPECT_EQ(known.link.flags, full.flags);
    EXPECT_EQ(known.link.text, "Words");
    EXPECT_EQ(known.link.rel, "nofollow");
    EXPECT_EQ(known.link.position, 3u);
    EXPECT_EQ(known.first_seen, clock_.now());
    EXPECT_EQ(known.last_seen, clock_.now());
  }
  EXPECT_THAT(in("https://a.example/"), IsEmpty()) << "a link to itself is none from another page";
  EXPECT_EQ(node("https://a.example/")->out_degree, 1u);
  const auto unseen = node("https://b.example/x");
  ASSERT_TRUE(unseen) << "it is known from links alone";
  EXPECT_EQ(unseen->fetched_by, FetchedBy::nobody);
  EXPECT_EQ(unseen->in_degree, 1u);
  EXPECT_EQ(unseen->first_seen, clock_.now());
}

TEST_F(GraphTest, LinksThatVanished_AreGoneFromBothEnds_AndThoseKeptRememberSinceWhen) {
  const WallTime then = clock_.now();
  record(sighting("https://a.example/", {link("https://b.example/"), link("https://c.example/")}));
  clock_.advance(48h);
  record(sighting("https://a.example/", {link("https://c.example/"), link("https://d.example/")}, "New"));
  EXPECT_THAT(out("https://a.example/"), ElementsAre("https://c.example/", "https://d.example/"));
  EXPECT_THAT(in("https://b.example/"), IsEmpty());
  EXPECT_THAT(in("https://d.example/"), ElementsAre("https://a.example/"));
  for (const auto& page :
       {graph_->links_to({}, "https://c.example/", {}), graph_->links_from({}, "https://a.example/", {})}) {
    ASSERT_TRUE(page);
    EXPECT_EQ(page->links[0].first_seen, then);
    EXPECT_EQ(page->links[0].last_seen, clock_.now());
  }
}

TEST_F(GraphTest, SeveralLinksBetweenTwoPages_AreOneNeighbour_WithItsBestWords) {
  record(sighting("https://a.example/", {link("https://b.example/", "", LinkKind::embedded), link("https://b.example/"),
                                         link("https://b.example/#x", "first"), link("https://b.example/", "second")}));
  const auto page = graph_->links_to({}, "https://b.example/", {});
  ASSERT_EQ(page->links.size(), 1u);
  EXPECT_EQ(page->links[0].link.text, "first");
  EXPECT_EQ(page->links[0].link.target, "https://b.example/#x");
  record(sighting("https://c.example/", {link("https://b.example/", "second")}));
  const auto texts = graph_->anchor_texts({"https://b.example/", "", StorageClass::open}, 10);
  ASSERT_TRUE(texts);
  EXPECT_THAT(*texts, ElementsAre("second", "first")) << "most frequent first";
}

TEST_F(GraphTest, Redirect_IsALink_BesideThoseOfThePageThatIsKept) {
  record(sighting("https://a.example/", {link("https://b.example/", "words")}));
  Sighting moved = sighting("https://a.example/");
  moved.has_page = false;
  moved.status = 302;
  for (const char* target : {"https://a.example/login", "https://a.example/new"}) {
    clock_.advance(1h);
    moved.at = clock_.now();
    moved.redirects_to = target;
    record(moved);
    EXPECT_THAT(out("https://a.example/"), ElementsAre("https://b.example/", target));
  }
  EXPECT_THAT(in("https://b.example/"), ElementsAre("https://a.example/"));
  EXPECT_THAT(in("https://a.example/login"), IsEmpty());
  EXPECT_THAT(in("https://a.example/new"), ElementsAre("https://a.example/"));
  const auto links = graph_->links_from({}, "https://a.example/", {});
  EXPECT_EQ(links->links[0].link.text, "words");
  EXPECT_EQ(links->links[0].first_seen, clock_.now() - 2h);
  EXPECT_EQ(links->links[1].link.kind, LinkKind::redirect);
  EXPECT_EQ(node("https://a.example/")->redirects_to, "https://a.example/new");
  EXPECT_EQ(node("https://a.example/")->out_degree, 2u);
  record(sighting("https://a.example/", {link("https://c.example/")}));
  EXPECT_THAT(out("https://a.example/"), ElementsAre("https://c.example/")) << "the page is back";
}

TEST_F(GraphTest, LinksTo_ComesInPages) {
  for (int i = 0; i < 25; ++i) {
    record(sighting(fmt::format("https://s{}.example/", i), {link("https://t.example/")}));
    record(owned(sighting(fmt::format("https://p{}.example/", i), {link("https://t.example/")}), "anna"));
  }
  const Viewer anna{"anna", true};
  std::vector<std::string> sources;
  LinkQuery query{7, ""};
  do {
    const auto page = graph_->links_to(anna, "https://t.example/", query);
    ASSERT_TRUE(page);
    ASSERT_LE(page->links.size(), 7u);
    for (const KnownLink& each : page->links) sources.push_back(each.source);
    query.after = page->next;
  } while (!query.after.empty());
  std::sort(sources.begin(), sources.end());
  EXPECT_EQ(std::unique(sources.begin(), sources.end()) - sources.begin(), 50);
  EXPECT_EQ(sources.size(), 50u);
  EXPECT_EQ(node("https://t.example/", anna)->in_degree, 50u);
  EXPECT_EQ(node("https://t.example/", Viewer::nobody())->in_degree, 25u);
  query.after = graph::to_hex(graph::personal_space("anna"));
  EXPECT_THAT(targets(graph_->links_to(Viewer::nobody(), "https://t.example/", query)), IsEmpty())
      << "a cursor opens no door";
  query.after = "no cursor";
  EXPECT_FALSE(graph_->links_to(anna, "https://t.example/", query));
}

TEST_F(GraphTest, WhatIsPersonal_IsForItsOwnerAlone) {
  record(owned(sighting("https://bank.example/", {link("https://bank.example/account", "Account")}), "anna"));
  record(owned(sighting("https://mail.example/"), ""));
  const Viewer anna{"anna", true}, bert{"bert", true}, alone{"", true};
  EXPECT_EQ(node("https://bank.example/", anna)->owner, "anna");
  EXPECT_EQ(node("https://bank.example/", anna)->storage, StorageClass::personal);
  EXPECT_TRUE(node("https://mail.example/", alone)) << "where nobody logs in";
  for (const Viewer& stranger : {bert, Viewer::nobody(), alone, Viewer{"anna", false}}) {
    EXPECT_FALSE(node("https://bank.example/", stranger));
    EXPECT_THAT(out("https://bank.example/", stranger), IsEmpty());
    EXPECT_THAT(in("https://bank.example/account", stranger), IsEmpty());
    for (const MemoryEvent& event : events(0, stranger)) EXPECT_EQ(event.url, "https://mail.example/");
  }
  EXPECT_THAT(events(0, Viewer::nobody()), IsEmpty());
  EXPECT_FALSE(node("https://mail.example/", Viewer::nobody()));
  EXPECT_THAT(in("https://bank.example/account", anna), ElementsAre("https://bank.example/"));
  EXPECT_THAT(*graph_->anchor_texts({"https://bank.example/account", "", StorageClass::open}, 5), IsEmpty());
  EXPECT_THAT(*graph_->anchor_texts({"https://bank.example/account", "anna", StorageClass::personal}, 5),
              ElementsAre("Account"));
}

TEST_F(GraphTest, OwnAndOpenVersionOfAPage_TheNewerIsSeen) {
  record(sighting("https://a.example/", {}, "open"));
  clock_.advance(1s);
  record(owned(sighting("https://a.example/", {}, "own"), "anna"));
  EXPECT_EQ(node("https://a.example/", {"anna", true})->page.title, "own");
  EXPECT_EQ(node("https://a.example/", {"bert", true})->page.title, "open");
  clock_.advance(1s);
  record(sighting("https://a.example/", {}, "newer"));
  EXPECT_EQ(node("https://a.example/", {"anna", true})->page.title, "newer");
}

TEST_F(GraphTest, StorageClassNever_WritesNothing) {
  Sighting secret =
      sighting("https://bank.example/canary-never", {link("https://bank.example/other-canary")}, "canary");
  secret.storage = StorageClass::never;
  secret.page.text = "canary";
  record(secret);
  graph_->close();
  EXPECT_THAT(files_with("canary"), IsEmpty());
}

TEST_F(GraphTest, NotModified_ChangesDatesAndObservationOnly) {
  const Sighting first = sighting("https://a.example/", {link("https://b.example/")});
  record(first);
  clock_.advance(48h);
  Sighting again;
  again.url = first.url;
  again.at = clock_.now();
  again.status = 304;
  again.not_modified = true;
  again.fetched_by = FetchedBy::robot;
  EXPECT_FALSE(record(again).changed);
  const auto found = node("https://a.example/");
  EXPECT_EQ(found->status, 200);
  EXPECT_EQ(found->page.title, "Title");
  EXPECT_EQ(found->last_changed, first.at);
  EXPECT_EQ(found->last_fetched, clock_.now());
  ASSERT_EQ(found->observations.size(), 2u);
  EXPECT_FALSE(found->observations[1].changed);
  EXPECT_EQ(graph_->links_from({}, "https://a.example/", {})->links[0].last_seen, clock_.now());
}

TEST_F(GraphTest, Failure_IsNoted_AndWhatWasKnownStays) {
  record(sighting("https://a.example/", {link("https://b.example/")}));
  Sighting failed;
  failed.url = "https://a.example/";
  failed.at = clock_.now();
  failed.error = NodeError::timeout;
  failed.error_text = "too slow";
  record(failed);
  auto found = node("https://a.example/");
  EXPECT_EQ(found->error, NodeError::timeout);
  EXPECT_EQ(found->error_text, "too slow");
  EXPECT_EQ(found->status, 200);
  EXPECT_EQ(found->page.title, "Title");
  EXPECT_THAT(in("https://b.example/"), ElementsAre("https://a.example/"));
  EXPECT_EQ(events().back().kind, MemoryEventKind::error);
  record(sighting("https://a.example/"));
  EXPECT_EQ(node("https://a.example/")->error, NodeError::none);
  Sighting broken = sighting("https://a.example/", {}, "Sorry");
  broken.status = 503;
  broken.error = NodeError::http;
  record(broken);
  EXPECT_EQ(node("https://a.example/")->page.title, "Title") << "an error page is not the page";
}

TEST_F(GraphTest, Text_IsKeptAndTellsRealChanges) {
  Sighting page = sighting("https://a.example/");
  page.page = read_page("the words", 77);
  page.page.description = "from the head";
  record(page);
  const auto found = node("https://a.example/", {}, true);
  EXPECT_EQ(found->page.text, "the words");
  EXPECT_EQ(found->page.description, "from the head");
  EXPECT_EQ(found->page.language.code, "de");
  ASSERT_EQ(found->page.headings.size(), 2u);
  EXPECT_TRUE(found->has_text);
  EXPECT_TRUE(node("https://a.example/")->page.text.empty()) << "only where it is asked for";
  const WallTime then = clock_.now();
  const EventCursor before = graph_->newest_event();

  clock_.advance(1h);  // other bytes, the same words
  page.at = clock_.now();
  page.body_hash = 4711;
  EXPECT_FALSE(record(page).changed);
  EXPECT_EQ(node("https://a.example/")->last_changed, then);
  EXPECT_FALSE(node("https://a.example/")->observations.back().changed);
  EXPECT_THAT(events(before), IsEmpty());

  clock_.advance(1h);  // other words
  page.at = clock_.now();
  page.body_hash = 4712;
  page.page = read_page("other words", 78);
  EXPECT_TRUE(record(page).changed);
  EXPECT_EQ(node("https://a.example/", {}, true)->page.text, "other words");
  EXPECT_EQ(node("https://a.example/")->last_changed, clock_.now());
  EXPECT_TRUE(node("https://a.example/")->observations.back().changed);
  ASSERT_EQ(events(before).size(), 1u);
  EXPECT_EQ(events(before)[0].kind, MemoryEventKind::node_changed);
}

// Too large for a tree, but its words were found.
TEST_F(GraphTest, TextOfAPageWithoutATree_IsKept) {
  Sighting page = sighting("https://a.example/");
  page.page = read_page("the words", 77);
  page.page.deep = false;
  record(page);
  EXPECT_EQ(node("https://a.example/", {}, true)->page.text, "the words");
}

TEST_F(GraphTest, WhatWaited_DoesNotReplaceWhatIsNewer) {
  Sighting old = sighting("https://a.example/", {}, "old");
  old.waited = true;
  clock_.advance(1h);
  record(sighting("https://a.example/", {}, "new"));
  EXPECT_FALSE(record(old).changed);
  EXPECT_EQ(node("https://a.example/")->page.title, "new");
  EXPECT_EQ(node("https://a.example/")->fetches, 1u);
}

TEST_F(GraphTest, Observations_TheLast32AreKept) {
  for (int i = 0; i < 40; ++i) {
    record(sighting("https://a.example/", {}, "title " + std::to_string(i / 2)));
    clock_.advance(1h);
  }
  const auto found = node("https://a.example/");
  ASSERT_EQ(found->observations.size(), 32u);
  EXPECT_EQ(found->observations.back().at, clock_.now() - 1h);
  EXPECT_EQ(std::count_if(found->observations.begin(), found->observations.end(), [](auto o) { return o.changed; }),
            16);
  EXPECT_EQ(found->fetches, 40u);
}

TEST_F(GraphTest, TheIndexIsWoken_ForPagesAndForWhatIsVisited_AndForNothingElse) {
  int woken = 0;
  std::size_t queued = 0;
  graph_->set_index_wake([&] {
    ++woken;
    queued = graph_->next_to_index(10)->size();  // it is written by now
  });
  Sighting picture = sighting("https://a.example/p.png");
  picture.has_page = false;
  picture.mime = "image/png";
  record(picture);
  EXPECT_EQ(woken, 0);
  record(sighting("https://a.example/"));
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(queued, 1u);
  visit("https://a.example/");
  EXPECT_EQ(woken, 2);
  visit("https://a.example/p.png");
  EXPECT_EQ(woken, 3);
}

TEST_F(GraphTest, OnlyWebPagesAreRemembered) {
  EXPECT_FALSE(graph_->record(sighting("ftp://a.example/")));
  EXPECT_FALSE(graph_->record(sighting("nonsense")));
  EXPECT_FALSE(graph_->node({}, "mailto:a@b", false));
}

TEST_F(GraphTest, ManyThreads_EachPageIsWhole) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      for (int i = 0; i < 100; ++i)
        record(sighting(fmt::format("https://a.example/{}", i % 20),
                        {link(fmt::format("https://t.example/{}-{}", t, i)), link("https://common.example/")},
                        std::to_string(t * 1000 + i)));
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(in("https://common.example/").size(), 20u);
  for (int i = 0; i < 20; ++i) {
    const std::string url = fmt::format("https://a.example/{}", i);
    for (const std::string& target : out(url)) EXPECT_THAT(in(target), ::testing::Contains(url));
    EXPECT_EQ(out(url).size(), 2u);
  }
  std::size_t back = 0;  // no link from the other end is left over
  for (int t = 0; t < 4; ++t)
    for (int i = 0; i < 100; ++i) back += in(fmt::format("https://t.example/{}-{}", t, i)).size();
  EXPECT_EQ(back, 20u);
}

TEST_F(GraphTest, Files_AreForTheirOwnerAlone) {
  record(sighting("https://a.example/"));
  const mode_t former = ::umask(0);
  open();
  record(sighting("https://b.example/"));
  ::umask(former);
  struct stat info {};
  ASSERT_EQ(::stat(folder().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0077, 0u) << entry.path();
  }
}

TEST_F(GraphTest, DamagedMemory_IsMovedAside_AndANewOneBegins) {
  record(sighting("https://a.example/"));
  graph_->close();
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    if (entry.path().filename().string().starts_with("MANIFEST")) std::filesystem::resize_file(entry.path(), 10);
  open();
  EXPECT_FALSE(node("https://a.example/"));
  EXPECT_TRUE(std::filesystem::exists(folder().string() + ".damaged"));
  record(sighting("https://b.example/"));
  EXPECT_TRUE(node("https://b.example/"));
}

// A disk that takes nothing any more, as a limit on the size of files makes it.
TEST_F(GraphTest, DiskThatIsFull_RefusesWrites_AndWritingResumesWhenItIsFreed) {
  record(sighting("https://before.example/", {link("https://b.example/")}));
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const rlimit nothing{0, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &nothing), 0);
  const bool first = graph_->record(sighting("https://during.example/")).has_value();
  const bool second = graph_->record(sighting("https://during.example/")).has_value();
  const bool readable = graph_->node({}, "https://before.example/", false).has_value();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
  EXPECT_FALSE(first);
  EXPECT_FALSE(second);
  EXPECT_TRUE(readable);
  graph_->upkeep();
  record(sighting("https://after.example/"));
  for (int start = 0; start < 2; ++start) {
    EXPECT_TRUE(node("https://before.example/"));
    EXPECT_THAT(in("https://b.example/"), ElementsAre("https://before.example/"));
    EXPECT_FALSE(node("https://during.example/"));
    EXPECT_TRUE(node("https://after.example/"));
    open();
  }
}

TEST_F(GraphTest, ReadOnly_ShowsWhatIsThere_AndWritesNothing) {
  record(sighting("https://a.example/", {link("https://b.example/")}));
  GraphOptions only = options();
  only.read_only = true;
  open(only);
  EXPECT_TRUE(node("https://a.example/"));
  EXPECT_THAT(in("https://b.example/"), ElementsAre("https://a.example/"));
  EXPECT_FALSE(graph_->record(sighting("https://c.example/")));
  EXPECT_FALSE(graph_->forget(ForgetScope::all()));
  only.folder = folder() / "nothing";
  EXPECT_FALSE(Graph::open(only, metrics_, clock_));
}

TEST_F(GraphTest, PageWithALongAddressAndManyLinks_WritesABoundedBatch) {
  std::vector<Link> links;
  for (int i = 0; i < 5000; ++i) links.push_back(link("https://b.example/" + std::to_string(i)));
  record(sighting("https://a.example/" + std::string(16'000, 'x'), links));
  EXPECT_TRUE(node("https://b.example/0"));
  EXPECT_FALSE(node("https://b.example/4999")) << "80 MB of keys";
  record(sighting("https://a.example/", links));
  EXPECT_TRUE(node("https://b.example/4999"));
}

}  // namespace
}  // namespace outrider
