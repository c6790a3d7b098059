#include "cache/memory_keeper.hpp"

#include "tests/support/process.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace outrider {
namespace {

TEST(MemoryKeeperTest, SearchIndexThatCannotBeOpened_DoesNotTakeTheMemoryWithIt) {
  const testing_support::TemporaryDirectory folder;
  std::ofstream{folder.path() / "search"} << "in the way";
  Metrics metrics;
  auto keeper = MemoryKeeper::open({}, folder.path(), metrics);
  ASSERT_TRUE(keeper) << keeper.error().to_string();
  Sighting seen;
  seen.url = "https://a.example/";
  seen.at = Clock::system().now();
  seen.status = 200;
  EXPECT_TRUE((*keeper)->graph().record(seen));
  EXPECT_FALSE((*keeper)->graph().search({}, {"word", 0, 10})) << "said, not answered with nothing";
  (*keeper)->close();
}

}  // namespace
}  // namespace outrider
