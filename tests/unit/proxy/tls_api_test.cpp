#include "proxy/tls_api.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const WallTime kNow{std::chrono::seconds{1'790'000'000}};

struct TlsApiTest : ::testing::Test {
  PinnedHosts pinned;
  void pin(const std::string& host) {
    for (int i = 0; i < 2; ++i)
      pinned.refused(host, boost::asio::ip::make_address("127.0.0.1"), "no \"thanks\"\n", 1h, kNow);
  }
  Answer ask(std::string_view path, Method method = Method::get) {
    return tls_api_answer(path, method, pinned, kNow, AnswerFrame{});
  }
};

TEST_F(TlsApiTest, Entries_AreListedWithReasonAndEnd) {
  EXPECT_EQ(ask("/api/v1/tls/pinned").body, "{\"pinned\":[]}\n");
  pin("a.example");
  const Answer answer = ask("/api/v1/tls/pinned");
  EXPECT_EQ(answer.head.status, 200);
  EXPECT_EQ(answer.body,
            "{\"pinned\":[{\"host\":\"a.example\",\"client\":\"127.0.0.1\",\"reason\":\"no \\\"thanks\\\"\\n\","
            "\"since\":\"2026-09-21T14:13:20Z\",\"until\":\"2026-09-21T15:13:20Z\"}]}\n");
}

TEST_F(TlsApiTest, Entries_CanBeRemovedOneByOneOrAll) {
  for (const std::string host : {"a.example", "b.example", "c.example"}) pin(host);
  EXPECT_EQ(ask("/api/v1/tls/pinned/a.example", Method::del).body, "{\"removed\":1}\n");
  EXPECT_EQ(ask("/api/v1/tls/pinned/a.example", Method::del).body, "{\"removed\":0}\n");
  EXPECT_EQ(pinned.list(kNow).size(), 2U);
  EXPECT_EQ(ask("/api/v1/tls/pinned", Method::del).body, "{\"removed\":2}\n");
  EXPECT_TRUE(pinned.list(kNow).empty());
}

TEST_F(TlsApiTest, OtherMethodsAndPlaces_AreRefused) {
  pin("a.example");
  EXPECT_EQ(ask("/api/v1/tls/pinned", Method::post).head.status, 405);
  EXPECT_EQ(ask("/api/v1/tls/pinned/a.example").head.status, 405);
  for (const std::string_view path :
       {"/api/v1/tls/", "/api/v1/tls/other", "/api/v1/tls/pinned/", "/api/v1/tls/pinnedx"})
    EXPECT_EQ(ask(path, Method::del).head.status, 404) << path;
  EXPECT_EQ(pinned.list(kNow).size(), 1U);
}

}  // namespace
}  // namespace outrider
