#include "cache/store_codec.hpp"

#include "tests/support/store_fixture.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using testing::store_head;

StoreRecord sample() {
  StoreRecord record;
  record.visited = true;
  VariantRecord first;
  first.id = 0x0123456789abcdef;
  first.survived = 3;
  first.head = store_head();
  first.head.response.headers.add("Set-Cookie", "a=1");
  first.head.response.headers.add("set-cookie", "b=2");
  first.head.vary_request.add("accept-encoding", "gzip");
  first.head.vary_request.add("accept-language", "");
  first.head.body_length = kChunk + 5;
  first.extents = {{1, 4096, kChunk}, {2, 0, 5}};
  VariantRecord second;
  second.id = 2;
  second.head = store_head("text/html");
  second.head.response.status = 206;
  second.head.response.version = HttpVersion::http10;
  second.head.range = StoredRange{100, 5000, false};
  second.head.scope = Scope::personal;
  second.head.invalidated = true;
  second.extents = {{3, 16, 0}};
  record.variants = {first, second};
  return record;
}

void expect_equal(const HeaderMap& a, const HeaderMap& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a.at(i).name, b.at(i).name);
    EXPECT_EQ(a.at(i).value, b.at(i).value);
    EXPECT_EQ(a.at(i).id, b.at(i).id);
  }
}

TEST(StoreCodec, Record_IsReadAsItWasWritten) {
  const StoreRecord before = sample();
  const auto after = decode_record(encode_record(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->visited, before.visited);
  ASSERT_EQ(after->variants.size(), before.variants.size());
  for (std::size_t i = 0; i < before.variants.size(); ++i) {
    const VariantRecord& a = after->variants[i];
    const VariantRecord& b = before.variants[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.survived, b.survived);
    EXPECT_EQ(a.extents, b.extents);
    EXPECT_EQ(a.head.response.status, b.head.response.status);
    EXPECT_EQ(a.head.response.reason, b.head.response.reason);
    EXPECT_EQ(a.head.response.version, b.head.response.version);
    expect_equal(a.head.response.headers, b.head.response.headers);
    expect_equal(a.head.vary_request, b.head.vary_request);
    EXPECT_EQ(a.head.request_time, b.head.request_time);
    EXPECT_EQ(a.head.response_time, b.head.response_time);
    EXPECT_EQ(a.head.body_length, b.head.body_length);
    EXPECT_EQ(a.head.range, b.head.range);
    EXPECT_EQ(a.head.scope, b.head.scope);
    EXPECT_EQ(a.head.invalidated, b.head.invalidated);
  }
}

TEST(StoreCodec, EveryShorterLength_IsRefused) {
  const std::string whole = encode_record(sample());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::unique_ptr<char[]> exact(new char[length]);
    std::copy_n(whole.data(), length, exact.get());
    EXPECT_FALSE(decode_record({exact.get(), length})) << length;
  }
}

TEST(StoreCodec, BytesAfterTheEnd_AreRefused) {
  EXPECT_FALSE(decode_record(encode_record(sample()) + "x"));
}

TEST(StoreCodec, AnotherVersion_IsRefused) {
  std::string bytes = encode_record(sample());
  bytes[0] = 3;
  EXPECT_FALSE(decode_record(bytes));
}

StoreRecord sole() {
  StoreRecord record = sample();
  record.variants.resize(1);
  record.variants[0].extents = {{7, 4096, 99}};
  record.variants[0].head.body_length = 99;
  return record;
}

// As it was written before the place came to the front.
std::string first_version(const StoreRecord& record) {
  std::string bytes = encode_record(record);
  bytes[0] = 1;
  return bytes.erase(2, 8);
}

TEST(StoreCodec, FirstVersion_IsStillRead) {
  for (const StoreRecord& record : {sample(), sole()}) {
    const auto read = decode_record(first_version(record));
    ASSERT_TRUE(read);
    EXPECT_EQ(encode_record(*read), encode_record(record));
  }
}

TEST(StoreCodec, SoleBody_IsSeenFromOutside) {
  for (const std::string& bytes : {encode_record(sole()), first_version(sole())}) {
    const auto seen = sole_body_of(bytes);
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->segment, 7U);
    EXPECT_EQ(seen->offset, 4096U);
    EXPECT_EQ(seen->variant, 0x0123456789abcdefU);
    EXPECT_EQ(seen->survived, 3);
    EXPECT_TRUE(seen->visited);
  }
  for (const std::string& bytes : {encode_record(sample()), first_version(sample()), std::string{}, std::string{"\2"}})
    EXPECT_FALSE(sole_body_of(bytes));
}

TEST(StoreCodec, Record_LastsAsLongAsOneOfItsVariants) {
  EXPECT_EQ(last_segment_of(encode_record(sole())), 7U);
  EXPECT_EQ(last_segment_of(first_version(sole())), 7U);
  EXPECT_EQ(last_segment_of(encode_record(sample())), 3U)
      << "the first variant in the segments 1 and 2, the other in 3";
  EXPECT_EQ(last_segment_of(first_version(sample())), 3U);
  for (const char* damaged : {"", "\1", "\2", "\2\1\3"}) EXPECT_EQ(last_segment_of(damaged), 0U);
}

TEST(StoreCodec, PlaceInFrontThatIsNotThatOfTheBody_IsRefused) {
  std::string bytes = encode_record(sole());
  ++bytes[2];
  EXPECT_FALSE(decode_record(bytes));
}

TEST(StoreCodec, VariantIsGone_WithTheFirstOfItsSegments) {
  const VariantRecord variant = sample().variants[0];  // in the segments 1 and 2
  EXPECT_FALSE(is_gone(variant, 1));
  EXPECT_TRUE(is_gone(variant, 2));
}

TEST(StoreCodec, ExtentsThatDoNotMakeUpTheBody_AreRefused) {
  StoreRecord record = sample();
  record.variants[0].extents.pop_back();
  EXPECT_FALSE(decode_record(encode_record(record)));
  record = sample();
  record.variants[0].extents[0].length = 1;
  EXPECT_FALSE(decode_record(encode_record(record)));
  record = sample();
  record.variants[1].extents.clear();
  EXPECT_FALSE(decode_record(encode_record(record)));
}

TEST(StoreCodec, WithoutVariants_IsRefused) {
  EXPECT_FALSE(decode_record(encode_record({})));
}

TEST(StoreCodec, SameKind_IsDecidedByVaryAndRange) {
  const StoreRecord record = sample();
  EXPECT_TRUE(same_kind(record.variants[0].head, record.variants[0].head));
  EXPECT_FALSE(same_kind(record.variants[0].head, record.variants[1].head));
  StoredHead other = record.variants[0].head;
  other.vary_request.set("accept-encoding", "br");
  EXPECT_FALSE(same_kind(record.variants[0].head, other));
  StoredHead changed = record.variants[0].head;
  changed.response.status = 404;
  changed.response.headers.add("X", "y");
  EXPECT_TRUE(same_kind(record.variants[0].head, changed));
}

}  // namespace
}  // namespace outrider
