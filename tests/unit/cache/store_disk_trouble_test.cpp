// What is changed while the disk cannot be written to: it must not come back, and must not cost more memory than there
// is.
#include "cache/store.hpp"
#include "cache/store_budgets.hpp"
#include "tests/support/store_fixture.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::proven_body;
using testing::run_task;
using testing::store_head;
using testing::store_key;
using testing::StoreFixture;

class StoreDiskTroubleTest : public StoreFixture {
 protected:
  // With these on disk, and nothing in memory.
  void open_with(std::initializer_list<const char*> keys, CacheSettings settings) {
    open();
    for (const char* key : keys) put(store_key(key), "old");
    close();
    open(settings, [this] { return fault_.load(); });
  }
  void open_with(std::initializer_list<const char*> keys) { open_with(keys, settings()); }
  void break_disk() {
    fault_ = ENOSPC;
    put(store_key("trigger"), "x");
    EXPECT_FALSE(flush());
    EXPECT_FALSE(store_->stats().disk_on);
  }
  void mend_disk() {
    fault_ = 0;
    clock_.advance(59s);
    ASSERT_TRUE(flush());
    EXPECT_TRUE(store_->stats().disk_on);
  }
  // Until the writer thread has seen all that was changed before.
  void wait_until_noted() {
    std::atomic<bool> noted{false};
    store_->when_written([&] { noted = true; });
    while (!noted) std::this_thread::yield();
  }
  static std::string name(int i) { return "com.example/" + std::to_string(i); }

  std::atomic<int> fault_{0};
};

TEST_F(StoreDiskTroubleTest, ErasedWhileTheDiskIsOff_DoesNotComeBackWithTheNextStart) {
  open_with({"a", "b"});
  break_disk();
  store_->erase(store_key("a"));
  close();
  open();
  EXPECT_EQ(find(store_key("a")), nullptr);
  put(store_key("a"), "new");
  reopen();
  EXPECT_EQ(body_of(store_key("a")), "new");
}

TEST_F(StoreDiskTroubleTest, ReplacedWhileTheDiskIsOff_DoesNotComeBackWithTheNextStart) {
  open_with({"a"});
  break_disk();
  ASSERT_TRUE(find(store_key("a")));
  put(store_key("a"), "new");
  EXPECT_EQ(body_of(store_key("a")), "new");
  reopen();
  EXPECT_NE(body_of(store_key("a")), "old");
}

TEST_F(StoreDiskTroubleTest, ErasedWhileTheDiskIsOff_IsSafeFromACrashAsSoonAsItIsSaidToBe) {
  open_with({"a"});
  break_disk();
  store_->erase(store_key("a"));
  wait_until_noted();
  crash();
  open();
  EXPECT_EQ(find(store_key("a")), nullptr);
}

TEST_F(StoreDiskTroubleTest, DiskThatComesBack_KeepsWhatIsStillRight) {
  open_with({"a", "b"});
  break_disk();
  store_->erase(store_key("a"));
  wait_until_noted();
  mend_disk();
  crash();
  open();
  EXPECT_EQ(find(store_key("a")), nullptr);
  EXPECT_EQ(body_of(store_key("b")), "old");
}

TEST_F(StoreDiskTroubleTest, FailureWithoutChanges_CostsNothing) {
  open_with({"a"});
  break_disk();
  reopen();
  EXPECT_EQ(body_of(store_key("a")), "old");
}

TEST_F(StoreDiskTroubleTest, StartWithoutASecret_IsAnEmptyCache) {
  open_with({"a"});
  close();
  std::filesystem::remove(folder() / "secret");
  open();
  EXPECT_EQ(find(store_key("a")), nullptr);
  put(store_key("b"), "new");
  reopen();
  EXPECT_EQ(body_of(store_key("b")), "new");
}

// The folder cannot be written to at the start either: there is memory, and another try later.
TEST_F(StoreDiskTroubleTest, StartThatCannotWriteItsSecret_GoesOnInMemory) {
  open_with({"a"});
  close();
  std::filesystem::remove(folder() / "secret");
  std::filesystem::create_directories(folder() / "secret" / "in the way");
  open();
  EXPECT_FALSE(store_->stats().disk_on);
  EXPECT_EQ(find(store_key("a")), nullptr);
  ASSERT_TRUE(put(store_key("b"), "in memory"));
  EXPECT_EQ(body_of(store_key("b")), "in memory");
  std::filesystem::remove_all(folder() / "secret");
  mend_disk();
  put(store_key("c"), "on disk");
  reopen();
  EXPECT_EQ(body_of(store_key("c")), "on disk");
  EXPECT_EQ(find(store_key("a")), nullptr);
}

// New versions of pages that are on disk.
TEST_F(StoreDiskTroubleTest, PagesReplacedWhileTheDiskIsOff_StayWithinTheMemory) {
  CacheSettings tiny = settings();
  tiny.memory = {32 << 20};
  open_with({"untouched"}, tiny);
  break_disk();
  const std::size_t budget = StoreBudgets{tiny}.tier;
  constexpr int kPages = 2000;
  constexpr std::size_t kLength = 50'000;  // 100 MB together
  for (int i = 0; i < kPages; ++i) {
    Store::BeginOptions options;
    options.supersedes.push_back(1);  // there was one
    ASSERT_TRUE(put(store_key(name(i)), proven_body(static_cast<unsigned>(i), kLength), store_head(), options));
    if (i % 50 == 0) wait_until_noted();
    EXPECT_LT(store_->stats().memory_bytes, budget + 50 * (kLength + 4096)) << i;
  }
  wait_until_noted();
  EXPECT_LE(store_->stats().memory_bytes, budget);
  ASSERT_TRUE(put(store_key("new"), proven_body(1, kLength)));
  EXPECT_TRUE(find(store_key("new"))) << "there is room for new pages";
  mend_disk();
  EXPECT_LE(store_->stats().memory_bytes, budget);
  put(store_key("after"), "stored again");
  reopen();
  EXPECT_EQ(body_of(store_key("after")), "stored again");
  for (int i = 0; i < kPages; i += 100) EXPECT_EQ(find(store_key(name(i))), nullptr) << "the disk did not get it";
}

// The writer hangs, so changes pile up: those that do not fit into its queue must not be held for ever.
TEST_F(StoreDiskTroubleTest, ChangesThatTheQueueCannotTake_DoNotStayInMemory) {
  CacheSettings tiny = settings();
  tiny.memory = {32 << 20};
  open_with({"a", "b"}, tiny);
  std::mutex slow_disk;
  close();
  open(tiny, [&] {
    const std::lock_guard wait(slow_disk);
    return 0;
  });
  std::unique_lock hold(slow_disk);
  put(store_key("trigger"), "x");
  for (int i = 0; i < 60'000; ++i) store_->erase(store_key(name(i)));
  store_->erase(store_key("a"));
  EXPECT_EQ(find(store_key("a")), nullptr);
  hold.unlock();
  pace();
  wait_until_noted();
  clock_.advance(59s);
  ASSERT_TRUE(flush());
  EXPECT_LT(store_->stats().memory_entries, 10U) << "nothing of what was erased";
  EXPECT_EQ(find(store_key("a")), nullptr);
}

// A file that cannot be opened for the moment is no reason to throw away what is there.
TEST_F(StoreDiskTroubleTest, StartWithTooFewDescriptors_LosesNothing) {
  open();
  put(store_key("a"), proven_body(1, 300'000));
  ASSERT_TRUE(flush());
  close();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  for (rlim_t few = 0; few < 16; ++few) {
    const int free = ::dup(0);
    ::close(free);
    rlimit scarce = before;
    scarce.rlim_cur = static_cast<rlim_t>(free) + few;
    StoreOptions options;
    options.folder = folder();
    options.settings = settings();
    Metrics metrics;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &scarce), 0);
    auto opened = Store::open(std::move(options), metrics, clock_);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    if (opened) (*opened)->close();
  }
  open();
  EXPECT_TRUE(body_of(store_key("a")) == proven_body(1, 300'000));
}

}  // namespace
}  // namespace outrider
