// kill -9 while pages are being indexed: what was reported as committed is found after the restart.
#include "tests/support/search_fixture.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <random>

namespace outrider {
namespace {

struct SearchCrashTest : testing::SearchFixture {
  // Puts pages from `first` on, three a commit, and writes the number of the last one committed; never ends.
  [[noreturn]] void index_for_ever(int first, int report) {
    open();
    for (int number = first;; ++number) {
      if (!index->put(page(fmt::format("https://a{}.example/", number), fmt::format("unique{}word", number), "text")))
        _exit(1);
      if (number % 10 == 9 && !index->remove(fmt::format("https://a{}.example/", number - 5))) _exit(1);
      if (number % 3 != 0) continue;
      if (!index->commit() || write(report, &number, sizeof number) != sizeof number) _exit(1);
      if (number % 30 == 0 && !index->erase_remnants()) _exit(1);
    }
  }
};

TEST_F(SearchCrashTest, CommittedPages_AreFoundAfterKill9) {
  std::mt19937 random{20'261'116};
  ASSERT_TRUE(index->feed_complete().has_value());
  int committed = 0;
  for (int life = 0; life < 12; ++life) {
    index.reset();
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) index_for_ever(committed + 1, ends[1]);
    close(ends[1]);
    const int wanted = 1 + static_cast<int>(random() % 15);
    for (int reports = 0; reports < wanted; ++reports)
      ASSERT_EQ(read(ends[0], &committed, sizeof committed), static_cast<ssize_t>(sizeof committed));
    usleep(static_cast<useconds_t>(random() % 20'000));  // somewhere in the middle of what comes next
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (int late = 0; read(ends[0], &late, sizeof late) == static_cast<ssize_t>(sizeof late);) committed = late;
    close(ends[0]);
    open();
    ASSERT_TRUE(index);
    EXPECT_FALSE(index->wants_everything()) << "it was damaged";
    for (int number = 1; number <= committed; ++number) {
      const bool removed = number % 10 == 4 && number + 5 <= committed;
      if (number % 10 == 4 && !removed) continue;  // its removal may have been committed, or not
      EXPECT_EQ(ask(fmt::format("unique{}word", number)).hits.size(), removed ? 0u : 1u) << number;
    }
  }
  EXPECT_GT(committed, 50);
}

}  // namespace
}  // namespace outrider
