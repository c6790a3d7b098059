// Forgetting is physical: a canary is in some file before, and in none afterwards (HOSTILE: privacy).
#include "cache/graph.hpp"
#include "tests/support/graph_fixture.hpp"

#include <gmock/gmock.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kCanary = "canary7f3a";

class GraphForgetTest : public testing::GraphFixture {
 protected:
  GraphOptions options() const override {
    GraphOptions options = GraphFixture::options();
    options.keep_bodies = true;
    return options;
  }
  static std::string with_canary(std::string_view text) { return std::string{text}.append(kCanary); }

  // Everything that a page can leave behind: title, text, links in both directions, visits, events, queue, body.
  void fill(const std::string& host, const std::string& word, const std::string& user) {
    for (const bool personal : {false, true}) {
      Sighting page = sighting("https://www." + host + "/" + word,
                               {link("https://elsewhere.example/", word), link("https://" + host + "/" + word + "2")},
                               "title " + word);
      if (personal) page = owned(page, user);
      page.page.text = "text " + word;
      page.page.fingerprint = 9;
      record(page);
      ASSERT_TRUE(graph_->record_body(page.ref(), "<body>" + word));
      page.body_hash = 12;
      page.links[0].text = word + " again";
      record(page);
    }
    record(sighting("https://elsewhere.example/from",
                    {link("https://" + host + "/", word), link("https://kept.example/", "kept words")}));
    visit("https://www." + host + "/" + word, "", user);
    visit("https://elsewhere.example/", "https://www." + host + "/" + word, user);
  }
  // Some of it in files, some in the log.
  void settle() {
    open();
    record(sighting("https://later.example/"));
  }
  ForgetReport forget(const ForgetScope& scope) {
    const Result<ForgetReport> report = graph_->forget(scope);
    EXPECT_TRUE(report) << report.error().to_string();
    return report ? *report : ForgetReport{};
  }
};

TEST_F(GraphForgetTest, Site_IsGoneFromEveryFile_AndOthersStay) {
  fill("sub.forget.example", std::string{kCanary}, "anna");
  fill("stay.example", "staying5b", "anna");
  settle();
  ASSERT_THAT(files_with(kCanary), Not(IsEmpty())) << "the test must have something to find";
  graph_->set_index_eraser([](std::span<const std::string> keys) -> Result<void> {
    EXPECT_EQ(keys.size(), 2u);
    return {};
  });
  const ForgetReport report = forget(ForgetScope::of_site("forget.example"));
  EXPECT_EQ(report.pages, 2u);
  EXPECT_EQ(report.visits, 1u);
  EXPECT_GT(report.events, 0u);
  EXPECT_THAT(files_with(kCanary), IsEmpty());
  EXPECT_THAT(files_with("example.forget"), IsEmpty());
  EXPECT_THAT(files_with("forget.example"), IsEmpty()) << "other pages' links to it, too";
  EXPECT_THAT(files_with("staying5b"), Not(IsEmpty()));
  const Viewer anna{"anna", true};
  EXPECT_FALSE(node("https://www.sub.forget.example/" + std::string{kCanary}, anna));
  EXPECT_EQ(node("https://www.stay.example/staying5b", anna, true)->page.text, "text staying5b");
  EXPECT_THAT(out("https://elsewhere.example/from"), ElementsAre("https://stay.example/", "https://kept.example/"));
  EXPECT_EQ(graph_->visits(anna, {})->size(), 3u);
  open();  // and nothing comes back
  EXPECT_THAT(files_with(kCanary), IsEmpty());
  EXPECT_THAT(in("https://kept.example/"), ElementsAre("https://elsewhere.example/from"));
}

TEST_F(GraphForgetTest, Site_WithoutAnIndexToErase_IsQueuedForRemoval_AndGoneAfterIt) {
  fill("forget.example", std::string{kCanary}, "anna");
  forget(ForgetScope::of_site("forget.example"));
  const auto items = graph_->next_to_unindex(10);
  ASSERT_TRUE(items);
  ASSERT_EQ(items->size(), 2u);
  std::vector<std::string> tickets;
  for (const IndexItem& item : *items) tickets.push_back(item.ticket);
  ASSERT_TRUE(graph_->unindexed(tickets));
  EXPECT_THAT(*graph_->next_to_unindex(10), IsEmpty());
  forget(ForgetScope::of_site("forget.example"));
  EXPECT_THAT(files_with(kCanary), IsEmpty());
}

TEST_F(GraphForgetTest, Page_GoesAlone) {
  record(sighting("https://a.example/" + std::string{kCanary}, {link("https://b.example/", "x")}));
  record(sighting("https://a.example/" + std::string{kCanary} + "-neighbour"));
  settle();
  EXPECT_EQ(forget(ForgetScope::of_page("https://a.example/" + std::string{kCanary})).pages, 1u);
  EXPECT_FALSE(node("https://a.example/" + std::string{kCanary}));
  EXPECT_TRUE(node("https://a.example/" + std::string{kCanary} + "-neighbour"));
  EXPECT_THAT(in("https://b.example/"), IsEmpty());
}

TEST_F(GraphForgetTest, Prefix_TakesWhatIsBelow) {
  for (const char* url : {"https://a.example/x/1", "https://a.example/x/2", "https://a.example/y"})
    record(sighting(url));
  EXPECT_EQ(forget(ForgetScope::of_prefix("https://a.example/x/")).pages, 2u);
  EXPECT_TRUE(node("https://a.example/y"));
  EXPECT_FALSE(node("https://a.example/x/2"));
}

TEST_F(GraphForgetTest, LastHour_TakesWhatWasVisitedAndFetchedThen) {
  record(sighting("https://old.example/"));
  visit("https://old.example/", "", "anna");
  clock_.advance(3h);
  const WallTime hour_ago = clock_.now() - 1h;
  fill("new.example", std::string{kCanary}, "anna");
  settle();
  const ForgetReport report = forget(ForgetScope::since(hour_ago));
  EXPECT_EQ(report.visits, 2u);
  const auto items = graph_->next_to_unindex(100);
  std::vector<std::string> tickets;
  for (const IndexItem& item : *items) tickets.push_back(item.ticket);
  ASSERT_TRUE(graph_->unindexed(tickets));
  forget(ForgetScope::since(hour_ago));
  EXPECT_THAT(files_with(kCanary), IsEmpty());
  EXPECT_TRUE(node("https://old.example/"));
  EXPECT_EQ(graph_->visits({"anna", true}, {})->size(), 1u);
}

TEST_F(GraphForgetTest, User_TakesHisOwnThings_AndNoOnesElse) {
  record(owned(sighting("https://a.example/", {link("https://b.example/")}, "anna's " + std::string{kCanary}), "anna"));
  record(owned(sighting("https://a.example/", {}, "bert's"), "bert"));
  record(sighting("https://a.example/", {}, "open"));
  visit("https://a.example/" + std::string{kCanary}, "", "anna");
  visit("https://a.example/", "", "bert");
  settle();
  graph_->set_index_eraser([](std::span<const std::string>) -> Result<void> { return {}; });
  const ForgetReport report = forget(ForgetScope::of_user("anna"));
  EXPECT_EQ(report.pages, 1u);
  EXPECT_EQ(report.visits, 1u);
  EXPECT_THAT(files_with(kCanary), IsEmpty());
  EXPECT_THAT(files_with("anna"), IsEmpty());
  EXPECT_EQ(node("https://a.example/", {"anna", true})->page.title, "open");
  EXPECT_EQ(node("https://a.example/", {"bert", true})->page.title, "bert's");
  EXPECT_EQ(graph_->visits({"bert", true}, {})->size(), 1u);
}

TEST_F(GraphForgetTest, Everything_LeavesNothing_AndCursorsGoOn) {
  fill("forget.example", std::string{kCanary}, "anna");
  settle();
  std::filesystem::create_directories(folder().string() + ".damaged");
  std::ofstream(folder().string() + ".damaged/000001.sst") << kCanary;
  graph_->set_index_eraser([](std::span<const std::string>) -> Result<void> { return {}; });
  const EventCursor before = graph_->newest_event();
  forget(ForgetScope::all());
  EXPECT_THAT(files_with(kCanary), IsEmpty());
  EXPECT_THAT(files_with("forget"), IsEmpty());
  EXPECT_THAT(events(0, {"anna", true}), IsEmpty());
  EXPECT_THAT(queued(), IsEmpty());
  open();
  record(sighting("https://new.example/"));
  EXPECT_GT(graph_->newest_event(), before) << "a reader's cursor stays good";
  EXPECT_EQ(events(before).size(), 1u);
}

TEST_F(GraphForgetTest, IndexThatCouldNotBeErased_IsToldAgain) {
  for (const ForgetScope& scope : {ForgetScope::of_site("a.example"), ForgetScope::all()}) {
    record(sighting("https://a.example/"));
    graph_->set_index_eraser([](std::span<const std::string>) -> Result<void> {
      return Error{ErrorKind::io, Side::self, "the disk is full"};
    });
    EXPECT_FALSE(graph_->forget(scope));
    open();
    EXPECT_EQ(graph_->next_to_unindex(10)->size(), 1u);
    std::vector<std::string> told;
    graph_->set_index_eraser([&](std::span<const std::string> keys) -> Result<void> {
      told.assign(keys.begin(), keys.end());
      return {};
    });
    forget(scope);
    EXPECT_EQ(told.size(), 1u) << "also of what was removed before";
    EXPECT_THAT(*graph_->next_to_unindex(10), IsEmpty());
  }
}

TEST_F(GraphForgetTest, AnswerFromBefore_DoesNotBringItBack) {
  const Sighting before = sighting("https://a.example/x");
  const Sighting other = sighting("https://b.example/");
  Visit visited;
  visited.at = clock_.now();
  visited.url = before.url;
  clock_.advance(1s);
  forget(ForgetScope::of_site("a.example"));
  record(before);
  record(other);
  ASSERT_TRUE(graph_->record_visit(visited));
  EXPECT_FALSE(node("https://a.example/x"));
  EXPECT_TRUE(node("https://b.example/"));
  EXPECT_THAT(*graph_->visits({}, {}), IsEmpty());
  record(sighting("https://a.example/x"));
  EXPECT_TRUE(node("https://a.example/x")) << "what is fetched afterwards is remembered";
}

// og:image, JSON-LD and the like are no links.
TEST_F(GraphForgetTest, Site_IsGoneFromThePicturesAndAddressesOfOtherPages) {
  const std::string host = "cdn." + std::string{kCanary} + ".example";
  Sighting page = sighting("https://a.example/", {link("https://" + host + "/", "words"), link("https://b.example/")});
  page.page.image = "https://" + host + "/1.png";
  page.page.favicon = "https://" + host + "/2.png";
  page.page.canonical = "https://" + host + "/3";
  record(page);
  Sighting own = owned(sighting("https://own.example/"), "anna");
  own.page.image = "https://" + host + "/4.png";
  record(own);
  Sighting other = sighting("https://stay.example/");
  other.page.image = "https://" + host + ".another.example/5.png";
  record(other);
  settle();
  forget(ForgetScope::of_page("https://" + host + "/1.png"));
  EXPECT_EQ(node("https://a.example/")->page.image, "");
  EXPECT_NE(node("https://a.example/")->page.favicon, "");
  forget(ForgetScope::of_site(std::string{kCanary} + ".example"));
  EXPECT_EQ(node("https://a.example/")->out_degree, 1u);
  EXPECT_NE(node("https://stay.example/")->page.image, "");
  forget(ForgetScope::of_page("https://stay.example/"));
  EXPECT_THAT(files_with(kCanary), IsEmpty());
  EXPECT_TRUE(node("https://own.example/", {"anna", true}));
}

TEST_F(GraphForgetTest, PagesThatItLinkedTo_AreIndexedAgain) {
  record(sighting("https://a.example/", {link("https://b.example/", "words"), link("https://unknown.example/")}));
  record(sighting("https://b.example/"));
  std::vector<std::string> tickets;
  for (const IndexItem& item : *graph_->next_to_index(10)) tickets.push_back(item.ticket);
  ASSERT_TRUE(graph_->indexed(tickets));
  forget(ForgetScope::of_site("a.example"));
  const auto again = graph_->next_to_index(10);
  ASSERT_EQ(again->size(), 1u);
  EXPECT_EQ(again->front().page.url, "https://b.example/");
}

TEST_F(GraphForgetTest, VisitThatCameFromAForgottenOne_DoesNotTell) {
  record(sighting("https://a.example/", {link("https://b.example/", "words of a")}));
  visit("https://a.example/", "", "");
  clock_.advance(1h);
  const WallTime then = clock_.now();
  visit("https://b.example/", "https://a.example/", "");
  ForgetScope scope;
  scope.from = then - 2h;
  scope.until = then;
  forget(scope);
  const auto left = graph_->visits({}, {});
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ(left->front().link_text, "");
  EXPECT_EQ(left->front().referrer, "");
  EXPECT_EQ(left->front().came_from, 0u);
}

TEST_F(GraphForgetTest, NothingNamed_IsRefused) {
  EXPECT_FALSE(graph_->forget({}));
  EXPECT_FALSE(graph_->forget(ForgetScope::of_site("not a host/")));
  EXPECT_FALSE(graph_->forget(ForgetScope::of_page("mailto:x")));
}

}  // namespace
}  // namespace outrider
