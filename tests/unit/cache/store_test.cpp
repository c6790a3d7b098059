// The contract of the store, on real files: what is promised in store.hpp.
#include "cache/store.hpp"

#include "tests/support/store_fixture.hpp"

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::proven_body;
using testing::run_task;
using testing::store_head;
using testing::store_head_with_vary;
using testing::store_key;
using testing::StoreFixture;

class StoreTest : public StoreFixture {
 protected:
  void SetUp() override { open(); }
};

TEST_F(StoreTest, WhatWasNeverStored_IsAbsent) {
  EXPECT_EQ(find(store_key("a")), nullptr);
  EXPECT_EQ(store_->find_now(store_key("a")).state, StoreLookup::State::absent);
}

TEST_F(StoreTest, CommittedResponse_IsFoundAtOnce) {
  const VariantPtr stored = put(store_key("a"), "hello");
  ASSERT_TRUE(stored);
  const StoreLookup found = store_->find_now(store_key("a"));
  ASSERT_EQ(found.state, StoreLookup::State::found);
  ASSERT_EQ(found.entry->variants.size(), 1U);
  EXPECT_EQ(found.entry->variants[0], stored);
  EXPECT_EQ(stored->head.body_length, 5U);
  EXPECT_EQ(store_->read_now(stored->body, 0, 100)->bytes, "hello");
  EXPECT_EQ(store_->read_now(stored->body, 1, 3)->bytes, "ell");
}

TEST_F(StoreTest, AfterReopening_EverythingIsThereAgain) {
  const std::vector<std::size_t> lengths = {0,          1,          1000,           10'000,     kChunk - 1,
                                            kChunk + 0, kChunk + 1, 3 * kChunk + 5, 20 * kChunk};
  for (const std::size_t length : lengths)
    ASSERT_TRUE(put(store_key(std::to_string(length)), length == 0 ? "" : proven_body(length, length)));
  reopen();
  for (const std::size_t length : lengths) {
    const EntryPtr entry = find(store_key(std::to_string(length)));
    ASSERT_TRUE(entry) << length;
    const VariantPtr& variant = entry->variants[0];
    EXPECT_EQ(variant->head.response.headers.find("content-type"), "text/plain");
    EXPECT_EQ(variant->head.response_time, store_head().response_time);
    EXPECT_EQ(variant->body->length(), length == 0 ? 0 : std::max<std::size_t>(length, 16));
    EXPECT_TRUE(read(variant) == (length == 0 ? "" : proven_body(length, length))) << length;
  }
}

TEST_F(StoreTest, SmallBodies_ComeAlongFromDisk_AndAreInMemoryAfterwards) {
  put(store_key("a"), proven_body(1, 10'000));
  reopen();
  const EntryPtr entry = find(store_key("a"));
  ASSERT_TRUE(entry);
  EXPECT_TRUE(entry->variants[0]->body->in_memory());
  EXPECT_EQ(store_->find_now(store_key("a")).entry, entry);
}

TEST_F(StoreTest, WhoWantsNoBody_FillsNoMemoryWithIt) {
  put(store_key("a"), proven_body(1, 10'000));
  reopen();
  const StoreLookup found = store_->find_now(store_key("a"), BodyWish::later);
  if (found.state == StoreLookup::State::must_wait) GTEST_SKIP() << "this disk has to be waited for";
  ASSERT_TRUE(found.entry);
  EXPECT_FALSE(found.entry->variants[0]->body->in_memory());
  EXPECT_EQ(store_->stats().memory_entries, 0U);
  EXPECT_TRUE(read(found.entry->variants[0]) == proven_body(1, 10'000));
}

TEST_F(StoreTest, BodyAnywhere_CanBeReadFromDisk) {
  const std::string body = proven_body(1, 5 * kChunk + 100);
  put(store_key("a"), body);
  reopen();
  const EntryPtr entry = find(store_key("a"));
  ASSERT_TRUE(entry);
  const BodyPtr stored = entry->variants[0]->body;
  for (const std::uint64_t at : {0UL, 1UL, kChunk - 1UL, kChunk + 0UL, 3UL * kChunk + 7, 5UL * kChunk + 99}) {
    const auto piece = run_task(reactor_, store_->read(stored, at, 50));
    ASSERT_TRUE(piece);
    EXPECT_EQ(piece->bytes, std::string_view(body).substr(at, piece->bytes.size()));
    EXPECT_GT(piece->bytes.size(), 0U);
    EXPECT_LE(piece->bytes.size(), 50U);
  }
  EXPECT_FALSE(run_task(reactor_, store_->read(stored, body.size(), 1)));
}

TEST_F(StoreTest, AbandonedResponse_LeavesNothing) {
  {
    auto writer = store_->begin(store_key("a"), store_head(), {});
    writer->append(proven_body(1, 3 * kChunk));
  }
  EXPECT_EQ(find(store_key("a")), nullptr);
  ASSERT_TRUE(flush());
  reopen();
  EXPECT_EQ(find(store_key("a")), nullptr);
  EXPECT_TRUE(files_with(proven_body(1, 3 * kChunk).substr(100'000, 50)).empty());
}

TEST_F(StoreTest, UncommittedResponse_IsNotFound) {
  auto writer = store_->begin(store_key("a"), store_head(), {});
  writer->append("half of it");
  EXPECT_EQ(find(store_key("a")), nullptr);
  writer->commit();
  EXPECT_NE(find(store_key("a")), nullptr);
}

TEST_F(StoreTest, GrowingBody_CanBeFollowed) {
  const std::string body = proven_body(1, 30 * kChunk);  // more than is kept in memory
  auto writer = store_->begin(store_key("a"), store_head(), {});
  const BodyPtr growing = writer->body();
  std::string seen;
  for (std::size_t at = 0; at < body.size(); at += 100'000) {
    writer->append(std::string_view(body).substr(at, 100'000));
    ASSERT_TRUE(at % 1'000'000 != 0 || flush());  // an origin is not faster than the disk
    while (seen.size() < growing->length()) {
      const auto piece = run_task(reactor_, store_->read(growing, seen.size(), UINT64_MAX));
      ASSERT_TRUE(piece);
      seen += piece->bytes;
    }
  }
  EXPECT_TRUE(seen == body);
  ASSERT_TRUE(writer->commit());
  // … and from the beginning by somebody who came late.
  EXPECT_TRUE(body_of(store_key("a")) == body);
  ASSERT_TRUE(flush());
  EXPECT_TRUE(body_of(store_key("a")) == body);
  writer.reset();  // before its store
  reopen();
  EXPECT_TRUE(body_of(store_key("a")) == body);
}

TEST_F(StoreTest, LargeBody_DoesNotStayInMemory) {
  const VariantPtr stored = put(store_key("a"), proven_body(1, 6 << 20));
  ASSERT_TRUE(stored);
  ASSERT_TRUE(flush());
  EXPECT_FALSE(stored->body->in_memory());
  EXPECT_LT(stored->body->memory_bytes(), 100'000U);
  EXPECT_LT(store_->stats().memory_bytes, 200'000U);
}

TEST_F(StoreTest, TooLargeBody_IsPassedOnButNotKept) {
  CacheSettings limited = settings();
  limited.max_object = {100'000};
  close();
  open(limited);
  auto writer = store_->begin(store_key("a"), store_head(), {});
  writer->append(std::string(50'000, 'x'));
  EXPECT_TRUE(writer->storing());
  writer->append(std::string(60'000, 'y'));
  EXPECT_FALSE(writer->storing());
  EXPECT_EQ(store_->read_now(writer->body(), 50'000, 1)->bytes, "y");
  writer->release(50'000);  // as far as whole blocks go
  EXPECT_EQ(store_->read_now(writer->body(), 100'000, 1)->bytes, "y");
  EXPECT_EQ(writer->commit(), nullptr);
  EXPECT_EQ(find(store_key("a")), nullptr);

  Store::BeginOptions announced;
  announced.expected_length = 200'000;
  EXPECT_FALSE(store_->begin(store_key("a"), store_head(), announced)->storing());
}

// --- variants (RFC 9111 section 4.1)

TEST_F(StoreTest, VariantsOfOneKey_AreFoundTogether_TheNewestFirst) {
  put(store_key("a"), "gzipped", store_head_with_vary("accept-encoding", "gzip"));
  put(store_key("a"), "plain", store_head_with_vary("accept-encoding", ""));
  for (int round = 0; round < 2; ++round) {
    const EntryPtr entry = find(store_key("a"));
    ASSERT_TRUE(entry);
    ASSERT_EQ(entry->variants.size(), 2U);
    EXPECT_EQ(read(entry->variants[0]), "plain");
    EXPECT_EQ(read(entry->variants[1]), "gzipped");
    reopen();
  }
}

TEST_F(StoreTest, ResponseOfTheSameKind_TakesThePlaceOfTheOldOne) {
  put(store_key("a"), "old", store_head_with_vary("accept-encoding", "gzip"));
  put(store_key("a"), "new", store_head_with_vary("accept-encoding", "gzip"));
  for (int round = 0; round < 2; ++round) {
    const EntryPtr entry = find(store_key("a"));
    ASSERT_TRUE(entry);
    ASSERT_EQ(entry->variants.size(), 1U);
    EXPECT_EQ(read(entry->variants[0]), "new");
    reopen();
  }
}

TEST_F(StoreTest, SupersededVariants_Go) {
  const VariantPtr part = put(store_key("a"), "part", store_head_with_vary("x", "1"));
  Store::BeginOptions options;
  options.supersedes = {part->id};
  put(store_key("a"), "whole", store_head_with_vary("x", "2"), options);
  for (int round = 0; round < 2; ++round) {
    const EntryPtr entry = find(store_key("a"));
    ASSERT_TRUE(entry);
    ASSERT_EQ(entry->variants.size(), 1U);
    EXPECT_EQ(read(entry->variants[0]), "whole");
    reopen();
  }
}

// A commit for a key of which only the disk knew the other variants.
TEST_F(StoreTest, VariantsThatWereNotInMemory_AreNotLost) {
  put(store_key("a"), "gzipped", store_head_with_vary("accept-encoding", "gzip"));
  reopen();
  put(store_key("a"), "plain", store_head_with_vary("accept-encoding", ""));
  ASSERT_TRUE(flush());
  const EntryPtr entry = find(store_key("a"));
  ASSERT_EQ(entry->variants.size(), 2U);
  EXPECT_EQ(read(entry->variants[0]), "plain");
  EXPECT_EQ(read(entry->variants[1]), "gzipped");
}

TEST_F(StoreTest, NumberOfVariants_IsBounded) {
  for (int i = 0; i < 40; ++i) put(store_key("a"), std::to_string(i), store_head_with_vary("x", std::to_string(i)));
  for (int round = 0; round < 2; ++round) {
    const EntryPtr entry = find(store_key("a"));
    ASSERT_EQ(entry->variants.size(), kMaxVariants);
    EXPECT_EQ(read(entry->variants[0]), "39");
    reopen();
  }
}

// --- changes

// RFC 9111 section 4.3.4: a 304 updates the stored head.
TEST_F(StoreTest, UpdatedHead_KeepsTheBody_AndSurvives) {
  const VariantPtr stored = put(store_key("a"), "hello");
  const EntryPtr before = find(store_key("a"));
  StoredHead head = store_head("text/html");
  head.response_time += 1h;
  const VariantPtr updated = store_->update_head(before, stored->id, head);
  ASSERT_TRUE(updated);
  EXPECT_EQ(updated->id, stored->id);
  EXPECT_EQ(before->variants[0]->head.response.headers.find("content-type"), "text/plain");  // snapshots do not change
  for (int round = 0; round < 2; ++round) {
    const EntryPtr entry = find(store_key("a"));
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->variants[0]->head.response.headers.find("content-type"), "text/html");
    EXPECT_EQ(entry->variants[0]->head.response_time, head.response_time);
    EXPECT_EQ(entry->variants[0]->head.body_length, 5U);
    EXPECT_EQ(read(entry->variants[0]), "hello");
    reopen();
  }
}

TEST_F(StoreTest, HeadUpdatedForNow_IsAsItWasAfterReopening) {
  const VariantPtr stored = put(store_key("a"), "hello");
  StoredHead head = store_head();
  head.response_time += 1h;
  ASSERT_TRUE(store_->update_head(find(store_key("a")), stored->id, head, HeadChange::for_now));
  EXPECT_EQ(find(store_key("a"))->variants[0]->head.response_time, head.response_time);
  reopen();
  const EntryPtr entry = find(store_key("a"));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->variants[0]->head.response_time, store_head().response_time);
  EXPECT_EQ(read(entry->variants[0]), "hello");
}

TEST_F(StoreTest, HeadOfAVariantThatIsGone_IsNotUpdated) {
  const VariantPtr stored = put(store_key("a"), "old");
  const EntryPtr before = find(store_key("a"));
  put(store_key("a"), "new");
  EXPECT_EQ(store_->update_head(before, stored->id, store_head("text/html")), nullptr);
  EXPECT_EQ(body_of(store_key("a")), "new");
  EXPECT_EQ(store_->update_head(find(store_key("a")), 12345, store_head()), nullptr);
}

// Invalidated while somebody was revalidating it: the 304 must not bring it back.
TEST_F(StoreTest, HeadOfAnErasedEntry_IsNotUpdated) {
  const VariantPtr stored = put(store_key("a"), "hello");
  const EntryPtr before = find(store_key("a"));
  store_->erase(store_key("a"));
  EXPECT_EQ(store_->update_head(before, stored->id, store_head("text/html")), nullptr);
  store_->mark_visited(before);
  EXPECT_EQ(find(store_key("a")), nullptr);
  ASSERT_TRUE(flush());
  store_->update_head(before, stored->id, store_head("text/html"));
  store_->mark_visited(before);
  EXPECT_EQ(find(store_key("a")), nullptr);
  ASSERT_TRUE(flush());
  EXPECT_EQ(find(store_key("a")), nullptr);
}

TEST_F(StoreTest, ErasedEntry_IsGoneAtOnceAndForGood) {
  put(store_key("a"), "hello");
  ASSERT_TRUE(flush());
  store_->erase(store_key("a"));
  EXPECT_EQ(find(store_key("a")), nullptr);
  EXPECT_EQ(store_->find_now(store_key("a")).state, StoreLookup::State::absent);
  ASSERT_TRUE(flush());
  EXPECT_EQ(find(store_key("a")), nullptr);
  reopen();
  EXPECT_EQ(find(store_key("a")), nullptr);
}

// An entry that only the disk knows must not be found between erase() and the writing of it.
TEST_F(StoreTest, ErasedEntry_ThatWasNotInMemory_IsGoneAtOnce) {
  for (int i = 0; i < 50; ++i) put(store_key(std::to_string(i)), "hello");
  reopen();
  for (int i = 0; i < 50; ++i) {
    store_->erase(store_key(std::to_string(i)));
    ASSERT_EQ(store_->find_now(store_key(std::to_string(i))).state, StoreLookup::State::absent);
  }
}

TEST_F(StoreTest, ErasedVariant_LeavesTheOthers) {
  const VariantPtr first = put(store_key("a"), "1", store_head_with_vary("x", "1"));
  put(store_key("a"), "2", store_head_with_vary("x", "2"));
  store_->erase_variant(store_key("a"), first->id);
  for (int round = 0; round < 2; ++round) {
    const EntryPtr entry = find(store_key("a"));
    ASSERT_TRUE(entry);
    ASSERT_EQ(entry->variants.size(), 1U);
    EXPECT_EQ(read(entry->variants[0]), "2");
    reopen();
  }
}

TEST_F(StoreTest, Visit_IsRemembered) {
  put(store_key("a"), "hello");
  EXPECT_FALSE(find(store_key("a"))->visited);
  store_->mark_visited(find(store_key("a")));
  EXPECT_TRUE(find(store_key("a"))->visited);
  reopen();
  EXPECT_TRUE(find(store_key("a"))->visited);
  put(store_key("a"), "again");
  EXPECT_TRUE(find(store_key("a"))->visited);
  reopen();
  EXPECT_TRUE(find(store_key("a"))->visited);
}

// Somebody is reading the old body from disk while a new one replaces it.
TEST_F(StoreTest, ReplacedBody_CanBeReadToItsEnd) {
  const std::string old = proven_body(1, 6 << 20);
  put(store_key("a"), old);
  ASSERT_TRUE(flush());
  reopen();
  const EntryPtr reading = find(store_key("a"));
  put(store_key("a"), "new");
  ASSERT_TRUE(flush());
  EXPECT_TRUE(read(reading->variants[0]) == old);
  EXPECT_EQ(body_of(store_key("a")), "new");
}

// … and when the reader has gone, so have the bytes.
TEST_F(StoreTest, ReplacedBody_IsRemovedFromTheFilesWhenNobodyReadsIt) {
  const std::string old = proven_body(1, 6 << 20);
  put(store_key("a"), old);
  ASSERT_TRUE(flush());
  EntryPtr reading = find(store_key("a"));
  put(store_key("a"), "new");
  ASSERT_TRUE(flush());
  EXPECT_FALSE(files_with(old.substr(3'000'000, 64)).empty());
  reading.reset();
  ASSERT_TRUE(flush());  // the writer looks around whenever it wakes up
  EXPECT_TRUE(files_with(old.substr(3'000'000, 64)).empty());
}

// --- all together

TEST_F(StoreTest, PreparedHead_TravelsWithTheVariant) {
  close();
  StoreOptions options;
  options.folder = folder();
  options.settings = settings();
  options.prepare = [](const StoredHead& head) {
    return std::make_shared<std::string>(*head.response.headers.find("content-type"));
  };
  store_ = std::move(*Store::open(options, *metrics_, clock_));
  EXPECT_EQ(put(store_key("a"), "hello")->prepared_as<std::string>(), "text/plain");
  const EntryPtr entry = find(store_key("a"));
  EXPECT_EQ(store_->update_head(entry, entry->variants[0]->id, store_head("text/html"))->prepared_as<std::string>(),
            "text/html");
  store_->close();
  store_ = std::move(*Store::open(options, *metrics_, clock_));
  EXPECT_EQ(find(store_key("a"))->variants[0]->prepared_as<std::string>(), "text/html");
}

TEST_F(StoreTest, WithoutDisk_EverythingWorksInMemory) {
  CacheSettings memory_only = settings();
  memory_only.disk = {0};
  close();
  std::filesystem::remove_all(folder());
  open(memory_only);
  put(store_key("a"), "hello");
  put(store_key("b"), "hello");
  EXPECT_EQ(body_of(store_key("a")), "hello");
  store_->erase(store_key("a"));
  EXPECT_EQ(find(store_key("a")), nullptr);
  EXPECT_TRUE(purge(PurgeScope::all()));
  EXPECT_EQ(find(store_key("b")), nullptr);
  EXPECT_FALSE(std::filesystem::exists(folder()));
  EXPECT_EQ(put(store_key("c"), std::string(30 << 20, 'x')), nullptr);
}

TEST_F(StoreTest, ManyThreads_SeeOnlyWholeBodies) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      Reactor reactor;
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 400; ++i) {
        const CacheKey key = store_key(std::to_string(random() % 40));
        if (random() % 2 == 0) {
          auto writer = store_->begin(key, store_head_with_vary("x", std::to_string(random() % 2)), {});
          writer->append(proven_body(random(), random() % 400'000));
          if (random() % 5 != 0) writer->commit();
        } else if (random() % 20 == 0) {
          store_->erase(key);
        } else if (const EntryPtr entry = run_task(reactor, store_->find(key))) {
          for (const VariantPtr& variant : entry->variants) {
            std::string text;
            while (text.size() < variant->body->length()) {
              const auto piece = run_task(reactor, store_->read(variant->body, text.size(), UINT64_MAX));
              if (!piece) break;  // removed meanwhile
              text += piece->bytes;
            }
            if (text.size() == variant->body->length() && !testing::proves_itself(text)) ++wrong;
          }
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(StoreTest, TwoStores_DoNotShareAFolder) {
  StoreOptions options;
  options.folder = folder();
  options.settings = settings();
  Metrics metrics;
  put(store_key("a"), "hello");
  EXPECT_FALSE(Store::open(options, metrics, clock_));
  EXPECT_EQ(body_of(store_key("a")), "hello");
  reopen();
  EXPECT_EQ(body_of(store_key("a")), "hello");
}

// The hashes of the keys are in the files.
TEST_F(StoreTest, Secret_StaysTheSame_AndIsNobodyElses) {
  const SipKey before = store_->secret();
  EXPECT_NE(before.low, 0U);
  reopen();
  EXPECT_EQ(store_->secret().low, before.low);
  EXPECT_EQ(store_->secret().high, before.high);
  EXPECT_EQ(std::filesystem::status(folder() / "secret").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  put(store_key("a"), "hello");
  close();
  std::filesystem::remove(folder() / "secret");
  open();
  EXPECT_NE(store_->secret().low, before.low);
  EXPECT_EQ(find(store_key("a")), nullptr);
}

TEST_F(StoreTest, FolderIsForItsOwnerOnly) {
  EXPECT_EQ(std::filesystem::status(folder()).permissions(), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace outrider
