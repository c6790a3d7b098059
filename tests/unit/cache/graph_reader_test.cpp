// One page as a person sees it who has it in two spaces: everybody's and his own.
#include "cache/graph.hpp"

#include "tests/support/graph_fixture.hpp"

#include <gmock/gmock.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

struct GraphReaderTest : testing::GraphFixture {
  Sighting failure(std::string url, std::string text) const {
    Sighting failed;
    failed.url = std::move(url);
    failed.at = clock_.now();
    failed.error = NodeError::timeout;
    failed.error_text = std::move(text);
    return failed;
  }
  const Viewer anna{"anna", true};
};

TEST_F(GraphReaderTest, PageThatLinksInBothSpaces_IsOneNeighbour_OnEachPageOfTheList) {
  const auto url = [](int i) { return fmt::format("https://s{:04}.example/", i); };
  std::size_t known = 0;
  for (int i = 0; i < 700; ++i) {  // more than is read at once
    known += i % 2 == 0 || i % 3 != 1 ? 1 : 0;
    const std::vector<Link> links = {link("https://t.example/", "words")};
    if (i % 2 == 0) record(sighting(url(i), links));
    if (i % 3 != 1) record(owned(sighting(url(i), links), "anna"));
  }
  for (const std::size_t limit : {1, 7, 256, 1000}) {
    std::vector<std::string> sources;
    LinkQuery query{limit, ""};
    do {
      const auto page = graph_->links_to(anna, "https://t.example/", query);
      ASSERT_TRUE(page);
      ASSERT_LE(page->links.size(), limit);
      for (const KnownLink& each : page->links) sources.push_back(each.source);
      query.after = page->next;
    } while (!query.after.empty());
    EXPECT_TRUE(std::is_sorted(sources.begin(), sources.end()));
    EXPECT_EQ(std::adjacent_find(sources.begin(), sources.end()), sources.end());
    EXPECT_EQ(sources.size(), node("https://t.example/", anna)->in_degree);
    EXPECT_EQ(sources.size(), known) << limit;
  }
}

TEST_F(GraphReaderTest, LinkKnownInBothSpaces_IsToldAsItWasSeenLast) {
  const WallTime then = clock_.now();
  record(sighting("https://a.example/", {link("https://t.example/", "open words")}));
  clock_.advance(1h);
  record(owned(sighting("https://a.example/", {link("https://t.example/", "own words")}), "anna"));
  const auto own = graph_->links_to(anna, "https://t.example/", {});
  ASSERT_EQ(own->links.size(), 1u);
  EXPECT_EQ(own->links[0].link.text, "own words");
  EXPECT_EQ(own->links[0].last_seen, clock_.now());
  EXPECT_EQ(graph_->links_to(Viewer::nobody(), "https://t.example/", {})->links[0].link.text, "open words");
  EXPECT_EQ(node("https://t.example/", anna)->first_seen, then);
  EXPECT_EQ(node("https://t.example/", anna)->in_degree, 1u);
}

TEST_F(GraphReaderTest, Failure_IsThatOfTheLatestAttempt_WhereverItIsKept) {
  const auto error = [this](const Viewer& viewer) { return node("https://a.example/", viewer)->error_text; };
  record(sighting("https://a.example/"));
  clock_.advance(1h);
  record(owned(failure("https://a.example/", "for anna"), "anna"));
  EXPECT_EQ(error(anna), "for anna");
  EXPECT_EQ(node("https://a.example/", anna)->error, NodeError::timeout);
  EXPECT_EQ(node("https://a.example/", anna)->page.title, "Title") << "what is known stays";
  EXPECT_EQ(error({"bert", true}), "");
  EXPECT_EQ(node("https://a.example/", Viewer::nobody())->error, NodeError::none);
  clock_.advance(1h);
  record(failure("https://a.example/", "for all"));
  EXPECT_EQ(error(anna), "for all");
  clock_.advance(1h);
  record(owned(sighting("https://a.example/"), "anna"));
  EXPECT_EQ(error(anna), "");
  EXPECT_EQ(error(Viewer::nobody()), "for all");
  clock_.advance(1h);
  record(sighting("https://a.example/"));
  EXPECT_EQ(error(Viewer::nobody()), "");
}

}  // namespace
}  // namespace outrider
