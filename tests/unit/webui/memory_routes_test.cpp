#include "webui/routes.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <map>

namespace outrider::webui {
namespace {

// Knows redirects and nothing else.
struct Redirects final : Memory {
  Result<std::optional<Node>> node(const Viewer&, std::string_view url, bool, bool) const override {
    const auto found = to.find(std::string{url});
    if (found == to.end()) return std::optional<Node>{};
    Node node;
    node.url = url;
    node.redirects_to = found->second;
    return std::optional{std::move(node)};
  }
  Result<LinkPage> links_from(const Viewer&, std::string_view, const LinkQuery&) const override { return LinkPage{}; }
  Result<LinkPage> links_to(const Viewer&, std::string_view, const LinkQuery&) const override { return LinkPage{}; }
  Result<std::vector<Visit>> visits(const Viewer&, const VisitQuery&) const override { return std::vector<Visit>{}; }
  Result<std::vector<Visit>> trail(const Viewer&, VisitId, std::size_t) const override { return std::vector<Visit>{}; }
  Result<SearchAnswer> search(const Viewer&, const SearchRequest&) const override { return SearchAnswer{}; }
  Result<std::vector<MemoryEvent>> events(const Viewer&, EventCursor, std::size_t) const override {
    return std::vector<MemoryEvent>{};
  }
  EventCursor newest_event() const override { return 0; }
  MemoryStats stats() const override { return {}; }
  std::shared_ptr<void> on_events(std::function<void()>) override { return nullptr; }

  std::map<std::string, std::string> to;
};

struct NodeRouteTest : ::testing::Test {
  NodeRouteTest() {
    ports.memory = &memory;
    add_memory_routes(router, ports);
  }
  std::string chain(std::string_view url) {
    ApiRequest request;
    request.query = parse_query("url=" + std::string{url});
    const ApiReply reply = (*router.find(Method::get, "/api/v1/nodes").handler)(request);
    EXPECT_EQ(reply.status, 200);
    return json::serialize(json::parse(reply.body).at("redirect_chain"));
  }
  Ports ports;
  Redirects memory;
  Router router;
};

TEST_F(NodeRouteTest, Redirects_AreFollowedToTheEndOfWhatIsKnown) {
  memory.to = {{"http://a.example/", "http://b.example/"},
               {"http://b.example/", "http://c.example/"},
               {"http://page.example/", ""}};
  EXPECT_EQ(chain("http://a.example/"), R"(["http://b.example/","http://c.example/"])");
  EXPECT_EQ(chain("http://page.example/"), "[]");
}

TEST_F(NodeRouteTest, RedirectsInACircle_Or_WithoutEnd_EndSomewhere) {
  memory.to = {{"http://a.example/", "http://b.example/"}, {"http://b.example/", "http://a.example/"}};
  EXPECT_EQ(chain("http://a.example/"), R"(["http://b.example/","http://a.example/"])");
  for (int i = 0; i < 30; ++i)
    memory.to["http://" + std::to_string(i) + ".example/"] = "http://" + std::to_string(i + 1) + ".example/";
  EXPECT_NE(chain("http://0.example/").find("http://10.example/"), std::string::npos);
  EXPECT_EQ(chain("http://0.example/").find("http://11.example/"), std::string::npos);
}

}  // namespace
}  // namespace outrider::webui
