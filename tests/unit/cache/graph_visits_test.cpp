// Visits, where they came from, and the trail.
#include "cache/graph.hpp"
#include "tests/support/graph_fixture.hpp"

#include <gmock/gmock.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class GraphVisitsTest : public testing::GraphFixture {
 protected:
  std::vector<Visit> visits(const VisitQuery& query = {}, const Viewer& viewer = {}) const {
    Result<std::vector<Visit>> found = graph_->visits(viewer, query);
    EXPECT_TRUE(found);
    return found ? std::move(*found) : std::vector<Visit>{};
  }
};

TEST_F(GraphVisitsTest, Visit_KnowsTheLinkThatLedThere_AndTheTrailGoesBack) {
  record(sighting("https://a.example/", {link("https://b.example/x#part", "to b")}, "A"));
  record(owned(sighting("https://b.example/x", {link("https://c.example/", "to c")}, "B"), ""));
  const VisitId a = visit("https://a.example/");
  clock_.advance(1s);
  const VisitId b = visit("https://b.example/x", "https://a.example/");
  clock_.advance(1s);
  const VisitId c = visit("https://c.example/", "https://b.example/x");
  EXPECT_LT(a, b);
  EXPECT_LT(b, c);
  const auto trail = graph_->trail({}, c, 10);
  ASSERT_TRUE(trail);
  ASSERT_EQ(trail->size(), 3u);
  EXPECT_EQ((*trail)[0].link_text, "to c");
  EXPECT_EQ((*trail)[1].link_text, "to b");
  EXPECT_EQ((*trail)[1].title, "B");
  EXPECT_EQ((*trail)[2].url, "https://a.example/");
  EXPECT_EQ(graph_->trail({}, c, 2)->size(), 2u);
  EXPECT_THAT(*graph_->trail({"anna", true}, c, 10), IsEmpty());
  EXPECT_THAT(*graph_->trail(Viewer::nobody(), c, 10), IsEmpty());
  EXPECT_EQ(node("https://a.example/")->visit_count, 1u);
  EXPECT_EQ(node("https://c.example/")->last_visit, clock_.now());
}

// Referrer-Policy strict-origin-when-cross-origin, the default of all browsers: only the origin is told.
TEST_F(GraphVisitsTest, ReferrerIsAnOriginAlone_TheVisitThereThatLinksHereIsMeant) {
  record(sighting("https://a.example/list", {link("https://b.example/", "the link")}));
  record(sighting("https://a.example/other"));
  const VisitId from = visit("https://a.example/list");
  clock_.advance(1s);
  visit("https://a.example/other");
  clock_.advance(1s);
  visit("https://b.example/", "https://a.example/");
  EXPECT_EQ(visits()[0].came_from, from);
  EXPECT_EQ(visits()[0].link_text, "the link");
}

TEST_F(GraphVisitsTest, ByTimeByPageAndBySite_NewestFirst) {
  const WallTime start = clock_.now();
  for (const char* url :
       {"https://a.example/1", "https://www.a.example/2", "https://b.example/", "https://a.example/1"}) {
    visit(url);
    clock_.advance(1h);
  }
  EXPECT_EQ(visits().size(), 4u);
  EXPECT_EQ(visits()[0].url, "https://a.example/1");
  VisitQuery query;
  query.site = "a.example";
  ASSERT_EQ(visits(query).size(), 3u);
  EXPECT_EQ(visits(query)[1].url, "https://www.a.example/2");
  query.site = "";
  query.url = "https://a.example/1";
  EXPECT_EQ(visits(query).size(), 2u);
  query = {};
  query.from = start + 1h;
  query.until = start + 3h;
  ASSERT_EQ(visits(query).size(), 2u);
  EXPECT_EQ(visits(query)[0].url, "https://b.example/");
  query = {};
  query.limit = 3;
  query.before = visits(query).back().id;
  ASSERT_EQ(visits(query).size(), 1u);
  EXPECT_EQ(visits(query)[0].at, start);
}

TEST_F(GraphVisitsTest, Visits_AreTheirOwnersAlone) {
  visit("https://a.example/", "", "anna");
  EXPECT_EQ(visits({}, {"anna", true}).size(), 1u);
  EXPECT_THAT(visits({}, {"anna", false}), IsEmpty());
  EXPECT_THAT(visits({}, {"ann", true}), IsEmpty());
  EXPECT_THAT(visits(), IsEmpty());
  EXPECT_EQ(node("https://a.example/", {"anna", true})->visit_count, 1u);
  EXPECT_FALSE(node("https://a.example/"));
  EXPECT_EQ(events(0, {"anna", true}).size(), 1u);
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(GraphVisitsTest, StorageClassNever_KeepsAddressAndTimeAlone) {
  record(sighting("https://a.example/", {link("https://bank.example/", "canary words")}));
  Visit secret;
  secret.url = "https://bank.example/";
  secret.at = clock_.now();
  secret.title = "canary title";
  secret.referrer = "https://a.example/";
  ASSERT_TRUE(graph_->record_visit(secret, StorageClass::never));
  const Visit kept = visits()[0];
  EXPECT_EQ(kept.url, "https://bank.example/");
  EXPECT_EQ(kept.at, clock_.now());
  EXPECT_EQ(kept.title + kept.referrer + kept.link_text, "");
  EXPECT_EQ(kept.came_from, 0u);
  graph_->close();
  EXPECT_THAT(files_with("canary title"), IsEmpty());
}

TEST_F(GraphVisitsTest, TitleThatCameLater_IsShown) {
  visit("https://a.example/");
  record(sighting("https://a.example/", {}, "Late"));
  EXPECT_EQ(visits()[0].title, "Late");
}

TEST_F(GraphVisitsTest, Ids_GrowEvenWhenTheClockGoesBack) {
  const VisitId first = visit("https://a.example/");
  open();
  clock_.set(clock_.now() - 24h * 3650);
  EXPECT_GT(visit("https://b.example/"), first);
  EXPECT_LT(visits()[0].id, VisitId{1} << 53) << "JSON numbers are exact up to there";
}

TEST_F(GraphVisitsTest, RecordedOutOfOrder_TheLaterVisitIsStillTheNewest) {
  const WallTime now = clock_.now();
  for (const auto later : {5000us, 300us}) {
    clock_.set(now + later);
    visit("https://later.example/");
    clock_.set(now);
    visit("https://earlier.example/");
    EXPECT_EQ(visits()[0].url, "https://later.example/");
  }
  EXPECT_EQ(visits().size(), 4U);
}

// What a person clicked on is often an address that only leads elsewhere.
TEST_F(GraphVisitsTest, LinkThatLedThere_IsFoundBehindRedirects) {
  record(sighting("https://a.example/", {link("https://short.example/x", "the words")}));
  const auto redirect = [this](const char* from, const char* to) {
    Sighting seen = sighting(from);
    seen.status = 302;
    seen.redirects_to = to;
    seen.has_page = false;
    record(seen);
  };
  redirect("https://short.example/x", "https://login.example/");
  redirect("https://login.example/", "https://b.example/");
  visit("https://a.example/");
  clock_.advance(std::chrono::seconds{1});
  const VisitId there = visit("https://b.example/", "https://a.example/");
  const Result<std::vector<Visit>> trail = graph_->trail({}, there, 10);
  ASSERT_TRUE(trail);
  ASSERT_EQ(trail->size(), 2u);
  EXPECT_EQ(trail->at(0).link_text, "the words");
}

}  // namespace
}  // namespace outrider
