#include "robot/politeness.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <thread>

namespace outrider {
namespace {

using namespace std::chrono_literals;

class MapStore final : public PolitenessStore {
 public:
  std::optional<std::string> get(std::string_view host) override {
    const std::scoped_lock lock(mutex);
    const auto found = records.find(host);
    return found == records.end() ? std::nullopt : std::optional(found->second);
  }
  void put(std::string_view host, std::string_view record) override {
    const std::scoped_lock lock(mutex);
    records.insert_or_assign(std::string(host), std::string(record));
  }
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> records;
};

class PolitenessTest : public testing::Test {
 protected:
  FakeClock clock;
  RobotSettings settings;
  MapStore store;
  std::optional<Politeness> politeness;

  void make() { politeness.emplace(std::make_shared<RobotSettings>(settings), &store); }
  void SetUp() override { make(); }
  Moment now() { return Moment::of(clock); }
  std::optional<Lease> acquire(std::string_view host, std::string_view address = {}) {
    return politeness->try_acquire(host, address, now());
  }
  void release(const Lease& lease, int status = 200) {
    politeness->release(lease, {status, 10ms, std::nullopt, false, {}}, now());
  }
};

TEST_F(PolitenessTest, OneRequestAtATimeAndAGapBetween) {
  const auto first = acquire("a.example");
  ASSERT_TRUE(first);
  clock.advance(5s);
  EXPECT_FALSE(acquire("a.example")) << "one is in flight";
  EXPECT_EQ(politeness->next_possible("a.example", now()), SteadyTime::max());
  release(*first);
  EXPECT_FALSE(acquire("a.example"));
  clock.advance(999ms);
  EXPECT_FALSE(acquire("a.example"));
  EXPECT_EQ(politeness->next_possible("a.example", now()), clock.steady() + 1ms);
  clock.advance(1ms);
  EXPECT_TRUE(acquire("a.example"));
}

TEST_F(PolitenessTest, OtherHosts_DoNotWait) {
  EXPECT_TRUE(acquire("a.example", "192.0.2.1"));
  EXPECT_TRUE(acquire("b.example", "192.0.2.2"));
}

// Ten thousand names on one address are one machine.
TEST_F(PolitenessTest, HostsOfOneAddress_ShareItsPace) {
  settings.per_address = 2;
  make();
  const auto first = acquire("a.example", "192.0.2.1");
  ASSERT_TRUE(first);
  EXPECT_FALSE(acquire("b.example", "192.0.2.1")) << "address_gap";
  clock.advance(250ms);
  ASSERT_TRUE(acquire("b.example", "192.0.2.1"));
  clock.advance(10s);
  EXPECT_FALSE(acquire("c.example", "192.0.2.1")) << "per_address";
  release(*first);
  EXPECT_TRUE(acquire("c.example", "192.0.2.1"));
}

TEST_F(PolitenessTest, WildcardSubdomains_CountTogetherBeforeTheyAreResolved) {
  EXPECT_TRUE(acquire("a1.trap.example"));
  EXPECT_FALSE(acquire("a2.trap.example"));
  EXPECT_TRUE(acquire("a1.other.example"));
  EXPECT_TRUE(acquire("192.0.2.1:8000"));
  EXPECT_TRUE(acquire("198.51.2.1:8000")) << "addresses have no domains";
  EXPECT_FALSE(acquire("192.0.2.1:9000"));
}

TEST_F(PolitenessTest, AddressLearntByTheRequest_Counts) {
  for (std::string_view host : {"a.example", "b.example"}) {
    const auto lease = acquire(host);
    ASSERT_TRUE(lease);
    politeness->release(*lease, {200, 10ms, std::nullopt, false, "192.0.2.9"}, now());
  }
  EXPECT_EQ(politeness->view("a.example")->address, "192.0.2.9");
  clock.advance(10s);
  EXPECT_TRUE(acquire("a.example"));
  EXPECT_FALSE(acquire("b.example"));
}

TEST_F(PolitenessTest, Next_IsTheHostThatIsDueFirst) {
  EXPECT_FALSE(politeness->next());
  politeness->want("a.example", now());
  politeness->want("b.test", now());
  const auto lease = acquire("a.example");
  EXPECT_EQ(politeness->next()->host, "b.test");
  const auto other = acquire("b.test");
  EXPECT_FALSE(politeness->next()) << "both wait for their lease";
  clock.advance(1s);
  release(*other);
  clock.advance(1s);
  release(*lease);
  EXPECT_EQ(politeness->next()->host, "b.test");
  EXPECT_EQ(politeness->next()->at, clock.steady());
  politeness->unwant("b.test");
  EXPECT_EQ(politeness->next()->host, "a.example");
  EXPECT_EQ(politeness->next()->at, clock.steady() + 1s);
}

TEST_F(PolitenessTest, AddressThatIsBusy_HoldsBackItsHostsOnly) {
  settings.per_address = 1;
  make();
  for (std::string_view host : {"a.example", "b.example", "c.test"}) politeness->want(host, now());
  const auto lease = acquire("a.example", "192.0.2.1");
  politeness->browser_asked("b.example", "192.0.2.1", now());
  EXPECT_EQ(politeness->next()->host, "c.test");
  politeness->unwant("c.test");
  EXPECT_FALSE(politeness->next());
  clock.advance(5s);
  release(*lease);
  EXPECT_EQ(politeness->next()->host, "b.example");
}

// What the store answers costs the host nothing, so it costs no time either.
TEST_F(PolitenessTest, RequestThatWasNotSent_GivesItsTimeBack) {
  FetchOutcome from_store;
  from_store.not_sent = true;
  for (int i = 0; i < 100; ++i) {
    const auto lease = acquire("a.example", "192.0.2.1");
    ASSERT_TRUE(lease);
    politeness->release(*lease, from_store, now());
  }
  release(*acquire("a.example", "192.0.2.1"));
  EXPECT_FALSE(acquire("a.example", "192.0.2.1"));
  EXPECT_FALSE(acquire("b.example", "192.0.2.1"));
}

TEST_F(PolitenessTest, TimeThatSomebodyElseNeeds_IsNotGivenBack) {
  settings.per_host = 2;
  settings.per_address = 2;
  make();
  FetchOutcome from_store;
  from_store.not_sent = true;
  const auto first = acquire("a.example", "192.0.2.1");
  clock.advance(1s);
  const auto second = acquire("a.example", "192.0.2.1");
  ASSERT_TRUE(first && second);
  politeness->release(*first, from_store, now());
  EXPECT_FALSE(acquire("a.example", "192.0.2.1")) << "the second one was sent just now";
  EXPECT_FALSE(acquire("b.example", "192.0.2.1"));
}

// A host that turns out to be elsewhere leaves nothing behind in the queue where it stood.
TEST_F(PolitenessTest, HostThatMoves_LeavesTheQueueOfItsOldAddress) {
  politeness->browser_asked("b.trap.example", "", now());  // keeps the old address in use
  politeness->want("a.trap.example", now());
  const auto lease = acquire("a.trap.example", "192.0.2.1");
  ASSERT_TRUE(lease);
  EXPECT_FALSE(politeness->next());
  clock.advance(1s);
  release(*lease);
  EXPECT_EQ(politeness->next()->host, "a.trap.example");
}

TEST_F(PolitenessTest, TooManyRequests_StopsTheWholeHost) {
  settings.per_host = 4;
  settings.min_gap = Duration::zero();
  settings.address_gap = Duration::zero();
  make();
  const auto first = acquire("a.example");
  const auto second = acquire("a.example");
  ASSERT_TRUE(first && second);
  release(*first, 429);
  release(*second, 200);
  EXPECT_FALSE(acquire("a.example"));
  clock.advance(29s);
  EXPECT_FALSE(acquire("a.example"));
}

TEST_F(PolitenessTest, Browser_CountsAndNeverWaits) {
  politeness->want("a.example", now());
  politeness->browser_asked("a.example", "", now());
  EXPECT_FALSE(acquire("a.example"));
  EXPECT_EQ(politeness->next()->at, clock.steady() + 1s);
}

TEST_F(PolitenessTest, CrawlDelay_MovesTheHostInTheQueue) {
  politeness->want("a.example", now());
  politeness->set_crawl_delay("a.example", 20s, now());
  release(*acquire("a.example"));
  EXPECT_EQ(politeness->next()->at, clock.steady() + 20s);
}

// The origin's log must not show two requests closer together than the gap, whatever happens to the process.
TEST_F(PolitenessTest, Restart_KeepsTheGap) {
  politeness->set_crawl_delay("a.example", 20s, now());
  ASSERT_TRUE(acquire("a.example"));
  make();  // killed while the request was under way
  clock.advance(19s);
  EXPECT_FALSE(acquire("a.example"));
  clock.advance(1s);
  const auto lease = acquire("a.example");
  ASSERT_TRUE(lease);
  release(*lease, 503);
  make();
  clock.advance(29s);
  politeness->browser_asked("a.example", "", now());
  EXPECT_FALSE(acquire("a.example"));
  clock.advance(40s);  // Crawl-delay, doubled after 503
  EXPECT_TRUE(acquire("a.example"));
}

TEST_F(PolitenessTest, Restart_KeepsTheGapOfTheAddress) {
  settings.address_gap = 500ms;
  make();
  ASSERT_TRUE(acquire("a.example", "192.0.2.1"));
  clock.advance(100ms);
  make();
  politeness->browser_asked("c.example", "192.0.2.1", now());
  EXPECT_FALSE(acquire("b.example", "192.0.2.1"));
  EXPECT_EQ(politeness->next_possible("b.example", now()), clock.steady() + 400ms);
  clock.advance(400ms);
  EXPECT_TRUE(acquire("b.example", "192.0.2.1"));
  EXPECT_TRUE(acquire("d.example", "192.0.2.2")) << "only the start waits, not every address for every other";
  store.records["*"] = "99999999999999";  // the clock was set back meanwhile
  make();
  clock.advance(1s);
  EXPECT_FALSE(acquire("e.example", "192.0.2.3"));
  clock.advance(500ms);
  EXPECT_TRUE(acquire("e.example", "192.0.2.3"));
}

TEST_F(PolitenessTest, Lab_NoBoundsForItsHostsOnly) {
  politeness->set_lab_hosts({"127.0.0.1:8000", "127.0.0.2:8000"});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(acquire("127.0.0.1:8000", "127.0.0.1"));
  politeness->browser_asked("127.0.0.1:8000", "127.0.0.1", now());
  EXPECT_TRUE(acquire("127.0.0.1:8000", "127.0.0.1"));
  EXPECT_TRUE(acquire("127.0.0.1:9000", "127.0.0.1"));
  EXPECT_FALSE(acquire("127.0.0.1:9000", "127.0.0.1"));
  EXPECT_EQ(store.records.count("127.0.0.1:8000"), 0u);
  politeness->want("127.0.0.1:8000", now());
  politeness->want("127.0.0.2:8000", now());
  std::map<std::string, int> turns;
  for (int i = 0; i < 10; ++i) {
    const std::string host = politeness->next()->host;
    ++turns[host];
    acquire(host);
  }
  EXPECT_EQ(turns["127.0.0.1:8000"], 5) << "they take turns";
}

TEST_F(PolitenessTest, IdleHosts_AreForgotten) {
  politeness.emplace(std::make_shared<RobotSettings>(settings), &store, 100);
  politeness->want("wanted.test", now());
  for (int i = 0; i < 10'000; ++i) {
    release(*acquire(fmt::format("host{}.test", i), fmt::format("192.0.2.{}", i)));
    clock.advance(2s);
  }
  EXPECT_LE(politeness->host_count(), 101u);
  EXPECT_LE(politeness->address_count(), 101u);
  EXPECT_TRUE(politeness->view("wanted.test"));
}

// Whatever the order of calls: no host and no address is ever asked too early or too often.
TEST_F(PolitenessTest, RandomTraffic_NeverBreaksABound) {
  settings.per_host = 2;
  settings.per_address = 3;
  make();
  std::mt19937 random(7);
  struct Seen {
    SteadyTime last = SteadyTime{} - 1h;
    int in_flight = 0;
  };
  std::map<std::string, Seen> hosts, addresses;
  struct Open {
    Lease lease;
    std::string host, address;
  };
  std::vector<Open> open;
  for (int i = 0; i < 50; ++i) politeness->want(fmt::format("h{}.test", i), now());
  int granted = 0;
  for (int step = 0; step < 20'000; ++step) {
    clock.advance(std::chrono::milliseconds{random() % 40});
    const auto next = politeness->next();
    if (next && random() % 4 != 0) {
      const std::string address = fmt::format("192.0.2.{}", std::hash<std::string>{}(next->host) % 7);
      const auto lease = acquire(next->host, address);
      if (!lease) continue;
      ++granted;
      Seen& host = hosts[next->host];
      Seen& machine = addresses[address];
      EXPECT_GE(clock.steady() - host.last, settings.min_gap);
      EXPECT_GE(clock.steady() - machine.last, settings.address_gap);
      EXPECT_LE(++host.in_flight, 2);
      EXPECT_LE(++machine.in_flight, 3);
      host.last = machine.last = clock.steady();
      open.push_back({*lease, next->host, address});
    } else if (!open.empty()) {
      std::swap(open[random() % open.size()], open.back());
      --hosts[open.back().host].in_flight;
      --addresses[open.back().address].in_flight;
      release(open.back().lease, random() % 50 == 0 ? 503 : 200);
      open.pop_back();
    }
  }
  EXPECT_GT(granted, 1000);
}

// Workers, schedulers and browsers at once: the bounds hold, and nothing is lost.
TEST_F(PolitenessTest, ManyThreads_KeepTheBounds) {
  settings.min_gap = Duration::zero();
  settings.address_gap = Duration::zero();
  settings.latency_factor = 0;
  settings.per_host = 2;
  settings.per_address = 8;
  make();
  const Moment start = now();  // a clock that stands still: with no gaps, only concurrency bounds
  std::array<std::atomic<int>, 4> in_flight{};
  std::atomic<int> granted = 0, violations = 0;
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 2000; ++i) {
      const auto which = random() % in_flight.size();
      const std::string host = fmt::format("h{}.test", which);
      politeness->want(host, start);
      if (seed == 0) politeness->browser_asked(fmt::format("browser{}.test", i % 50), "192.0.2.2", start);
      const auto lease = politeness->try_acquire(host, "192.0.2.1", start);
      politeness->next();
      if (!lease) continue;
      ++granted;
      if (++in_flight[which] > 2) ++violations;
      --in_flight[which];
      politeness->release(*lease, {200, Duration::zero(), std::nullopt, false, {}, false}, start);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(violations, 0);
  EXPECT_GT(granted, 100);
  for (std::size_t i = 0; i < in_flight.size(); ++i)
    EXPECT_EQ(politeness->view(fmt::format("h{}.test", i))->in_flight, 0);
}

}  // namespace
}  // namespace outrider
