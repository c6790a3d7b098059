#include "plugins/linkcheck/report_shelf.hpp"

#include "tests/support/plugin_ports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

using ::testing::ElementsAre;
using State = LinkReport::State;

struct SmallStore : test::StoreInMemory {
  std::size_t largest = SIZE_MAX;
  Result<void> put(std::string_view key, std::string_view value) override {
    if (value.size() > largest) return Error{ErrorKind::invalid_argument, Side::self, "the value is too large"};
    return StoreInMemory::put(key, value);
  }
};

struct ReportShelfTest : ::testing::Test {
  void put(std::uint64_t id, State state, std::size_t keep) {
    LinkReport report;
    report.id = id;
    report.url = "http://p/";
    report.state = state;
    EXPECT_TRUE(shelf.put(report, keep));
  }
  std::vector<std::uint64_t> kept() const {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, entry] : shelf.entries()) ids.push_back(id);
    return ids;
  }

  SmallStore store;
  ReportShelf shelf{store};
};

TEST_F(ReportShelfTest, TooMany_TheOldestGoes) {
  for (std::uint64_t id = 1; id <= 4; ++id) put(id, State::finished, 2);
  EXPECT_THAT(kept(), ElementsAre(3, 4));
  EXPECT_EQ(store.values.size(), 2U);
  put(4, State::finished, 1);  // fewer are wanted now
  EXPECT_THAT(kept(), ElementsAre(4));
}

// Its reader looks at it; and it would be back with the next save, as the newest.
TEST_F(ReportShelfTest, RunningOnes_AreNeverThrownAway_AndTakeNobodysPlace) {
  put(1, State::running, 1);
  put(2, State::running, 1);
  EXPECT_THAT(kept(), ElementsAre(1, 2));
  put(2, State::finished, 1);
  EXPECT_THAT(kept(), ElementsAre(1, 2));
  put(3, State::stopped, 1);
  EXPECT_THAT(kept(), ElementsAre(1, 3));
  put(1, State::finished, 1);
  EXPECT_THAT(kept(), ElementsAre(1)) << "the one that somebody waits for";
}

LinkReport with_places(State state) {
  LinkReport report;
  report.id = 1;
  report.state = state;
  CheckedLink& link = report.links.emplace_back();
  link.url = "http://q/";
  link.verdict = LinkVerdict::dead;
  link.places.assign(CheckedLink::kMostPlaces, {"http://p/" + std::string(500, 'p'), "text", LinkKind::anchor});
  return report;
}

TEST_F(ReportShelfTest, TooLarge_FewerPlacesAreKept) {
  store.largest = 3000;
  EXPECT_TRUE(shelf.put(with_places(State::finished), 10));
  const std::optional<LinkReport> kept = shelf.get(1);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->links.at(0).places.size(), 1U);
  EXPECT_EQ(kept->counts().dead, 1U);
}

TEST_F(ReportShelfTest, EndThatCannotBeStored_IsAnEndAllTheSame) {
  EXPECT_TRUE(shelf.put(with_places(State::running), 10));
  store.largest = 0;
  EXPECT_FALSE(shelf.put(with_places(State::finished), 10));
  EXPECT_FALSE(shelf.entries().at(1).running);
  EXPECT_EQ(shelf.entries().at(1).summary.at("state").as_string(), "finished");
  EXPECT_EQ(shelf.get(1)->state, State::interrupted) << "what is stored is not running either";
}

}  // namespace
}  // namespace outrider
