#include "cache/stored_response.hpp"

#include "tests/support/store_fixture.hpp"

namespace outrider {
namespace {

struct StoredResponseTest : testing::StoreFixture {
  BodyPtr keep(const std::string& body) {
    Store::BeginOptions options;
    options.expected_length = body.size();
    const auto writer = store_->begin(testing::store_key("k"), testing::store_head(), options);
    writer->append(body);
    return writer->commit()->body;
  }
};

TEST_F(StoredResponseTest, BlocksInMemory_AreGivenTogether) {
  open();
  const std::string body = testing::proven_body(1, 1'000'000);
  StoredResponse response(*store_);
  response.add({keep(body), 10, 900'000});
  std::string all{response.read_now()->value()};
  const std::span<const std::string_view> along = response.read_along();
  EXPECT_EQ(along.size(), 3U);
  for (const std::string_view piece : along) all += piece;
  EXPECT_TRUE(all == body.substr(10, 900'000));
  EXPECT_TRUE(response.read_now()->value().empty());
  EXPECT_TRUE(response.read_along().empty());
}

TEST_F(StoredResponseTest, NotMoreThanFitIntoOneCall) {
  open();
  const std::string body = testing::proven_body(2, 4'000'000);
  StoredResponse response(*store_);
  response.add({keep(body), 0, body.size()});
  std::string all;
  int calls = 0;
  for (std::string_view piece = response.read_now()->value(); !piece.empty(); piece = response.read_now()->value()) {
    all += piece;
    const std::span<const std::string_view> along = response.read_along();
    EXPECT_LE(along.size(), ExchangeResponse::kAlongAtMost);
    for (const std::string_view more : along) all += more;
    ++calls;
  }
  EXPECT_TRUE(all == body);
  EXPECT_EQ(calls, 3);
}

TEST_F(StoredResponseTest, WithoutABody_NothingComesAlong) {
  open();
  StoredResponse response(*store_);
  response.add({keep(testing::proven_body(3, 600'000)), 0, 600'000});
  response.headers_only = true;
  EXPECT_TRUE(response.read_now()->value().empty());
  EXPECT_TRUE(response.read_along().empty());
}

}  // namespace
}  // namespace outrider
