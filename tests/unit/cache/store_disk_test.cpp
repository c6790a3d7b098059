// What the disk does to the store: damage, failure, lack of room.
#include "cache/store.hpp"
#include "cache/store_codec.hpp"
#include "tests/support/store_fixture.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::proven_body;
using testing::proves_itself;
using testing::run_task;
using testing::store_head;
using testing::store_head_with_vary;
using testing::store_key;
using testing::StoreFixture;

class StoreDiskTest : public StoreFixture {
 protected:
  void SetUp() override { open(); }

  static void flip_bit(const std::filesystem::path& path, std::uint64_t at, int bit = 0) {
    const int fd = ::open(path.c_str(), O_RDWR);
    char byte = 0;
    ASSERT_EQ(::pread(fd, &byte, 1, static_cast<off_t>(at)), 1);
    byte = static_cast<char>(byte ^ (1 << bit));
    ASSERT_EQ(::pwrite(fd, &byte, 1, static_cast<off_t>(at)), 1);
    ::close(fd);
  }
  std::string name(int i) const { return "com.example/" + std::to_string(i); }
};

// --- damage

TEST_F(StoreDiskTest, FlippedBit_IsAMiss_NeverAWrongBody) {
  const std::string body = proven_body(1, 5000);
  for (const std::uint64_t at : {0UL, 4UL, 8UL, 30UL, 47UL, 50UL, 100UL, 3000UL, 5048UL}) {
    put(store_key("a"), body);
    close();
    const auto file = segments().back();
    flip_bit(file, at, static_cast<int>(at % 8));
    open();
    EXPECT_EQ(find(store_key("a")), nullptr) << "byte " << at;
    EXPECT_EQ(metric("outrider_store_damaged_total"), 1);
    ASSERT_TRUE(flush());
    EXPECT_EQ(purge(PurgeScope::key(store_key("a")))->entries, 0U) << "the record must go, too";
  }
}

TEST_F(StoreDiskTest, FlippedBitInAChunkOfALargeBody_FailsThatRead_AndDropsTheEntry) {
  const std::string body = proven_body(1, 4 * kChunk);
  put(store_key("a"), body);
  close();
  flip_bit(segments().front(), 2 * kChunk + 5000);  // in the third chunk
  open();
  const EntryPtr entry = find(store_key("a"));
  ASSERT_TRUE(entry);
  EXPECT_TRUE(run_task(reactor_, store_->read(entry->variants[0]->body, 0, 10)));
  EXPECT_EQ(read(entry->variants[0]), std::nullopt);
  EXPECT_EQ(find(store_key("a")), nullptr);
}

TEST_F(StoreDiskTest, DamagedVariant_LeavesTheOthers) {
  put(store_key("a"), proven_body(1, 5000), store_head_with_vary("x", "1"));
  put(store_key("a"), proven_body(2, 5000), store_head_with_vary("x", "2"));
  close();
  flip_bit(segments().back(), 1000);
  open();
  const EntryPtr entry = find(store_key("a"));
  ASSERT_TRUE(entry);
  ASSERT_EQ(entry->variants.size(), 1U);
  EXPECT_TRUE(read(entry->variants[0]) == proven_body(2, 5000));
}

TEST_F(StoreDiskTest, TruncatedFile_LosesWhatWasBehind_NothingElse) {
  for (int i = 0; i < 10; ++i) put(store_key(name(i)), proven_body(static_cast<unsigned>(i), 10'000));
  close();
  std::filesystem::resize_file(segments().back(), 55'000);
  open();
  for (int i = 0; i < 10; ++i) {
    const auto body = body_of(store_key(name(i)));
    EXPECT_EQ(body.has_value(), i < 5) << i;
    EXPECT_TRUE(!body || *body == proven_body(static_cast<unsigned>(i), 10'000));
  }
  put(store_key("new"), "hello");
  reopen();
  EXPECT_EQ(body_of(store_key("new")), "hello");
}

TEST_F(StoreDiskTest, MissingFiles_AreMisses) {
  put(store_key("a"), "hello");
  put(store_key("b"), proven_body(1, 4 * kChunk));
  close();
  std::filesystem::remove_all(folder() / "bodies");
  open();
  EXPECT_EQ(find(store_key("a")), nullptr);
  EXPECT_EQ(find(store_key("b")), nullptr);
  put(store_key("a"), "again");
  reopen();
  EXPECT_EQ(body_of(store_key("a")), "again");
}

// A segment with the number of an older one: records that point into it must not find anything there.
TEST_F(StoreDiskTest, ExchangedFile_IsNotBelieved) {
  put(store_key("a"), proven_body(1, 5000));
  close();
  const auto file = segments().back();
  std::filesystem::copy_file(file, directory_.path() / "old");
  std::filesystem::remove_all(folder());
  open();
  put(store_key("b"), proven_body(2, 5000));
  close();
  std::filesystem::copy_file(directory_.path() / "old", file, std::filesystem::copy_options::overwrite_existing);
  open();
  EXPECT_EQ(find(store_key("b")), nullptr);
  EXPECT_EQ(find(store_key("a")), nullptr);
}

TEST_F(StoreDiskTest, DamagedIndex_StartsEmpty_AndWorks) {
  for (int i = 0; i < 100; ++i) put(store_key(name(i)), proven_body(1, 1000));
  for (const std::string_view kind : {"MANIFEST", "CURRENT"}) {
    put(store_key("a"), "hello");
    close();
    for (const auto& file : std::filesystem::directory_iterator(folder() / "index"))
      if (file.path().filename().string().starts_with(kind)) std::filesystem::resize_file(file.path(), 3);
    open();
    EXPECT_EQ(find(store_key("a")), nullptr) << kind;
    put(store_key("a"), "hello");
    reopen();
    EXPECT_EQ(body_of(store_key("a")), "hello") << kind;
  }
}

TEST_F(StoreDiskTest, DamagedTableOfTheIndex_LosesEntries_ServesNoWrongOne) {
  for (int i = 0; i < 2000; ++i) put(store_key(name(i)), proven_body(static_cast<unsigned>(i), 200));
  close();
  for (const auto& file : std::filesystem::directory_iterator(folder() / "index"))
    if (file.path().extension() == ".sst") flip_bit(file.path(), file.file_size() / 3);
  open();
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto body = body_of(store_key(name(i)));
    if (!body) continue;
    ++found;
    EXPECT_TRUE(*body == proven_body(static_cast<unsigned>(i), 200));
  }
  EXPECT_LT(found, 2000);
  put(store_key("new"), "hello");
  EXPECT_EQ(body_of(store_key("new")), "hello");
}

TEST_F(StoreDiskTest, StoreOfAnotherVersion_StartsEmpty) {
  put(store_key("a"), "hello");
  close();
  std::ofstream(folder() / "state") << "outrider-store 999\n";
  open();
  EXPECT_EQ(find(store_key("a")), nullptr);
  put(store_key("a"), "again");
  reopen();
  EXPECT_EQ(body_of(store_key("a")), "again");
}

// --- failure

TEST_F(StoreDiskTest, FullDisk_TurnsItselfOff_SaysSo_AndComesBack) {
  put(store_key("before"), "hello");
  ASSERT_TRUE(flush());
  close();
  std::atomic<int> fault{0};
  open(settings(), [&] { return fault.load(); });
  EXPECT_TRUE(store_->stats().disk_on);

  fault = ENOSPC;
  ASSERT_TRUE(put(store_key("small"), "kept in memory"));  // traffic goes on
  EXPECT_FALSE(flush());
  EXPECT_FALSE(store_->stats().disk_on);
  EXPECT_NE(store_->stats().disk_off_reason, "");
  EXPECT_EQ(metric("outrider_store_disk_failures_total"), 1);
  EXPECT_EQ(body_of(store_key("small")), "kept in memory");
  EXPECT_EQ(body_of(store_key("before")), "hello");
  ASSERT_TRUE(put(store_key("second"), "memory, too"));
  EXPECT_EQ(put(store_key("large"), std::string(9 << 20, 'x')), nullptr);  // neither memory nor disk
  EXPECT_EQ(find(store_key("large")), nullptr);

  fault = 0;
  clock_.advance(59s);
  ASSERT_TRUE(flush());
  EXPECT_TRUE(store_->stats().disk_on);
  put(store_key("after"), "stored again");
  ASSERT_TRUE(flush());
  close();
  open();
  EXPECT_EQ(body_of(store_key("after")), "stored again");
  EXPECT_EQ(body_of(store_key("before")), "hello");
  EXPECT_EQ(find(store_key("small")), nullptr);
}

// Not a test on its own: needs a process without other threads, so that a small disk can be mounted for it alone.
class StoreSmallDiskTest : public StoreFixture {};

TEST_F(StoreSmallDiskTest, DISABLED_Worker) {
  const auto name = [](int i) { return "com.example/" + std::to_string(i); };
  const std::filesystem::path disk = directory_.path() / "disk";
  std::filesystem::create_directory(disk);
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(77);
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(77);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=48m") != 0) ::_exit(77);
  folder_ = disk / "cache";
  const auto take_everything = [&] {
    std::ofstream ballast(disk / "ballast", std::ios::app);
    for (const std::size_t size : {1u << 20, 4096u, 1u}) {
      ballast.clear();
      while (ballast << std::string(size, 'x') << std::flush) continue;
    }
  };
  std::atomic<int> fault{0};
  const auto open_here = [&] { open(settings(), [&] { return fault.load(); }); };  // with a budget of 64 MiB
  open_here();
  int kept = 0;
  const auto put_some = [&](int count) {
    for (int i = 0; i < count && store_->stats().disk_on; ++i, ++kept) {
      put(store_key(name(kept)), proven_body(static_cast<unsigned>(kept), 2000));
      pace();
    }
  };
  const auto check_all = [&] {
    int found = 0;
    for (int i = 0; i < kept; ++i) {
      const auto body = body_of(store_key(name(i)));
      found += body.has_value();
      EXPECT_TRUE(!body || *body == proven_body(static_cast<unsigned>(i), 2000));
    }
    return found;
  };
  put_some(30'000);
  ASSERT_TRUE(store_->stats().disk_on) << "60 MB through 48 MiB: the cache must not fill the disk";
  EXPECT_GT(check_all(), 1000);
  for (int i = 0; i < 200 && store_->stats().disk_on; ++i) {  // it gives way, but not for ever
    take_everything();
    put_some(1000);
  }
  ASSERT_FALSE(store_->stats().disk_on) << "nothing fits on a full disk";
  EXPECT_TRUE(put(store_key("while full"), "kept in memory"));
  EXPECT_EQ(body_of(store_key("while full")), "kept in memory");
  clock_.advance(59s);
  EXPECT_FALSE(flush()) << "still full";

  std::filesystem::remove(disk / "ballast");
  clock_.advance(59s);
  ASSERT_TRUE(flush());
  put_some(5'000);
  ASSERT_TRUE(put(store_key("after"), "stored again"));
  ASSERT_TRUE(flush());
  close();
  open_here();
  EXPECT_EQ(body_of(store_key("after")), "stored again");
  EXPECT_GT(check_all(), 1000);
  close();

  // And a start on a full disk: the program runs, and keeps on trying.
  take_everything();
  open_here();
  EXPECT_TRUE(put(store_key("at once"), "kept in memory"));
  EXPECT_EQ(body_of(store_key("at once")), "kept in memory");
  std::filesystem::remove(disk / "ballast");
  clock_.advance(59s);
  EXPECT_TRUE(flush());
  check_all();

  // Somebody was too fast for the cache to give way, and stays: after a while all of it goes.
  put_some(5'000);
  ASSERT_TRUE(flush());
  fault = ENOSPC;
  put_some(100);
  EXPECT_FALSE(flush());
  const auto bodies = [&] {
    std::uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_ / "bodies")) bytes += file.file_size();
    return bytes;
  };
  const std::uint64_t before = bodies();
  EXPECT_GT(before, 5 << 20);
  for (int i = 0; i < 4; ++i) {
    take_everything();  // what the index has tidied up in the background, too
    if (i == 1) {
      EXPECT_EQ(bodies(), before) << "the others may leave soon";
    }
    clock_.advance(59s);
    flush();
  }
  EXPECT_EQ(bodies(), 0);
  check_all();
  close();
}

TEST_F(StoreSmallDiskTest, RealFullDisk_IsSurvived) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "skipped: too slow under the sanitizer to fill a disk in the time allowed";
#endif
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "small-disk", "--gtest_also_run_disabled_tests",
            "--gtest_filter=StoreSmallDiskTest.DISABLED_Worker", nullptr);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "mounting is not allowed here";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(StoreDiskTest, FailureInTheMiddleOfALargeBody_EndsIt_AndNothingElse) {
  close();
  std::atomic<int> fault{0};
  open(settings(), [&] { return fault.load(); });
  auto writer = store_->begin(store_key("a"), store_head(), {});
  const std::string body = proven_body(1, 6 << 20);
  writer->append(std::string_view(body).substr(0, 5 << 20));
  ASSERT_TRUE(flush());
  fault = EIO;
  writer->append(std::string_view(body).substr(5 << 20, 512 << 10));
  EXPECT_FALSE(flush());
  writer->append(std::string_view(body).substr((5 << 20) + (512 << 10)));
  EXPECT_FALSE(writer->storing());
  EXPECT_EQ(writer->commit(), nullptr);
  // Whoever reads along is not disturbed.
  std::string seen;
  while (seen.size() < body.size()) {
    const auto piece = run_task(reactor_, store_->read(writer->body(), seen.size(), UINT64_MAX));
    ASSERT_TRUE(piece) << seen.size();
    seen += piece->bytes;
  }
  EXPECT_TRUE(seen == body);
  EXPECT_EQ(find(store_key("a")), nullptr);
}

// What was erased while the disk could not be written to must not come back with it.
TEST_F(StoreDiskTest, EntryErasedWhileTheDiskIsOff_StaysErased) {
  put(store_key("a"), "hello");
  put(store_key("b"), "hello");
  put(store_key("c"), "old");
  ASSERT_TRUE(flush());
  close();
  std::atomic<int> fault{0};
  open(settings(), [&] { return fault.load(); });
  fault = ENOSPC;
  put(store_key("x"), "trigger");
  EXPECT_FALSE(flush());
  store_->erase(store_key("a"));
  find(store_key("c"));
  put(store_key("c"), "new");
  EXPECT_FALSE(flush());
  EXPECT_EQ(find(store_key("a")), nullptr);
  fault = 0;
  clock_.advance(59s);
  ASSERT_TRUE(flush());
  EXPECT_EQ(find(store_key("a")), nullptr);
  close();
  open();
  EXPECT_EQ(find(store_key("a")), nullptr);
  EXPECT_EQ(body_of(store_key("b")), "hello");
  EXPECT_NE(body_of(store_key("c")), "old");
}

TEST_F(StoreDiskTest, WriterThatDoesNotKeepUp_CostsThePageNothing) {
  CacheSettings tiny = settings();
  tiny.memory = {32 << 20};
  close();
  std::mutex slow_disk;
  open(tiny, [&] {
    const std::lock_guard wait(slow_disk);
    return 0;
  });
  std::unique_lock hold(slow_disk);
  int kept = 0;
  for (int i = 0; i < 300; ++i)
    kept += put(store_key(name(i)), proven_body(static_cast<unsigned>(i), 100'000)) != nullptr;
  EXPECT_EQ(kept, 300);
  hold.unlock();
  ASSERT_TRUE(flush());
  EXPECT_GT(metric("outrider_store_commits_total{kept=\"memory\"}"), 0);
  EXPECT_GT(metric("outrider_store_commits_total{kept=\"disk\"}"), 0);
  EXPECT_EQ(metric("outrider_store_commits_total{"), 300);
}

TEST_F(StoreDiskTest, UnusableFolder_IsReported) {
  close();
  std::filesystem::remove_all(folder());
  std::ofstream(folder()) << "a file";
  StoreOptions options;
  options.folder = folder();
  options.settings = settings();
  Metrics metrics;
  EXPECT_FALSE(Store::open(options, metrics, clock_));
}

}  // namespace
}  // namespace outrider
