// segment_file, segment_set and segment_scan on real files.
#include "cache/segment_set.hpp"

#include "cache/segment_scan.hpp"
#include "tests/support/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace outrider {
namespace {

class SegmentSetTest : public ::testing::Test {
 protected:
  std::unique_ptr<SegmentSet> open(std::uint64_t size = 1 << 20) {
    return std::move(*SegmentSet::open(directory_.path() / "bodies", size, 1, fault_));
  }
  static NewExtent extent(std::string_view key, std::string_view body, std::uint64_t variant = 1) {
    NewExtent made;
    made.key = key;
    made.body = {body};
    made.header = {std::hash<std::string_view>{}(key), variant, 0, static_cast<std::uint32_t>(key.size()),
                   static_cast<std::uint32_t>(body.size())};
    return made;
  }
  static std::optional<std::string> read(const SegmentSet& set, const NewExtent& of) {
    const auto file = set.find(of.placed.extent.segment);
    std::string bytes(extent_size(of.header.key_length, of.header.length), '\0');
    if (!file || file->read(of.placed.extent.offset, bytes) != SegmentFile::Read::done) return std::nullopt;
    const auto body = read_extent(bytes, of.header);
    if (!body) return std::nullopt;
    return std::string(*body);
  }
  static std::vector<std::string> keys(const std::shared_ptr<SegmentFile>& file) {
    std::vector<std::string> keys;
    SegmentScan scan(file);
    while (auto found = scan.next()) keys.push_back(found->key);
    return keys;
  }

  testing_support::TemporaryDirectory directory_;
  std::function<int()> fault_;
};

using Keys = std::vector<std::string>;

TEST_F(SegmentSetTest, AppendedExtents_AreReadBack_AlsoAfterReopening) {
  std::vector<NewExtent> extents = {extent("a", "first"), extent("b", ""), extent("c", std::string_view("third"))};
  {
    const auto set = open();
    ASSERT_EQ(set->append(extents), 0);
    EXPECT_EQ(read(*set, extents[0]), "first");
  }
  const auto set = open();
  EXPECT_EQ(read(*set, extents[0]), "first");
  EXPECT_EQ(read(*set, extents[1]), "");
  EXPECT_EQ(read(*set, extents[2]), "third");
}

TEST_F(SegmentSetTest, FilesAreForTheirOwnerOnly) {
  const auto set = open();
  std::vector<NewExtent> extents = {extent("a", "first")};
  ASSERT_EQ(set->append(extents), 0);
  struct stat status {};
  ASSERT_EQ(::stat((directory_.path() / "bodies" / "00000001.segment").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(SegmentSetTest, FullFile_IsFollowedByAnother) {
  const auto set = open(4096);
  const std::string body(1500, 'x');
  std::vector<NewExtent> extents;
  for (const char* key : {"a", "b", "c", "d", "e"}) extents.push_back(extent(key, body));
  ASSERT_EQ(set->append(extents), 0);
  EXPECT_EQ(set->count(), 3U);
  for (const NewExtent& one : extents) EXPECT_EQ(read(*set, one), body);
}

// A torn file is never written to again: its end may be anything.
TEST_F(SegmentSetTest, AfterReopening_ANewFileIsBegun) {
  std::vector<NewExtent> first = {extent("a", "1")};
  ASSERT_EQ(open()->append(first), 0);
  const auto set = open();
  std::vector<NewExtent> second = {extent("b", "2")};
  ASSERT_EQ(set->append(second), 0);
  EXPECT_EQ(second[0].placed.extent.segment, 2U);
  EXPECT_EQ(second[0].placed.extent.offset, 0U);
}

TEST_F(SegmentSetTest, FailedWrite_LeavesNothingBehind) {
  int countdown = 2;  // the second file of the batch fails
  fault_ = [&] { return --countdown == 0 ? ENOSPC : 0; };
  const auto set = open(4096);
  const std::string body(3000, 'x');
  std::vector<NewExtent> extents = {extent("canary-1", body), extent("canary-2", body)};
  EXPECT_EQ(set->append(extents), ENOSPC);
  for (const auto& file : set->all()) EXPECT_EQ(keys(file), Keys{});
  std::vector<NewExtent> again = {extent("b", "2")};
  EXPECT_EQ(set->append(again), 0);
  EXPECT_EQ(read(*set, again[0]), "2");
}

TEST_F(SegmentSetTest, RemovedFile_StaysReadableForThoseWhoHoldIt_AndCountsAsUsed) {
  const auto set = open();
  std::vector<NewExtent> extents = {extent("a", "first")};
  ASSERT_EQ(set->append(extents), 0);
  auto held = set->find(1);
  for (NewExtent& one : extents) one.placed.file.reset();
  set->remove(1);
  EXPECT_EQ(set->find(1), nullptr);
  EXPECT_EQ(set->linked_bytes(), 0U);
  EXPECT_GT(set->used_bytes(), 0U);
  std::string bytes(extent_size(1, 5), '\0');
  EXPECT_EQ(held->read(0, bytes), SegmentFile::Read::done);
  held.reset();
  EXPECT_EQ(set->used_bytes(), 0U);
}

// A file's bytes on the disk and in the system's memory are used again, for the next one.
TEST_F(SegmentSetTest, RemovedFile_IsWrittenOver_AndNothingOfItIsFound) {
  const auto set = open(64 << 10);
  const std::string old_body(10'000, 'o');
  std::vector<NewExtent> old;
  for (const char* key : {"a", "b", "c", "d"}) old.push_back(extent(key, old_body));
  ASSERT_EQ(set->append(old), 0);
  for (NewExtent& one : old) one.placed.file.reset();
  const std::uint64_t used = set->used_bytes();
  set->seal();
  EXPECT_EQ(set->oldest_id(), 1U);
  set->remove(1);
  EXPECT_EQ(set->oldest_id(), 2U) << "there is none; this will be the next";
  EXPECT_EQ(set->linked_bytes(), 0U);
  EXPECT_EQ(set->used_bytes(), used) << "kept";
  std::vector<NewExtent> first = {extent("e", "short")};
  ASSERT_EQ(set->append(first), 0);
  EXPECT_EQ(set->find(2)->size(), extent_size(1, 5));
  EXPECT_EQ(set->used_bytes(), used);
  EXPECT_EQ(keys(set->find(2)), Keys{"e"});
  std::vector<NewExtent> second = {extent("f", old_body), extent("g", old_body), extent("h", old_body)};
  ASSERT_EQ(set->append(second), 0);
  EXPECT_EQ(keys(set->find(2)), (Keys{"e", "f", "g", "h"}));
  EXPECT_EQ(read(*set, first[0]), "short");
  EXPECT_EQ(read(*set, second[2]), old_body);
  set->seal();
  EXPECT_LT(set->used_bytes(), used) << "what was not written over is cut off";
  struct stat status {};
  ASSERT_EQ(::stat((directory_.path() / "bodies" / "00000002.segment").c_str(), &status), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(status.st_size), set->find(2)->size());
  EXPECT_EQ(static_cast<std::uint64_t>(status.st_blocks) * 512, set->used_bytes());
}

TEST_F(SegmentSetTest, FileThatGrowsBeyondWhatItWas_IsAccountedFor) {
  const auto set = open(64 << 10);
  const std::array<std::string, 4> bodies = {std::string(5000, 'o'), std::string(3000, 'b'), std::string(20'000, 'c'),
                                             std::string(9000, 'd')};
  std::vector<NewExtent> old = {extent("a", bodies[0])};
  ASSERT_EQ(set->append(old), 0);
  old[0].placed.file.reset();
  set->remove(1);
  std::vector<NewExtent> next = {extent("b", bodies[1]), extent("c", bodies[2])};
  ASSERT_EQ(set->append(next), 0);
  std::vector<NewExtent> more = {extent("d", bodies[3])};
  ASSERT_EQ(set->append(more), 0);
  EXPECT_EQ(keys(set->find(2)), (Keys{"b", "c", "d"}));
  struct stat status {};
  ASSERT_EQ(::stat((directory_.path() / "bodies" / "00000002.segment").c_str(), &status), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(status.st_blocks) * 512, set->used_bytes());
}

TEST_F(SegmentSetTest, DroppedSpareFile_IsNowhere) {
  const auto set = open(64 << 10);
  const std::string body(30'000, 'o');
  std::vector<NewExtent> old = {extent("canary", body)};
  ASSERT_EQ(set->append(old), 0);
  old[0].placed.file.reset();
  set->remove(1);
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "bodies" / "spare"));
  set->drop_spare();
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "bodies" / "spare"));
  EXPECT_EQ(set->used_bytes(), 0U);

  ASSERT_EQ(set->append(old), 0);
  old[0].placed.file.reset();
  set->remove(2);
  std::vector<NewExtent> next = {extent("b", "next")};
  ASSERT_EQ(set->append(next), 0);  // over the beginning of it
  set->drop_spare();
  EXPECT_EQ(std::filesystem::file_size(directory_.path() / "bodies" / "00000003.segment"), extent_size(1, 4));
  std::vector<NewExtent> more = {extent("c", "more")};
  ASSERT_EQ(set->append(more), 0);
  EXPECT_EQ(keys(set->find(3)), (Keys{"b", "c"}));
  EXPECT_EQ(read(*set, next[0]), "next");
}

TEST_F(SegmentSetTest, SpareFile_DoesNotSurviveARestart) {
  {
    const auto set = open(64 << 10);
    const std::string body(30'000, 'o');
    std::vector<NewExtent> old = {extent("a", body)};
    ASSERT_EQ(set->append(old), 0);
    old[0].placed.file.reset();
    set->remove(1);
  }
  const auto set = open(64 << 10);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "bodies" / "spare"));
  EXPECT_EQ(set->used_bytes(), 0U);
}

// Large extents are hopped over, small ones are read together.
TEST_F(SegmentSetTest, Scan_FindsAllSizes) {
  const auto set = open(8 << 20);
  std::vector<std::string> bodies;
  for (std::size_t i = 0; i < 200; ++i) bodies.push_back(std::string(i % 7 == 0 ? 50'000 : i % 3 * 1500, 'x'));
  std::vector<NewExtent> extents;
  Keys expected;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    expected.push_back(std::string(i % 11 == 0 ? 3000 : 3, 'k') + std::to_string(i));
  for (std::size_t i = 0; i < bodies.size(); ++i) extents.push_back(extent(expected[i], bodies[i]));
  ASSERT_EQ(set->append(extents), 0);
  EXPECT_EQ(keys(set->find(1)), expected);
  SegmentScan scan(set->find(1));
  for (const std::size_t i : {150U, 3U, 77U}) {
    scan.go_to(extents[i].placed.extent.offset);
    const auto found = scan.next();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->key, expected[i]);
  }
}

TEST_F(SegmentSetTest, Scan_StepsOverDamageAndHoles) {
  const auto set = open();
  const std::string body(10'000, 'x');
  std::vector<NewExtent> extents;
  for (const char* key : {"a", "b", "c", "d", "e"}) extents.push_back(extent(key, body));
  ASSERT_EQ(set->append(extents), 0);
  const auto file = set->find(1);
  EXPECT_EQ(keys(file), (Keys{"a", "b", "c", "d", "e"}));
  file->punch(extents[1].placed.extent.offset, extent_size(1, body.size()));
  const int fd = ::open((directory_.path() / "bodies" / "00000001.segment").c_str(), O_WRONLY);
  ASSERT_EQ(::pwrite(fd, "?", 1, extents[3].placed.extent.offset + 20), 1);  // in the header of "d"
  ::close(fd);
  EXPECT_EQ(keys(file), (Keys{"a", "c", "e"}));
}

TEST_F(SegmentSetTest, PunchedExtent_IsGoneFromTheFile_AndFreesItsBlocks) {
  const auto set = open();
  const std::string body(100'000, 'x');
  std::vector<NewExtent> extents = {extent("a", body), extent("b", "next")};
  ASSERT_EQ(set->append(extents), 0);
  const std::uint64_t before = set->used_bytes();
  const auto file = set->find(1);
  ASSERT_TRUE(file->punch(extents[0].placed.extent.offset, extent_size(1, body.size())));
  EXPECT_EQ(read(*set, extents[0]), std::nullopt);
  EXPECT_EQ(read(*set, extents[1]), "next");
  EXPECT_LT(set->used_bytes(), before - 90'000);
}

// Each file ends behind the extent that filled it.
TEST_F(SegmentSetTest, FileThatWasFilledOneByOne_IsWrittenOver) {
  const auto set = open(4096);
  const std::string body(1500, 'x');
  std::vector<NewExtent> extents;
  for (const char* key : {"a", "b", "c", "d"}) extents.push_back(extent(key, body));
  for (NewExtent& one : extents) ASSERT_EQ(set->append({&one, 1}), 0);
  ASSERT_GT(set->find(1)->size(), 4096U);
  extents.clear();  // they hold their file
  set->remove(1);
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "bodies" / "spare"));
}

TEST_F(SegmentSetTest, PunchedTwice_IsSubtractedOnce) {
  const auto set = open();
  const std::string body(100'000, 'x');
  std::vector<NewExtent> extents = {extent("a", body), extent("b", body)};
  ASSERT_EQ(set->append(extents), 0);
  const auto file = set->find(1);
  ASSERT_TRUE(file->punch(0, 100'000));
  const std::uint64_t once = set->used_bytes();
  ASSERT_TRUE(file->punch(0, 100'000));
  EXPECT_EQ(set->used_bytes(), once);
}

TEST_F(SegmentSetTest, TruncatedFile_FailsToRead) {
  const auto set = open();
  std::vector<NewExtent> extents = {extent("a", "first"), extent("b", "second")};
  ASSERT_EQ(set->append(extents), 0);
  std::filesystem::resize_file(directory_.path() / "bodies" / "00000001.segment", 80);
  EXPECT_EQ(read(*set, extents[0]), "first");
  EXPECT_EQ(read(*set, extents[1]), std::nullopt);
}

// Otherwise its entries would be lost, its space never given back, and `forget` would not look into it.
TEST_F(SegmentSetTest, FileThatCannotBeOpened_IsAReason_AndNothingIsLost) {
  std::vector<NewExtent> extents = {extent("a", std::string_view("first")), extent("b", std::string_view("second"))};
  for (NewExtent& one : extents) ASSERT_EQ(open(1)->append({&one, 1}), 0);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int free = ::dup(0);
  ::close(free);
  rlimit scarce = before;
  scarce.rlim_cur = static_cast<rlim_t>(free) + 2;  // for the folder and one of the two files
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &scarce), 0);
  const auto failed = SegmentSet::open(directory_.path() / "bodies", 1, 1, fault_);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().detail.find("Too many open files"), std::string::npos) << failed.error().detail;
  const auto set = open();
  EXPECT_EQ(set->count(), 2U);
  EXPECT_EQ(read(*set, extents[0]), "first");
  EXPECT_EQ(read(*set, extents[1]), "second");
}

TEST_F(SegmentSetTest, ForeignFiles_AreLeftAlone) {
  std::filesystem::create_directories(directory_.path() / "bodies");
  const auto foreign = directory_.path() / "bodies" / "README";
  const int fd = ::open(foreign.c_str(), O_CREAT | O_WRONLY, 0600);
  ::close(fd);
  const auto link = directory_.path() / "bodies" / "00000001.segment";
  std::filesystem::create_symlink(foreign, link);
  std::filesystem::create_directory(directory_.path() / "bodies" / "00000002.segment");
  const auto set = open();
  EXPECT_EQ(set->count(), 0U);
  std::vector<NewExtent> extents = {extent("a", "first")};
  EXPECT_EQ(set->append(extents), 0);
  EXPECT_EQ(read(*set, extents[0]), "first");
  set->remove_all();
  EXPECT_TRUE(std::filesystem::exists(foreign));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

}  // namespace
}  // namespace outrider
