#include "cache/ingest_spool.hpp"

#include "tests/support/process.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>

namespace outrider {
namespace {

namespace fs = std::filesystem;

class IngestSpoolTest : public ::testing::Test {
 protected:
  IngestSpoolTest() { open(); }

  void open() {
    spool_.reset();
    Result<std::unique_ptr<IngestSpool>> spool = IngestSpool::open({folder_.path() / "unread", most_bytes_, 4096});
    ASSERT_TRUE(spool) << spool.error().detail;
    spool_ = std::move(*spool);
  }
  // As a kill leaves it: what close() would have noted is not there.
  void open_after_a_crash() {
    const fs::path left = folder_.path() / "left";
    fs::copy(folder_.path() / "unread", left, fs::copy_options::recursive);
    spool_.reset();
    fs::remove_all(folder_.path() / "unread");
    fs::rename(left, folder_.path() / "unread");
    open();
  }
  static Arrival answer(int number, std::string body = "<title>T</title>") {
    Arrival arrival;
    arrival.url = *Url::parse("http://a.example/" + std::to_string(number));
    arrival.by = FetchedBy::robot;
    arrival.at = WallTime{std::chrono::milliseconds{1'700'000'000'000 + number}};
    arrival.status = 200;
    arrival.headers.add("Content-Type", "text/html; charset=utf-8");
    arrival.headers.add("X-Robots-Tag", "noindex");
    arrival.body = std::move(body);
    arrival.wire_size = arrival.body.size();
    arrival.body_complete = number % 2 == 0;
    return arrival;
  }
  void put(int from, int to) {
    for (int i = from; i < to; ++i) EXPECT_TRUE(spool_->put(answer(i, std::string(500, 'x'))));
  }
  std::vector<std::string> take_all() {
    std::vector<std::string> paths;
    while (const auto taken = spool_->take()) {
      paths.emplace_back(taken->arrival.url.path_and_query());
      spool_->done(*taken);
    }
    return paths;
  }
  static std::vector<std::string> paths(int from, int to) {
    std::vector<std::string> all;
    for (int i = from; i < to; ++i) all.push_back("/" + std::to_string(i));
    return all;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator{folder_.path() / "unread"}) all.push_back(entry.path());
    std::sort(all.begin(), all.end());
    return all;
  }
  bool any_file_contains(std::string_view canary) const {
    for (const fs::path& path : files()) {
      std::ifstream in{path, std::ios::binary};
      const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
      if (bytes.find(canary) != std::string::npos) return true;
    }
    return false;
  }

  testing_support::TemporaryDirectory folder_;
  std::uint64_t most_bytes_ = 1 << 20;
  std::unique_ptr<IngestSpool> spool_;
};

TEST_F(IngestSpoolTest, an_answer_comes_out_as_it_went_in) {
  const Arrival in = answer(7, std::string{"a\0b\xff", 4});
  ASSERT_TRUE(spool_->put(in));
  EXPECT_EQ(spool_->waiting(), 1u);
  const auto out = spool_->take();
  ASSERT_TRUE(out);
  EXPECT_EQ(out->arrival.url.href(), in.url.href());
  EXPECT_EQ(out->arrival.by, FetchedBy::robot);
  EXPECT_EQ(out->arrival.at, in.at);
  EXPECT_EQ(out->arrival.status, 200);
  EXPECT_EQ(out->arrival.wire_size, 4u);
  EXPECT_FALSE(out->arrival.body_complete);
  EXPECT_EQ(out->arrival.body, in.body);
  EXPECT_EQ(out->arrival.headers.size(), 2u);
  EXPECT_EQ(out->arrival.headers.find("X-Robots-Tag"), "noindex");
  EXPECT_EQ(spool_->waiting(), 0u);
  EXPECT_FALSE(spool_->take());
}

TEST_F(IngestSpoolTest, the_oldest_comes_first_and_files_that_were_read_go) {
  put(0, 40);
  EXPECT_GT(files().size(), 3u);
  EXPECT_EQ(take_all(), paths(0, 40));
  EXPECT_EQ(files().size(), 1u);
  put(40, 45);
  EXPECT_EQ(take_all(), paths(40, 45));
  open();
  EXPECT_TRUE(files().empty());
}

TEST_F(IngestSpoolTest, a_file_stays_while_one_of_its_answers_is_being_read) {
  put(0, 1);
  const auto held = spool_->take();
  put(1, 40);
  (void)take_all();
  EXPECT_GT(files().size(), 1u);
  spool_->done(*held);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(IngestSpoolTest, what_waits_survives_a_restart_and_what_was_read_does_not_come_again) {
  put(0, 40);
  for (int i = 0; i < 10; ++i) spool_->done(*spool_->take());
  open();
  EXPECT_EQ(spool_->waiting(), 30u);
  put(40, 42);
  EXPECT_EQ(take_all(), paths(10, 42));
}

TEST_F(IngestSpoolTest, after_a_crash_nothing_is_missing) {
  put(0, 40);
  for (int i = 0; i < 10; ++i) spool_->done(*spool_->take());
  const auto in_hand = spool_->take();
  open_after_a_crash();
  const std::vector<std::string> again = take_all();
  EXPECT_LE(spool_->waiting(), 0u);
  EXPECT_TRUE(std::ranges::includes(std::set(again.begin(), again.end()), std::set<std::string>{"/10", "/11", "/39"}));
  EXPECT_LT(again.size(), 40u) << "files that were read are gone";
}

TEST_F(IngestSpoolTest, an_answer_that_ends_the_process_is_given_up) {
  put(0, 2);
  std::vector<bool> offered;
  for (int i = 0; i < 5; ++i) {
    const auto poison = spool_->take();
    offered.push_back(poison && poison->arrival.url.path_and_query() == "/0");
    open_after_a_crash();
  }
  EXPECT_EQ(offered, (std::vector{true, true, true, false, false}));
}

TEST_F(IngestSpoolTest, when_it_is_full_it_says_so_and_takes_again_when_there_is_room) {
  most_bytes_ = 64 << 10;
  open();
  int taken_in = 0;
  while (taken_in < 1000 && spool_->put(answer(taken_in, std::string(500, 'x')))) ++taken_in;
  EXPECT_GT(taken_in, 50);
  EXPECT_LT(taken_in, 128);
  EXPECT_LE(spool_->disk_bytes(), most_bytes_ + 4096);
  EXPECT_EQ(take_all(), paths(0, taken_in));
  EXPECT_TRUE(spool_->put(answer(1)));
}

TEST_F(IngestSpoolTest, damage_costs_the_answers_that_it_hits_and_never_changes_one) {
  put(0, 6);
  const std::vector<fs::path> before = files();
  ASSERT_EQ(before.size(), 1u);
  std::string bytes;
  {
    std::ifstream in{before[0], std::ios::binary};
    bytes.assign(std::istreambuf_iterator<char>{in}, {});
  }
  spool_.reset();
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream{before[0], std::ios::binary | std::ios::trunc} << damaged;
    open();
    const std::vector<std::string> rest = take_all();
    ASSERT_LT(rest.size(), 6u) << at;
    const std::vector<std::string> all = paths(0, 6);
    ASSERT_TRUE(std::ranges::includes(all, rest)) << at;
    spool_.reset();
  }
  for (std::size_t length = 0; length < bytes.size(); length += 101) {
    std::ofstream{before[0], std::ios::binary | std::ios::trunc} << bytes.substr(0, length);
    open();
    const std::vector<std::string> rest = take_all();
    ASSERT_EQ(rest, paths(0, static_cast<int>(rest.size()))) << length;
    put(100, 101);  // and goes on
    ASSERT_EQ(take_all(), paths(100, 101)) << length;
    spool_.reset();
  }
}

TEST_F(IngestSpoolTest, what_is_forgotten_is_in_no_file_and_does_not_come_out) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(spool_->put(answer(i, i == 3 || i == 12 ? "canary" : "harmless")));
  for (int i = 0; i < 5; ++i) spool_->done(*spool_->take());  // the first one has been read, its file is still there
  ASSERT_TRUE(any_file_contains("canary"));
  const auto doomed = [](std::string_view url, WallTime at) {
    return url == "http://a.example/3" || (url == "http://a.example/12" && at == answer(12).at);
  };
  ASSERT_TRUE(spool_->forget(doomed));
  EXPECT_FALSE(any_file_contains("canary"));
  EXPECT_FALSE(any_file_contains("a.example/12"));
  EXPECT_TRUE(any_file_contains("harmless"));
  std::vector<std::string> rest = paths(5, 20);
  std::erase(rest, "/12");
  EXPECT_EQ(take_all(), rest);
}

TEST_F(IngestSpoolTest, many_threads_put_and_take_and_each_answer_comes_once) {
  most_bytes_ = 64 << 20;
  open();
  constexpr int kEach = 500, kThreads = 3;
  std::mutex mutex;
  std::vector<std::string> seen;
  std::atomic<int> left = kEach * kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) ASSERT_TRUE(spool_->put(answer(t * kEach + i, std::string(100, 'y'))));
    });
    threads.emplace_back([&] {
      while (left > 0) {
        const auto taken = spool_->take();
        if (!taken) {
          std::this_thread::yield();
          continue;
        }
        spool_->done(*taken);
        --left;
        const std::lock_guard lock{mutex};
        seen.emplace_back(taken->arrival.url.path_and_query());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> expected = paths(0, kEach * kThreads);
  std::sort(expected.begin(), expected.end());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(spool_->waiting(), 0u);
}

}  // namespace
}  // namespace outrider
