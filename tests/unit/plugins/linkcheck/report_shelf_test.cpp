#include "plugins/linkcheck/report_shelf.hpp"

#include "tests/support/plugin_ports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider {
namespace {

using ::testing::ElementsAre;
using State = LinkReport::State;

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

  test::StoreInMemory store;
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

}  // namespace
}  // namespace outrider
