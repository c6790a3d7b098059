// Opening what another program left behind.
#include "cache/graph_db_tuning.hpp"

#include "tests/support/graph_fixture.hpp"

#include <rocksdb/db.h>

namespace outrider {
namespace {

struct GraphDbOpenTest : testing::GraphFixture {
  void SetUp() override {}
  // As a later version may leave it.
  void add_family(const char* name) {
    std::vector<std::string> names;
    ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, folder().string(), &names).ok());
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string& each : names) families.emplace_back(each, rocksdb::ColumnFamilyOptions{});
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, folder().string(), families, &handles, &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    rocksdb::ColumnFamilyHandle* added = nullptr;
    ASSERT_TRUE(db->CreateColumnFamily({}, name, &added).ok());
    handles.push_back(added);
    for (rocksdb::ColumnFamilyHandle* each : handles) db->DestroyColumnFamilyHandle(each);
  }
};

TEST_F(GraphDbOpenTest, MemoryThatCannotBeOpenedYet_IsOpenedLater) {
  open();
  record(sighting("https://a.example/"));
  const EventCursor newest = graph_->newest_event();
  graph_->close();
  graph_.reset();
  const auto elsewhere = temporary_.path() / "elsewhere";
  std::filesystem::rename(folder(), elsewhere);
  std::ofstream{folder()} << "in the way";
  GraphOptions patient = options();
  EXPECT_FALSE(Graph::open(patient, metrics_, clock_));
  patient.patient = true;
  open(patient);
  EXPECT_FALSE(graph_->record(sighting("https://b.example/")));
  EXPECT_FALSE(graph_->node({}, "https://a.example/", false));
  graph_->upkeep();
  EXPECT_FALSE(graph_->record(sighting("https://b.example/")));
  std::filesystem::remove(folder());
  std::filesystem::rename(elsewhere, folder());
  graph_->upkeep();
  EXPECT_TRUE(node("https://a.example/"));
  record(sighting("https://b.example/"));
  EXPECT_GT(graph_->newest_event(), newest) << "cursors go on where they were";
}

TEST_F(GraphDbOpenTest, MemoryOfANewerVersion_IsLeftAlone) {
  open();
  record(sighting("https://a.example/"));
  graph_->close();
  graph_.reset();
  add_family("of_a_later_version");
  const Result<std::unique_ptr<Graph>> opened = Graph::open(options(), metrics_, clock_);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().detail.find("another version"), std::string::npos) << opened.error().detail;
  EXPECT_FALSE(std::filesystem::exists(graph::damaged_folder(folder())));
  EXPECT_TRUE(std::filesystem::exists(folder() / "CURRENT"));
}

}  // namespace
}  // namespace outrider
