#include "webui/routes.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace outrider::webui {
namespace {

struct FewWatches final : PageWatches {
  Result<void> watch(std::string url, std::optional<std::chrono::seconds> every, std::string) override {
    if (url == "bad") return Error{ErrorKind::invalid_argument, Side::client, "not a URL"};
    WatchedPage page;
    page.url = std::move(url);
    page.every = every;
    pages.push_back(std::move(page));
    return {};
  }
  Result<void> unwatch(std::string_view url) override {
    const std::size_t gone = std::erase_if(pages, [url](const WatchedPage& page) { return page.url == url; });
    if (gone == 0) return Error{ErrorKind::not_found, Side::client, "nobody watches it"};
    return {};
  }
  std::vector<WatchedPage> watched() const override { return pages; }
  Result<void> look_now(std::string_view url) override {
    looked = url;
    return {};
  }
  std::shared_ptr<void> on_news(std::function<void(const WatchNews&)>) override { return nullptr; }

  std::vector<WatchedPage> pages;
  std::string looked;
};

struct WatchRoutesTest : ::testing::Test {
  WatchRoutesTest() {
    ports.watches = &watches;
    add_watch_routes(router, ports);
  }
  ApiReply ask(Method method, std::string_view path, std::string body = "", std::string_view query = "") {
    ApiRequest request;
    request.body = std::move(body);
    request.query = parse_query(query);
    return (*router.find(method, path).handler)(request);
  }
  Ports ports;
  FewWatches watches;
  Router router;
};

TEST_F(WatchRoutesTest, APageCanBeWatchedListedAndLetGo) {
  EXPECT_EQ(ask(Method::post, "/api/v1/watches", R"({"url": "http://a.example/", "every": 3600})").status, 201);
  const json::value list = json::parse(ask(Method::get, "/api/v1/watches").body);
  ASSERT_EQ(list.at("watches").as_array().size(), 1u);
  EXPECT_EQ(list.at("watches").at(0).at("url").as_string(), "http://a.example/");
  EXPECT_EQ(list.at("watches").at(0).at("every").as_int64(), 3600);
  EXPECT_TRUE(list.at("watches").at(0).at("last").is_null());
  EXPECT_EQ(ask(Method::post, "/api/v1/watches/look", "", "url=http://a.example/").status, 204);
  EXPECT_EQ(watches.looked, "http://a.example/");
  EXPECT_EQ(ask(Method::del, "/api/v1/watches", "", "url=http://a.example/").status, 204);
  EXPECT_EQ(ask(Method::del, "/api/v1/watches", "", "url=http://a.example/").status, 404);
}

TEST_F(WatchRoutesTest, NonsenseIsRefused) {
  for (const char* body :
       {"", "[]", "{}", R"({"url": 1})", R"({"url": "http://a.example/", "every": "x"})", R"({"url": "bad"})"})
    EXPECT_EQ(ask(Method::post, "/api/v1/watches", body).status, 400) << body;
  EXPECT_EQ(ask(Method::del, "/api/v1/watches").status, 400);
  EXPECT_TRUE(watches.pages.empty());
}

TEST_F(WatchRoutesTest, WithoutARobotItSaysSo) {
  ports.watches = nullptr;
  EXPECT_EQ(ask(Method::get, "/api/v1/watches").status, 503);
}

}  // namespace
}  // namespace outrider::webui
