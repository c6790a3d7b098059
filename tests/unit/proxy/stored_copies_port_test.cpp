#include "proxy/stored_copies_port.hpp"

#include "base/content_encoder.hpp"
#include "tests/support/store_fixture.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct StoredCopiesPortTest : testing::StoreFixture {
  StoredCopiesPortTest() {
    open();
    cache.store = store_.get();
  }
  void keep(std::string_view url, std::string_view body, StoredHead head = testing::store_head("image/png")) {
    const Url parsed = *Url::parse(url);
    put(CacheKey::of(parsed, parsed.path_and_query(), "", store_->secret()), body, std::move(head));
  }
  std::string found(std::string_view url, std::size_t most = 1000) {
    StoredCopiesPort port{cache};
    const std::optional<StoredCopy> copy = port.find(url, most);
    return copy ? copy->content_type + " " + copy->body : "nothing";
  }
  Metrics cache_metrics;
  CacheShared cache{cache_metrics};
};

TEST_F(StoredCopiesPortTest, WhatIsKept_IsFound_InMemoryAndOnDisk) {
  keep("http://a.example/x?y=1", "picture");
  EXPECT_EQ(found("http://a.example/x?y=1"), "image/png picture");
  ASSERT_TRUE(flush());
  reopen();
  cache.store = store_.get();
  EXPECT_EQ(found("http://a.example/x?y=1"), "image/png picture");
  EXPECT_EQ(found("http://a.example/x"), "nothing");
}

TEST_F(StoredCopiesPortTest, CodedBody_IsDecoded_ButNotBeyondTheLimit) {
  StoredHead head = testing::store_head("image/png");
  head.response.headers.add("Content-Encoding", "gzip");
  keep("http://a.example/small", encode_content(ContentCoding::gzip, "picture"), head);
  keep("http://a.example/large", encode_content(ContentCoding::gzip, std::string(5000, 'x')), head);
  EXPECT_EQ(found("http://a.example/small"), "image/png picture");
  EXPECT_EQ(found("http://a.example/large"), "nothing");
}

TEST_F(StoredCopiesPortTest, ErrorsPartsAndPersonalAnswers_AreNoCopies) {
  StoredHead error = testing::store_head(), part = testing::store_head(), personal = testing::store_head();
  error.response.status = 404;
  part.range = StoredRange{};
  personal.scope = Scope::personal;
  keep("http://a.example/1", "x", error);
  keep("http://a.example/2", "x", part);
  keep("http://a.example/3", "x", personal);
  for (const char* url : {"http://a.example/1", "http://a.example/2", "http://a.example/3"})
    EXPECT_EQ(found(url), "nothing") << url;
}

TEST_F(StoredCopiesPortTest, NoAddressOrNoStore_Nothing) {
  EXPECT_EQ(found("file:///etc/passwd"), "nothing");
  EXPECT_EQ(found("nonsense"), "nothing");
  cache.store = nullptr;
  EXPECT_EQ(found("http://a.example/"), "nothing");
}

}  // namespace
}  // namespace outrider
