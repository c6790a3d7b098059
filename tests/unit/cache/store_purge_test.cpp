// Purge and forget: gone, and with "forget" found in no file any more (HOSTILE: "forget this site").
#include "cache/store_purge.hpp"

#include "tests/support/store_fixture.hpp"

namespace outrider {
namespace {

using namespace std::chrono_literals;
using testing::proven_body;
using testing::store_head;
using testing::store_head_with_vary;
using testing::store_key;
using testing::StoreFixture;

class StorePurgeTest : public StoreFixture {
 protected:
  void SetUp() override { open(); }

  // A word in the key, in the head and in a body, the latter large or small.
  void put_canary(const std::string& key, const std::string& canary, std::size_t length = 5000) {
    StoredHead head = store_head();
    head.response.headers.add("X-Secret", canary);
    std::string body = proven_body(1, length);
    body.replace(body.size() / 2, canary.size(), canary);
    ASSERT_TRUE(put(store_key(key), body, head));
  }
  using Files = std::vector<std::string>;
};

TEST_F(StorePurgeTest, ByKey_RemovesThatKeyOnly) {
  put(store_key("org.example/a"), "1");
  put(store_key("org.example/ab"), "2");
  const auto report = purge(PurgeScope::key(store_key("org.example/a")));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->entries, 1U);
  EXPECT_EQ(report->bytes, 1U);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(find(store_key("org.example/a")), nullptr);
    EXPECT_EQ(body_of(store_key("org.example/ab")), "2");
    reopen();
  }
}

TEST_F(StorePurgeTest, ByPrefix_RemovesTheSite_NotItsNeighbours) {
  for (const char* key : {"org.example", "org.example/", "org.example/a", "org.example/\xff", "org.example0"})
    put(store_key(key), "x");
  for (int i = 0; i < 2500; ++i) put(store_key("org.example/many/" + std::to_string(i)), "x");
  const auto report = purge(PurgeScope::prefix("org.example/"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->entries, 2503U);
  EXPECT_NE(find(store_key("org.example")), nullptr);
  EXPECT_NE(find(store_key("org.example0")), nullptr);
  for (const char* key : {"org.example/", "org.example/a", "org.example/\xff", "org.example/many/77"})
    EXPECT_EQ(find(store_key(key)), nullptr);
}

TEST_F(StorePurgeTest, PrefixWithoutSuccessor_GoesToTheEnd) {
  EXPECT_EQ(PurgeScope::prefix("\xff\xff").past_last, std::nullopt);
  EXPECT_EQ(PurgeScope::prefix("a\xff").past_last, "b");
  EXPECT_EQ(PurgeScope::prefix("").past_last, std::nullopt);
}

TEST_F(StorePurgeTest, ByAge_RemovesOlderVariantsOnly) {
  StoredHead old = store_head_with_vary("x", "old");
  StoredHead young = store_head_with_vary("x", "young");
  young.response_time += 1h;
  put(store_key("a"), "old", old);
  put(store_key("a"), "young", young);
  put(store_key("b"), "old", old);
  PurgeScope scope;
  scope.received_before = old.response_time + 1s;
  ASSERT_TRUE(purge(scope));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(find(store_key("b")), nullptr);
    const EntryPtr entry = find(store_key("a"));
    ASSERT_TRUE(entry);
    ASSERT_EQ(entry->variants.size(), 1U);
    EXPECT_EQ(read(entry->variants[0]), "young");
    reopen();
  }
}

TEST_F(StorePurgeTest, Everything_IsGone_AndTheStoreWorks) {
  for (int i = 0; i < 500; ++i) put(store_key(std::to_string(i)), proven_body(1, 10'000));
  ASSERT_TRUE(purge(PurgeScope::all()));
  EXPECT_EQ(find(store_key("7")), nullptr);
  EXPECT_LT(store_->stats().disk_bytes, 100'000U);
  put(store_key("7"), "again");
  reopen();
  EXPECT_EQ(body_of(store_key("7")), "again");
  EXPECT_EQ(find(store_key("8")), nullptr);
}

// What was asked for before the purge arrives after it.
TEST_F(StorePurgeTest, ResponseThatIsBeingReceived_IsNotKept) {
  auto small = store_->begin(store_key("org.example/small"), store_head(), {});
  small->append("some");
  auto large = store_->begin(store_key("org.example/large"), store_head(), {});
  large->append(proven_body(1, 3 * kChunk));
  auto other = store_->begin(store_key("org.other/"), store_head(), {});
  other->append("other");
  ASSERT_TRUE(purge(PurgeScope::prefix("org.example/")));
  large->append("more");
  EXPECT_EQ(small->commit(), nullptr);
  EXPECT_EQ(large->commit(), nullptr);
  EXPECT_NE(other->commit(), nullptr);
  EXPECT_EQ(find(store_key("org.example/small")), nullptr);
  EXPECT_EQ(find(store_key("org.example/large")), nullptr);
}

TEST_F(StorePurgeTest, Metrics_CountIt) {
  put(store_key("a"), "1");
  purge(PurgeScope::key(store_key("a")));
  EXPECT_EQ(metric("outrider_store_purged_total"), 1);
}

// --- forget

TEST_F(StorePurgeTest, Forget_LeavesNoTraceInAnyFile) {
  const std::string canary = "CANARY-cf1a7";
  put_canary("org.example/" + canary, canary);
  put_canary("org.example/" + canary + "/large", canary, 3 * kChunk);
  put_canary("org.example/replaced", canary);
  put(store_key("org.example/replaced"), "by something harmless");
  put_canary("org.example/erased", canary);
  store_->erase(store_key("org.example/erased"));
  put(store_key("org.another/"), "stays");
  ASSERT_TRUE(flush());
  EXPECT_FALSE(files_with(canary).empty());

  PurgeScope scope = PurgeScope::prefix("org.example/");
  scope.forget = true;
  ASSERT_TRUE(purge(scope));
  EXPECT_EQ(files_with(canary), Files{});
  EXPECT_EQ(files_with("org.example"), Files{});
  EXPECT_EQ(body_of(store_key("org.another/")), "stays");
  reopen();
  EXPECT_EQ(files_with(canary), Files{});
  EXPECT_EQ(files_with("org.example"), Files{});
  EXPECT_EQ(body_of(store_key("org.another/")), "stays");
}

// A person's own copies, wherever they lie; what is everybody's and other people's stays.
TEST_F(StorePurgeTest, ForgetPerson_LeavesHisCopiesInNoFile) {
  const std::string canary = "CANARY-9e25";
  const SipKey secret{};
  const auto key = [&](const char* url, std::string_view partition) {
    const Url parsed = *Url::parse(url);
    return CacheKey::of(parsed, parsed.path_and_query(), partition, secret);
  };
  const std::vector<const char*> sites = {"https://a.example/x", "http://b.example:8080/", "https://anna.example/anna"};
  std::size_t length = 5000;
  for (const char* url : sites) {
    StoredHead head = store_head();
    head.response.headers.add("X-Secret", canary);
    put(key(url, "anna"), proven_body(1, length) + canary, head);
    put(key(url, "joanna"), "joanna's", store_head_with_vary("x", "1"));
    put(key(url, ""), "everybody's");
    length += 3 * kChunk;
  }
  auto arriving = store_->begin(key("https://c.example/", "anna"), store_head(), {});
  arriving->append(proven_body(2, 2 * kChunk) + canary);
  ASSERT_TRUE(flush());
  ASSERT_FALSE(files_with(canary).empty());
  PurgeScope scope = PurgeScope::of_person("anna");
  scope.forget = true;
  const auto report = purge(scope);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->entries, sites.size());
  EXPECT_EQ(arriving->commit(), nullptr);
  arriving.reset();  // the store goes
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(files_with(canary), Files{});
    for (const char* url : sites) {
      EXPECT_EQ(find(key(url, "anna")), nullptr);
      EXPECT_EQ(body_of(key(url, "joanna")), "joanna's");
      EXPECT_EQ(body_of(key(url, "")), "everybody's");
    }
    reopen();
  }
}

// … also what has gone through flushes and compactions of the index, and lies between others.
TEST_F(StorePurgeTest, Forget_ReachesWhatIsOldAndSpreadOut) {
  const std::string canary = "CANARY-5ca77e2ed";
  for (int i = 0; i < 3000; ++i) {
    if (i % 50 == 0) put_canary("org.example/" + std::to_string(i) + canary, canary);
    put(store_key("org.a" + std::to_string(i)), "x");
    put(store_key("org.f" + std::to_string(i)), "x");
    if (i % 1000 == 999) reopen();
  }
  PurgeScope scope = PurgeScope::prefix("org.example/");
  scope.forget = true;
  const auto report = purge(scope);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->entries, 60U);
  EXPECT_EQ(files_with(canary), Files{});
  EXPECT_EQ(files_with("org.example"), Files{});
  EXPECT_NE(find(store_key("org.a77")), nullptr);
  EXPECT_NE(find(store_key("org.f77")), nullptr);
}

TEST_F(StorePurgeTest, ForgetEverything_LeavesNoTrace) {
  const std::string canary = "CANARY-all";
  put_canary("org.example/" + canary, canary);
  ASSERT_TRUE(flush());
  PurgeScope scope = PurgeScope::all();
  scope.forget = true;
  ASSERT_TRUE(purge(scope));
  EXPECT_EQ(files_with(canary), Files{});
}

TEST_F(StorePurgeTest, Forget_StopsWhoeverIsReading_AndWhatIsArriving) {
  const std::string canary = "CANARY-ead17";
  put_canary("org.example/large", canary, 6 << 20);
  ASSERT_TRUE(flush());
  const EntryPtr reading = find(store_key("org.example/large"));
  auto arriving = store_->begin(store_key("org.example/arriving"), store_head(), {});
  std::string body = proven_body(2, 2 * kChunk);
  body.replace(1000, canary.size(), canary);
  arriving->append(body);
  ASSERT_TRUE(flush());
  EXPECT_FALSE(files_with(canary).empty());
  PurgeScope scope = PurgeScope::prefix("org.example/");
  scope.forget = true;
  ASSERT_TRUE(purge(scope));
  EXPECT_EQ(files_with(canary), Files{});
  EXPECT_EQ(read(reading->variants[0]), std::nullopt);
  EXPECT_EQ(arriving->commit(), nullptr);
}

// Extents that were written before a crash, but never got a record, are known to nobody. Forget finds them.
TEST_F(StorePurgeTest, Forget_FindsWhatACrashLeftBehind) {
  const std::string canary = "CANARY-c2a5h";
  auto writer = store_->begin(store_key("org.example/half"), store_head(), {});
  std::string body = proven_body(2, 2 * kChunk);
  body.replace(1000, canary.size(), canary);
  writer->append(body);
  ASSERT_TRUE(flush());
  writer.reset();  // too late for the copy
  crash();
  open();
  if (files_with(canary).empty()) GTEST_SKIP() << "skipped: the bytes were gone before the crash";
  put(store_key("org.another/"), "stays");
  PurgeScope scope = PurgeScope::prefix("org.example/");
  scope.forget = true;
  ASSERT_TRUE(purge(scope));
  EXPECT_EQ(files_with(canary), Files{});
  EXPECT_EQ(body_of(store_key("org.another/")), "stays");
}

// The records went, the process too, and the bodies had still to be taken out of their files, whichever they are in.
TEST_F(StorePurgeTest, Forget_FindsWhatACrashLeftInOldSegments) {
  const std::string canary = "CANARY-01d5e9";
  put_canary("org.example/old", canary, 500'000);
  for (int i = 0; i < 20; ++i) {
    put(store_key("org.another/" + std::to_string(i)), proven_body(1, 400'000));
    pace();
  }
  ASSERT_TRUE(flush());
  ASSERT_GT(store_->stats().segments, 3U);
  const auto bodies = directory_.path() / "bodies-before";
  std::filesystem::copy(folder() / "bodies", bodies);
  store_->erase(store_key("org.example/old"));
  ASSERT_TRUE(flush());
  crash();
  std::filesystem::copy(bodies, folder() / "bodies",
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove_all(bodies);
  open();
  ASSERT_EQ(find(store_key("org.example/old")), nullptr);
  ASSERT_NE(files_with(canary), Files{});
  PurgeScope scope = PurgeScope::prefix("org.example/");
  scope.forget = true;
  ASSERT_TRUE(purge(scope));
  EXPECT_EQ(files_with(canary), Files{});
  for (int i = 0; i < 20; ++i) EXPECT_NE(body_of(store_key("org.another/" + std::to_string(i))), std::nullopt) << i;
}

// What is arriving and stays is known to no record yet, and lies in a segment that is searched.
TEST_F(StorePurgeTest, ForgetByAge_LeavesWhatIsArriving) {
  put(store_key("org.example/replaced"), proven_body(1, 6 << 20));
  ASSERT_TRUE(flush());
  const EntryPtr reading = find(store_key("org.example/replaced"));
  ASSERT_TRUE(reading);
  auto arriving = store_->begin(store_key("org.example/arriving"), store_head(), {});
  const std::string body = proven_body(2, 5 << 20);
  arriving->append(std::string_view(body).substr(0, 4 << 20));
  ASSERT_TRUE(flush());
  put(store_key("org.example/replaced"), "by something");  // while it is being read: its segments are suspects
  ASSERT_TRUE(flush());
  PurgeScope scope = PurgeScope::prefix("org.example/");
  scope.received_before = store_head().response_time - 1h;
  scope.forget = true;
  ASSERT_TRUE(purge(scope));
  arriving->append(std::string_view(body).substr(4 << 20));
  ASSERT_NE(arriving->commit(), nullptr);
  arriving.reset();
  reopen();
  EXPECT_TRUE(body_of(store_key("org.example/arriving")) == body);
}

// A purge between the moment when memory knew of it and the moment when the queue did.
TEST_F(StorePurgeTest, CommittedBehindAnErasure_IsErasedAfterIt) {
  close();
  std::atomic<bool> wait = true;
  open(settings(), [&] {
    while (wait) std::this_thread::yield();
    return 0;
  });
  put(store_key("org.example/first"), "keeps the writer busy");
  while (store_->stats().queued_bytes > 0) std::this_thread::yield();
  store_->erase(store_key("org.example/a"));
  const std::uint64_t before = store_->stats().queued_bytes;
  store_->erase_variant(store_key("org.example/a"), 1);
  EXPECT_GT(store_->stats().queued_bytes, before);
  wait = false;
  close();  // before `wait` goes
  open();
}

}  // namespace
}  // namespace outrider
