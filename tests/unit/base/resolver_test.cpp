#include "base/resolver.hpp"

#include "tests/support/reactor_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::run_task;

struct ResolverTest : ::testing::Test {
  std::atomic<int> lookups = 0;
  std::atomic<bool> release = false;
  Result<Addresses> next = Addresses{asio::ip::make_address("192.0.2.7")};
  Reactor reactor;
  WorkerPool workers{4, 64};  // last: joined before anything that a lookup uses is gone

  Resolver make(ResolverOptions options = {}) {
    return Resolver{reactor, workers, options, [this](const std::string&) {
                      ++lookups;
                      return next;
                    }};
  }
  Result<Addresses> resolve(Resolver& resolver, const std::string& host, Duration limit = 5s) {
    return run_task(reactor, resolver.resolve(host, Deadline::after(limit)));
  }
};

TEST_F(ResolverTest, AddressLiteral_NeedsNoLookup) {
  Resolver resolver = make();
  EXPECT_EQ(resolve(resolver, "127.0.0.1").value().front().to_string(), "127.0.0.1");
  EXPECT_EQ(resolve(resolver, "::1").value().front().to_string(), "::1");
  EXPECT_EQ(lookups, 0);
}

TEST_F(ResolverTest, Answer_IsKeptForItsTime) {
  ResolverOptions options;
  options.keep_found = 30ms;
  Resolver resolver = make(options);
  EXPECT_TRUE(resolve(resolver, "a.example").has_value());
  EXPECT_TRUE(resolve(resolver, "a.example").has_value());
  EXPECT_EQ(lookups, 1);
  std::this_thread::sleep_for(40ms);
  EXPECT_TRUE(resolve(resolver, "a.example").has_value());
  EXPECT_EQ(lookups, 2);
}

TEST_F(ResolverTest, NoSuchName_IsRememberedToo) {
  Resolver resolver = make();
  next = Error{ErrorKind::dns_failure, Side::origin, "no such name"};
  EXPECT_EQ(resolve(resolver, "b.example").error().kind, ErrorKind::dns_failure);
  EXPECT_EQ(resolve(resolver, "b.example").error().kind, ErrorKind::dns_failure);
  EXPECT_EQ(lookups, 1);
}

TEST_F(ResolverTest, ServerOutOfOrder_KeepsTheOldAddressInService) {
  ResolverOptions options;
  options.keep_found = 0ms;
  options.keep_failed = 0ms;
  Resolver resolver = make(options);
  EXPECT_TRUE(resolve(resolver, "c.example").has_value());
  next = Error{ErrorKind::dns_failure, Side::origin, "try again", true};
  EXPECT_TRUE(resolve(resolver, "c.example").has_value());
  next = Error{ErrorKind::dns_failure, Side::origin, "no such name", false};
  EXPECT_FALSE(resolve(resolver, "c.example").has_value()) << "a name that is gone is gone";
}

TEST_F(ResolverTest, SimultaneousAskers_ShareOneLookup) {
  Resolver resolver{reactor, workers, {}, [&](const std::string&) {
                      ++lookups;
                      while (!release) std::this_thread::sleep_for(1ms);
                      return next;
                    }};
  TaskGroup group{reactor.executor()};
  int answered = 0;
  auto ask = [](Resolver& r, int* count) -> Task<> {
    Result<Addresses> answer = co_await r.resolve("d.example", Deadline::after(5s));
    if (answer) ++*count;
  };
  for (int i = 0; i < 10; ++i) group.spawn(ask(resolver, &answered), "asker");
  std::thread releaser{[&] {
    std::this_thread::sleep_for(20ms);
    release = true;
  }};
  auto join = [](TaskGroup& g) -> Task<bool> { co_return co_await g.join(Deadline::after(5s)); };
  EXPECT_TRUE(run_task(reactor, join(group)));
  releaser.join();
  EXPECT_EQ(answered, 10);
  EXPECT_EQ(lookups, 1);
}

TEST_F(ResolverTest, DeadServer_EndsAtTheDeadline) {
  Resolver resolver{reactor, workers, {}, [&](const std::string&) {
                      while (!release) std::this_thread::sleep_for(1ms);
                      return next;
                    }};
  const Result<Addresses> answer = resolve(resolver, "e.example", 20ms);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind, ErrorKind::dns_failure);
  EXPECT_TRUE(answer.error().retry_safe) << "nobody said that the name does not exist";
  release = true;
}

// Answers at once the first time. Later lookups hang until they are released (or, so that a mistake does not hang the
// test, for long) and then know another address.
struct HangingRefresh : ResolverTest {
  Resolver make(ResolverOptions options = {}) {
    return Resolver{reactor, workers, options, [this](const std::string&) -> Result<Addresses> {
                      if (++lookups == 1) return next;
                      for (int i = 0; i < 10'000 && !release; ++i) std::this_thread::sleep_for(1ms);
                      return Addresses{asio::ip::make_address("192.0.2.8")};
                    }};
  }
};

// HOSTILE: dead resolver, cached pages still served. Nobody waits for the whole deadline while an address is known.
TEST_F(HangingRefresh, TheOldAddressServes_AndTheRefreshGoesOn) {
  ResolverOptions options;
  options.keep_found = 0ms;
  options.stale_after = 5ms;
  Resolver resolver = make(options);
  const std::string before = resolve(resolver, "f.example").value().front().to_string();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(resolve(resolver, "f.example", 1h).value().front().to_string(), before);
  EXPECT_EQ(lookups, 2) << "one refresh for all of them";
  release = true;
  std::string after = before;
  for (int i = 0; i < 1000 && after == before; ++i) {
    after = resolve(resolver, "f.example", 1h).value().front().to_string();
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(after, "192.0.2.8") << "what the refresh found is used";
}

// HOSTILE: dead resolver, nothing known: 504 within 5 seconds, whatever the deadline of the exchange is.
TEST_F(HangingRefresh, NothingKnown_EndsBeforeTheDeadline) {
  ResolverOptions options;
  options.give_up_after = 5ms;
  Resolver resolver = make(options);
  lookups = 1;
  const Result<Addresses> answer = resolve(resolver, "g.example", 1h);
  release = true;
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind, ErrorKind::dns_failure);
  EXPECT_TRUE(answer.error().retry_safe);
  EXPECT_LE(ResolverOptions{}.give_up_after, 5s);
}

// HOSTILE: allocation failures. The next one to ask asks anew.
TEST_F(ResolverTest, LookupThatThrows_IsAFailureLikeOthers) {
  ResolverOptions options;
  options.keep_failed = 0ms;
  Resolver resolver{reactor, workers, options, [this](const std::string&) -> Result<Addresses> {
                      if (++lookups == 1) throw std::bad_alloc{};
                      return next;
                    }};
  const Result<Addresses> first = resolve(resolver, "f.example", 200ms);
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().kind, ErrorKind::dns_failure);
  EXPECT_TRUE(first.error().retry_safe);
  EXPECT_TRUE(resolve(resolver, "f.example", 200ms).has_value());
}

// That there was no thread to ask with says nothing about the name.
TEST_F(ResolverTest, TooBusyToAsk_IsNotRemembered) {
  WorkerPool one{1, 1};
  Resolver resolver{reactor, one, {}, [this](const std::string& host) -> Result<Addresses> {
                      ++lookups;
                      for (int i = 0; i < 10'000 && host == "slow.example" && !release; ++i)
                        std::this_thread::sleep_for(1ms);
                      return next;
                    }};
  EXPECT_FALSE(resolve(resolver, "slow.example", 20ms).has_value());
  EXPECT_EQ(resolve(resolver, "g.example").error().kind, ErrorKind::busy);
  release = true;
  EXPECT_TRUE(resolve(resolver, "slow.example").has_value());
  EXPECT_TRUE(resolve(resolver, "g.example").has_value());
}

TEST_F(ResolverTest, Cache_IsBounded) {
  ResolverOptions options;
  options.capacity = 10;
  Resolver resolver = make(options);
  for (int i = 0; i < 100; ++i) resolve(resolver, "host" + std::to_string(i) + ".example");
  EXPECT_LE(resolver.size(), 10U);
}

TEST_F(ResolverTest, SystemLookup_KnowsLocalhost) {
  const Result<Addresses> answer = Resolver::system_lookup("localhost");
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->front().is_loopback());
  EXPECT_FALSE(Resolver::system_lookup("no-such-name.invalid").has_value());
}

}  // namespace
}  // namespace outrider
