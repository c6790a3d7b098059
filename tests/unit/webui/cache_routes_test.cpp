#include "webui/routes.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider::webui {
namespace {

struct SomeCache final : CacheControl {
  Result<json::object> stats() const override { return json::object{}; }
  Result<json::object> purge(std::string_view question, WallTime) override {
    asked = question;
    if (broken) return Error{ErrorKind::io, Side::self, "its disk is off"};
    return json::object{{"entries", 1}, {"bytes", 2}};
  }
  Result<json::object> lookup(std::string_view, WallTime) override { return json::object{}; }
  std::string asked;
  bool broken = false;
};

struct SomeMemory final : MemoryControl {
  Result<json::object> forget(const json::object& question) override {
    asked = json::serialize(question);
    return json::object{{"pages", 3}};
  }
  std::string asked;
};

struct SomeRobot final : RobotControl {
  Result<json::object> forget(const json::object& question) override {
    asked = json::serialize(question);
    if (broken) return Error{ErrorKind::io, Side::self, "its frontier is off"};
    return json::object{{"urls", 4}};
  }
  std::string asked;
  bool broken = false;
};

struct SomeWatches final : PageWatches {
  Result<void> watch(std::string, std::optional<std::chrono::seconds>, std::string) override { return {}; }
  Result<void> unwatch(std::string_view url) override {
    std::erase_if(pages, [url](const WatchedPage& page) { return page.url == url; });
    return {};
  }
  std::vector<WatchedPage> watched() const override { return pages; }
  Result<void> look_now(std::string_view) override { return {}; }
  std::shared_ptr<void> on_news(std::function<void(const WatchNews&)>) override { return nullptr; }
  std::vector<WatchedPage> pages;
};

struct ForgetRouteTest : ::testing::Test {
  ForgetRouteTest() {
    ports.cache = &cache;
    ports.memory_control = &memory;
    ports.watches = &watches;
    ports.robot_control = &robot;
    add_cache_routes(router, ports, [this] { ++told; });
    for (const char* url :
         {"https://a.example/x", "https://www.a.example/", "https://ba.example/", "https://b.example/"}) {
      WatchedPage page;
      page.url = url;
      page.owner = watches.pages.empty() ? "anna" : "";
      watches.pages.push_back(std::move(page));
    }
  }
  ApiReply forget(std::string body) {
    ApiRequest request;
    request.body = std::move(body);
    return (*router.find(Method::post, "/api/v1/forget").handler)(request);
  }
  std::string watched() const {
    std::string all;
    for (const WatchedPage& page : watches.pages) all += page.url + " ";
    return all;
  }
  Ports ports;
  SomeCache cache;
  SomeMemory memory;
  SomeRobot robot;
  SomeWatches watches;
  Router router;
  int told = 0;
};

TEST_F(ForgetRouteTest, Site_IsForgottenByEverybody) {
  const ApiReply reply = forget(R"({"site": "a.example"})");
  EXPECT_EQ(reply.status, 200);
  const json::value report = json::parse(reply.body);
  EXPECT_EQ(report.at("cache").at("entries").as_int64(), 1);
  EXPECT_EQ(report.at("memory").at("pages").as_int64(), 3);
  EXPECT_EQ(report.at("robot").at("urls").as_int64(), 4);
  EXPECT_EQ(report.at("watches").as_int64(), 2);
  EXPECT_EQ(watched(), "https://ba.example/ https://b.example/ ");
  EXPECT_EQ(told, 1);
}

TEST_F(ForgetRouteTest, EachScope_EndsTheWatchesThatItMeans) {
  EXPECT_EQ(forget(R"({"url": "https://a.example/x#part"})").status, 200);
  EXPECT_EQ(watches.pages.size(), 3u);
  EXPECT_EQ(forget(R"({"prefix": "https://www.a.example/"})").status, 200);
  EXPECT_EQ(watches.pages.size(), 2u);
  EXPECT_EQ(forget(R"({"last": "1h"})").status, 200);
  EXPECT_EQ(watches.pages.size(), 2u) << "a watch is no visit";
  EXPECT_EQ(forget(R"({"all": true})").status, 200);
  EXPECT_TRUE(watches.pages.empty());
}

TEST_F(ForgetRouteTest, CacheThatFails_DoesNotKeepTheMemoryFromForgetting) {
  cache.broken = true;
  const ApiReply reply = forget(R"({"site": "a.example"})");
  EXPECT_GE(reply.status, 500);
  EXPECT_NE(reply.body.find("its disk is off"), std::string::npos);
  EXPECT_EQ(memory.asked, R"({"site":"a.example"})");
  EXPECT_EQ(watches.pages.size(), 2u);
}

TEST_F(ForgetRouteTest, RobotThatFails_DoesNotKeepTheOthersFromForgetting) {
  robot.broken = true;
  const ApiReply reply = forget(R"({"site": "a.example"})");
  EXPECT_GE(reply.status, 500);
  EXPECT_NE(reply.body.find("its frontier is off"), std::string::npos);
  EXPECT_NE(cache.asked, "");
  EXPECT_EQ(memory.asked, R"({"site":"a.example"})");
}

TEST_F(ForgetRouteTest, Person_IsForgottenByEverybody) {
  EXPECT_EQ(forget(R"({"user": "anna"})").status, 200);
  EXPECT_EQ(robot.asked, R"({"user":"anna"})");
  EXPECT_EQ(memory.asked, R"({"user":"anna"})");
  EXPECT_EQ(cache.asked, R"({"user":"anna","forget":true})");
  EXPECT_EQ(watches.pages.size(), 3u);
}

TEST_F(ForgetRouteTest, AnythingElse_IsRefused) {
  for (const char* body : {"", "{}", R"({"site": "a.example", "user": "anna"})", R"({"forget": true})"})
    EXPECT_EQ(forget(body).status, 400) << body;
  EXPECT_EQ(memory.asked, "");
}

}  // namespace
}  // namespace outrider::webui
