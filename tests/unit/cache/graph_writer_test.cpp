// What a later answer does to what is known of a page.
#include "cache/graph.hpp"

#include "tests/support/graph_fixture.hpp"

#include <gmock/gmock.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct GraphWriterTest : testing::GraphFixture {
  Sighting answer(std::string url, int status) const {
    Sighting seen = sighting(std::move(url));
    seen.status = status;
    seen.has_page = false;
    seen.body_hash = 0;
    if (status >= 300 && status < 400) seen.redirects_to = "https://login.example/";
    return seen;
  }
  std::vector<bool> changes(std::string_view url) const {
    std::vector<bool> changed;
    const auto found = node(url);
    for (const Observation& each : found->observations) changed.push_back(each.changed);
    return changed;
  }
};

TEST_F(GraphWriterTest, OnlyTwoAnswersWithThePage_TellWhetherItChanged) {
  const std::string url = "https://a.example/";
  record(sighting(url, {}, "one"));
  const WallTime then = clock_.now();
  const EventCursor before = graph_->newest_event();
  for (const int status : {503, 404, 302, 500}) {
    clock_.advance(1h);
    EXPECT_FALSE(record(answer(url, status)).changed) << status;
    clock_.advance(1h);
    EXPECT_FALSE(record(sighting(url, {}, "one")).changed) << status;
  }
  EXPECT_EQ(node(url)->last_changed, then);
  EXPECT_THAT(changes(url), ElementsAre(false, false, false, false, false)) << "errors are no observations";
  for (const MemoryEvent& event : events(before)) EXPECT_NE(event.kind, MemoryEventKind::node_changed);
  record(answer(url, 503));
  EXPECT_TRUE(record(sighting(url, {}, "two")).changed);
  EXPECT_EQ(node(url)->last_changed, clock_.now());
  EXPECT_EQ(node(url)->fetches, 11u);
}

TEST_F(GraphWriterTest, ErrorPage_DoesNotTakeThePlaceOfWhatIsKnownOfAPicture) {
  const std::string url = "https://a.example/p.png";
  Sighting picture = answer(url, 200);
  picture.mime = "image/png";
  picture.etag = "\"1\"";
  picture.decoded_size = 5;
  record(picture);
  record(answer(url, 404));
  EXPECT_EQ(node(url)->status, 404);
  EXPECT_EQ(node(url)->mime, "image/png");
  EXPECT_EQ(node(url)->etag, "\"1\"");
  record(answer(url, 503));
  EXPECT_FALSE(record(picture).changed);
  picture.etag = "\"2\"";
  EXPECT_TRUE(record(picture).changed);
}

TEST_F(GraphWriterTest, PageThatWasFirstMet_AsAnError_IsNewWhenItIsThere) {
  record(answer("https://a.example/", 503));
  EXPECT_EQ(node("https://a.example/")->mime, "text/html");
  clock_.advance(1h);
  EXPECT_FALSE(record(sighting("https://a.example/")).changed);
  EXPECT_EQ(node("https://a.example/")->last_changed, clock_.now());
  EXPECT_EQ(node("https://a.example/")->observations.size(), 1u);
}

}  // namespace
}  // namespace outrider
