// kill -9 at any moment during mixed work: afterwards the store opens, and no body is truncated or wrong. The number of
// rounds can be raised: OUTRIDER_CRASH_ROUNDS=200.
#include "cache/store.hpp"
#include "tests/support/store_fixture.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace outrider {
namespace {

using testing::proven_body;
using testing::proves_itself;
using testing::run_task;
using testing::store_head;
using testing::store_head_with_vary;
using testing::store_key;
using testing::StoreFixture;

constexpr unsigned kKeys = 150;

class StoreCrashTest : public StoreFixture {
 protected:
  static unsigned rounds() {
    const char* given = std::getenv("OUTRIDER_CRASH_ROUNDS");
    return given != nullptr ? static_cast<unsigned>(std::atoi(given)) : 20;
  }
  // Room for what one round writes, not for all of them: eviction is part of the mixture.
  CacheSettings roomy() const {
    CacheSettings settings = StoreFixture::settings();
    settings.disk = {128 << 20};
    return settings;
  }
  static std::string name(unsigned i) { return "org.example/" + std::to_string(i); }

  pid_t start_worker(unsigned round, int pipe) const {
    const std::string round_text = std::to_string(round);
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::setenv("OUTRIDER_CRASH_FOLDER", folder().c_str(), 1);
    ::setenv("OUTRIDER_CRASH_ROUND", round_text.c_str(), 1);
    ::dup2(pipe, 3);
    ::execl("/proc/self/exe", "worker", "--gtest_also_run_disabled_tests",
            "--gtest_filter=StoreCrashTest.DISABLED_Worker", "--gtest_brief=1", nullptr);
    ::_exit(1);
  }

  // Everything at once, for ever, until it is killed. A byte over `pipe` for every step once the promised entry is
  // durable.
  [[noreturn]] void work(unsigned round, int pipe) {
    open(roomy());
    auto random = [engine = std::mt19937(round)]() mutable { return static_cast<unsigned>(engine()); };
    for (unsigned i = 0;; ++i) {
      const CacheKey key = store_key(name(random() % kKeys));
      const unsigned what = random() % 100;
      if (what < 60) {
        const std::size_t length = random() % 4 == 0 ? random() % 800'000 : random() % 20'000;
        auto writer = store_->begin(key, store_head_with_vary("x", std::to_string(random() % 3)), {});
        const std::string body = proven_body(random(), length);
        for (std::size_t at = 0; at < body.size(); at += 100'000)
          writer->append(std::string_view(body).substr(at, 100'000));
        if (random() % 10 != 0) writer->commit();
      } else if (what < 70) {
        store_->erase(key);
      } else if (what < 75) {
        if (const EntryPtr entry = find(key))
          store_->update_head(entry, entry->variants[0]->id, store_head("text/html"));
      } else if (what < 76) {
        purge(PurgeScope::prefix(name(random() % 10)));
      } else {
        if (const EntryPtr entry = find(key)) read(entry->variants[0]);
      }
      if (i == 50) {
        flush();  // the queue is empty: there is room for this one
        put(store_key("promised/" + std::to_string(round)), proven_body(round, 30'000));
        flush();
      }
      if (i >= 50) [[maybe_unused]]
        const ssize_t told = ::write(pipe, "x", 1);
    }
  }
};

// Not a test: the process that is killed. (Not a mere fork, because RocksDB's threads would be missing in it.)
TEST_F(StoreCrashTest, DISABLED_Worker) {
  const char* folder = std::getenv("OUTRIDER_CRASH_FOLDER");
  if (folder == nullptr) GTEST_SKIP() << "started by the test below";
  folder_ = folder;
  work(static_cast<unsigned>(std::atoi(std::getenv("OUTRIDER_CRASH_ROUND"))), 3);
}

TEST_F(StoreCrashTest, KilledAtAnyMoment_OpensAgain_AndServesNoWrongBody) {
  auto random = [engine = std::mt19937(7)]() mutable { return static_cast<unsigned>(engine()); };
  std::size_t found = 0;
  for (unsigned round = 0; round < rounds(); ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = start_worker(round, ends[1]);
    ASSERT_GT(child, 0);
    ::close(ends[1]);
    // Killed after some number of steps: at a random place, without looking at a clock.
    char step = 0;
    for (unsigned left = random() % 400 + 1; left > 0; --left) ASSERT_EQ(::read(ends[0], &step, 1), 1);
    ::kill(child, SIGKILL);
    ::close(ends[0]);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);

    open(roomy());
    const auto promised = body_of(store_key("promised/" + std::to_string(round)));
    ASSERT_TRUE(promised && *promised == proven_body(round, 30'000)) << "a flushed entry is there, round " << round;
    for (unsigned i = 0; i < kKeys; ++i) {
      const EntryPtr entry = find(store_key(name(i)));
      if (!entry) continue;
      for (const VariantPtr& variant : entry->variants) {
        const auto body = read(variant);
        ASSERT_TRUE(body) << "what is found can be read, round " << round << " key " << i;
        ASSERT_EQ(body->size(), variant->head.body_length);
        ASSERT_TRUE(proves_itself(*body)) << "round " << round << " key " << i;
        ++found;
      }
    }
    EXPECT_EQ(metric("outrider_store_damaged_total"), 0) << "nothing half-written is ever referred to";
    close();
  }
  EXPECT_GT(found, rounds() * 10) << "the test must have something to look at";
}

// The power fails: of the bodies nothing has reached the disk, of the index something has.
TEST_F(StoreCrashTest, BodiesThatNeverReachedTheDisk_AreMisses) {
  open();
  for (unsigned i = 0; i < 100; ++i) put(store_key(name(i)), proven_body(i, 10'000));
  close();
  for (const auto& file : segments()) {
    const auto size = std::filesystem::file_size(file);
    std::filesystem::resize_file(file, 500'000);  // the rest is holes, as file systems do it
    std::filesystem::resize_file(file, size);
  }
  open();
  std::size_t found = 0;
  for (unsigned i = 0; i < 100; ++i) {
    const auto body = body_of(store_key(name(i)));
    if (!body) continue;
    ++found;
    EXPECT_TRUE(*body == proven_body(i, 10'000));
  }
  EXPECT_GT(found, 40U);
  EXPECT_LT(found, 60U);
}

}  // namespace
}  // namespace outrider
