#include "webui/web_ui.hpp"

#include "plugins/api/robot_task_json.hpp"
#include "tests/support/scripted_memory.hpp"
#include "webui/assets.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>

#include <algorithm>

namespace outrider::webui {
namespace {

struct WebUiTest : ::testing::Test {
  test::ScriptedMemory memory;
  std::unique_ptr<WebUi> ui = connected(&memory);

  static std::unique_ptr<WebUi> connected(Memory* memory) {
    WebUi::Options options;
    options.tokens = {"admin", "reader"};
    options.ports.memory = memory;
    return std::make_unique<WebUi>(std::move(options));
  }
  static WebRequest request(std::string_view path, std::string_view query = "", Method method = Method::get) {
    WebRequest made;
    made.method = method;
    made.path = path;
    made.query = query;
    made.from_this_machine = true;
    made.host_is_ours = true;
    made.headers.add(HeaderId::authorization, "Bearer admin");
    return made;
  }
  WebAnswer ask(WebRequest made) {
    WebAnswer answer = ui->refusal(made);
    if (answer.status != 0) return answer;
    asio::io_context here{1};
    auto done = [&answer](const std::exception_ptr& failure, WebAnswer given) {
      EXPECT_FALSE(failure);
      answer = std::move(given);
    };
    asio::co_spawn(here.get_executor(), ui->answer(std::move(made)), std::move(done));
    here.run();
    return answer;
  }
  json::value body(std::string_view path, std::string_view query = "") {
    const WebAnswer answer = ask(request(path, query));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body);
  }
};

TEST_F(WebUiTest, EveryPlace_IsDocumented_AndNothingElseIs) {
  const json::value document = json::parse(find_asset("openapi.json")->bytes);
  std::vector<std::string> documented;
  for (const json::key_value_pair& path : document.at("paths").as_object())
    for (const json::key_value_pair& operation : path.value().as_object()) {
      std::string method{operation.key()};
      std::transform(method.begin(), method.end(), method.begin(), [](char c) { return static_cast<char>(c - 32); });
      documented.push_back(method + " " + std::string{path.key()});
    }
  std::vector<std::string> places = ui->router().listed();
  // Without the ports of the proxy these places do not exist here.
  std::erase_if(documented, [](const std::string& line) {
    return line.find("/onboarding") != std::string::npos || line.find("/tls/") != std::string::npos;
  });
  std::sort(places.begin(), places.end());
  std::sort(documented.begin(), documented.end());
  EXPECT_EQ(places, documented);
}

TEST_F(WebUiTest, EveryParameterOfATask_IsDocumented) {
  const json::value document = json::parse(find_asset("openapi.json")->bytes);
  const json::object& known = document.at("components").at("schemas").at("TaskSpec").at("properties").as_object();
  for (const json::key_value_pair& key : to_json(TaskSpec{})) EXPECT_TRUE(known.contains(key.key())) << key.key();
}

TEST_F(WebUiTest, WhatDoesNotExist_IsNotToldToStrangers) {
  WebRequest stranger = request("/api/v1/nowhere");
  stranger.headers.clear();
  EXPECT_EQ(ask(stranger).status, 403);
  EXPECT_EQ(ask(request("/api/v1/nowhere")).status, 404);
}

TEST_F(WebUiTest, OtherMethods_AreAnsweredWithTheAllowedOnes) {  // RFC 9110 section 15.5.6
  const WebAnswer answer = ask(request("/api/v1/nodes", "", Method::del));
  EXPECT_EQ(answer.status, 405);
  EXPECT_TRUE(std::any_of(answer.headers.begin(), answer.headers.end(), [](const auto& field) {
    return field == std::pair<std::string, std::string>{"Allow", "GET, HEAD"};
  }));
}

TEST_F(WebUiTest, APartThatIsNotConnected_SaysSo) {
  ui = connected(nullptr);
  const WebAnswer answer = ask(request("/api/v1/nodes", "url=http://a/"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.content_type, "application/problem+json");
  EXPECT_FALSE(body("/api/v1").at("parts").at("memory").as_bool());
}

TEST_F(WebUiTest, Node_IsFoundByItsAddress) {
  Node node;
  node.url = "http://a/?x=1&y=2";
  node.page.title = "<b>\"A\"</b>\n";
  memory.nodes.push_back(node);
  EXPECT_EQ(body("/api/v1/nodes", "url=http%3A%2F%2Fa%2F%3Fx%3D1%26y%3D2").at("page").at("title"), "<b>\"A\"</b>\n");
  EXPECT_EQ(ask(request("/api/v1/nodes", "url=http://b/")).status, 404);
  EXPECT_EQ(ask(request("/api/v1/nodes")).status, 400);
}

TEST_F(WebUiTest, Links_ComeInPagesByCursor) {
  for (int i = 0; i < 5; ++i) {
    KnownLink link;
    link.source = "http://a/";
    link.link.target = "http://b/" + std::to_string(i);
    memory.links.push_back(link);
  }
  std::string cursor;
  std::vector<std::string> targets;
  for (int pages = 0; pages < 3; ++pages) {
    const json::value page = body("/api/v1/links", "url=http://a/&direction=out&limit=2&cursor=" + cursor);
    for (const json::value& link : page.at("links").as_array()) targets.emplace_back(link.at("target").as_string());
    if (page.at("next").is_null()) break;
    cursor = page.at("next").as_string();
  }
  EXPECT_EQ(targets.size(), 5U);
  EXPECT_EQ(targets.back(), "http://b/4");
  EXPECT_EQ(ask(request("/api/v1/links", "url=http://a/&direction=up")).status, 400);
}

TEST_F(WebUiTest, Visits_ComeNewestFirst_InPagesByCursor) {
  for (VisitId id = 1; id <= 3; ++id) {
    Visit visit;
    visit.id = id;
    visit.came_from = id - 1;
    visit.url = "http://a/" + std::to_string(id);
    memory.visited.push_back(visit);
  }
  const json::value first = body("/api/v1/visits", "limit=2");
  EXPECT_EQ(first.at("visits").at(0).at("id"), "3");
  EXPECT_EQ(first.at("next"), "2");
  const json::value second = body("/api/v1/visits", "limit=2&cursor=2");
  EXPECT_EQ(second.at("visits").as_array().size(), 1U);
  EXPECT_TRUE(second.at("next").is_null());
  EXPECT_EQ(body("/api/v1/trail", "visit=3").at("trail").as_array().size(), 3U);
  EXPECT_EQ(ask(request("/api/v1/visits", "cursor=x")).status, 400);
  EXPECT_EQ(ask(request("/api/v1/trail")).status, 400);
}

TEST_F(WebUiTest, Search_HandsOnWordsAndPlace) {
  memory.answer.hits.resize(2);
  memory.answer.estimated_total = 9;
  const json::value found = body("/api/v1/search", "q=a+%22b+c%22&limit=2&cursor=4");
  EXPECT_EQ(memory.last_search.query, "a \"b c\"");
  EXPECT_EQ(memory.last_search.offset, 4U);
  EXPECT_EQ(found.at("next"), "6");
  EXPECT_EQ(ask(request("/api/v1/search", "q=")).status, 400);
}

TEST_F(WebUiTest, Page_IsServedWithItsPolicy_ButNotUnderAForeignName) {
  const WebAnswer page = ask(request("/monitor/"));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.body.find("<style"), std::string::npos);
  EXPECT_EQ(page.body.find(" style="), std::string::npos);
  WebRequest foreign = request("/monitor/");
  foreign.host_is_ours = false;
  EXPECT_EQ(ask(foreign).status, 403);
  EXPECT_EQ(ask(request("/monitor/../admin-token")).status, 404);
  EXPECT_EQ(ask(request("/monitor")).status, 308);
}

// A link to the monitor on a page that was opened through the proxy, as http://127.0.0.1:PORT/.
struct AliasTest : WebUiTest {
  static WebRequest by_alias(std::string_view path, Method method = Method::get) {
    WebRequest made = request(path, "", method);
    made.through_proxy = true;
    made.headers.add(HeaderId::accept, "text/html,application/xhtml+xml,*/*;q=0.8");
    return made;
  }
};

// HOSTILE, admin: whatever the alias, it is refused. A person is told where to go, and nothing of what was asked.
TEST_F(AliasTest, PersonIsToldOurOwnName) {
  WebRequest asked = by_alias("/monitor/x");
  asked.query = "token=secret";
  const WebAnswer answer = ask(asked);
  EXPECT_EQ(answer.status, 403);
  EXPECT_NE(answer.body.find("href=\"http://outrider.internal/monitor/\""), std::string::npos);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  asked.by_own_name = true;
  asked.path = "/monitor/";
  EXPECT_EQ(ask(asked).status, 200);
}

TEST_F(AliasTest, EverybodyElse_IsRefused) {
  EXPECT_EQ(ask(by_alias("/api/v1")).status, 403);
  EXPECT_EQ(ask(by_alias("/monitor/", Method::post)).status, 403);
  WebRequest foreign = by_alias("/monitor/");
  foreign.host_is_ours = false;
  EXPECT_EQ(ask(foreign).status, 403);
  WebRequest program = by_alias("/monitor/");
  program.headers.clear();
  EXPECT_EQ(ask(program).status, 403);
}

}  // namespace
}  // namespace outrider::webui
