// Tasks that are kept apart (TaskSpec::apart): what goes out for them shows nothing of what is stored, what others
// learnt, or what people visited.
#include "tests/support/robot_stage.hpp"

#include <boost/json/object.hpp>

namespace outrider::testing {
namespace {

constexpr std::string_view kValidators = "ETag: \"1\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

TaskSpec apart(const RobotStage& stage, const std::string& path, std::string word = "x") {
  TaskSpec spec = stage.spec(path);
  spec.depth = 0;
  spec.prefetch = true;
  spec.apart = std::move(word);
  return spec;
}

// The head of the last request for it, without its first line.
std::string fields_for(RobotStage& stage, const std::string& path) {
  const std::string head = stage.origin.last(path).head;
  return head.substr(head.find("\r\n"));
}

TEST(RobotApart, WhatIsStored_DoesNotShowInTheRequest) {
  for (const bool is_fresh : {true, false}) {
    for (const bool head_only : {false, true}) {
      RobotStage stage;
      for (const char* path : {"/stored", "/new"})
        stage.origin.on(path,
                        page(head_only ? "" : "<p>page", "Content-Type: text/html\r\n" + std::string{kValidators} +
                                                             (is_fresh ? "Cache-Control: max-age=3600\r\n" : "")));
      stage.run(stage.spec("/stored"));
      for (const char* path : {"/stored", "/new"}) {
        TaskSpec spec = apart(stage, path);
        spec.head_only = head_only;
        spec.first_bytes = 1000;
        EXPECT_EQ(stage.run(spec).statistics.downloaded, 1u) << path;
      }
      EXPECT_EQ(stage.origin.count("/stored"), 2u);
      EXPECT_EQ(stage.origin.last("/stored").method, stage.origin.last("/new").method);
      EXPECT_EQ(fields_for(stage, "/stored"), fields_for(stage, "/new"));
    }
  }
}

TEST(RobotApart, WhatIsStored_Stays) {
  RobotStage stage;
  std::string answer = html("<p>the whole");
  stage.origin.on("/a", [&](const ScriptedOrigin::Request&) { return answer; });
  stage.run(stage.spec("/a"));
  for (const std::string& other :
       {html("<p>for strangers"), page("", "Cache-Control: no-store\r\n"),
        std::string{"HTTP/1.1 206 Part\r\nContent-Range: bytes 0-0/13\r\nContent-Length: 1\r\n"
                    "Cache-Control: max-age=3600\r\n\r\n<"},
        std::string{"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"}}) {
    answer = other;
    stage.run(apart(stage, "/a"));
    const std::size_t asked = stage.origin.count("/a");
    EXPECT_EQ(stage.run(stage.spec("/a")).statistics.cache_hits, 1u) << other;
    EXPECT_EQ(stage.origin.count("/a"), asked);
  }
}

// How a body is taken that is stored differs from how one is taken that is not.
TEST(RobotApart, WhatIsNotStored_IsNotAfterwardsEither) {
  RobotStage stage;
  stage.origin.on("/a", html("<p>page"));
  EXPECT_EQ(stage.run(apart(stage, "/a")).statistics.pages, 1u);
  EXPECT_EQ(stage.run(stage.spec("/a")).statistics.cache_hits, 0u);
}

TEST(RobotApart, WhatIsNotToBeKept_IsToldButNotRemembered) {
  RobotStage stage;
  stage.close();
  stage.with_memory = true;
  stage.open();
  const auto known = [&stage](const char* path) {
    const std::string url = stage.origin.url(path);
    const Result<std::optional<Node>> node = stage.memory().graph().page({url, "", StorageClass::open}, true);
    return node && *node ? (*node)->page.title : std::string{};
  };
  stage.origin.on("/a", html("<title>For people</title>"));
  stage.run(stage.spec("/a"));
  stage.origin.on("/a", html("<title>For strangers</title>"));
  stage.origin.on("/gone", page("x", "Content-Type: text/html\r\n"));
  for (const char* path : {"/a", "/gone"}) {
    TaskSpec spec = apart(stage, path);
    spec.keep = false;
    EXPECT_EQ(stage.run(spec).statistics.pages, 1u);
  }
  EXPECT_EQ(stage.pages(), (std::vector<std::string>{"/a", "/a", "/gone"}));
  EXPECT_EQ(known("/a"), "For people");
  EXPECT_EQ(known("/gone"), "");
  TaskSpec spec = apart(stage, "/missing");
  spec.keep = false;
  EXPECT_EQ(stage.run(spec).statistics.failed, 1u);
  stage.close();
  stage.open();
  EXPECT_FALSE(stage.memory().graph().page({stage.origin.url("/missing"), "", StorageClass::open}, false)->has_value());
}

TEST(RobotApart, RobotsTxt_IsAskedForByEachWord) {
  RobotStage stage;
  stage.origin.on("/a", html("<p>page"));
  stage.origin.on("/robots.txt", page("User-agent: *\nDisallow: /b\n", "Cache-Control: max-age=3600\r\n"));
  const auto asked = [&] { return stage.origin.count("/robots.txt"); };
  stage.close();
  stage.lab_hosts.clear();  // what is learnt in a laboratory is not written down
  stage.allow_private = true;
  stage.settings.min_gap = stage.settings.address_gap = std::chrono::milliseconds{1};
  stage.open();
  stage.run(stage.spec("/a"));
  EXPECT_EQ(asked(), 1u);
  stage.run(apart(stage, "/a", "x"));
  EXPECT_EQ(asked(), 2u);
  const TaskId forbidden = stage.submit(apart(stage, "/b", "x"));
  stage.finish(forbidden);
  EXPECT_EQ(stage.why_not(forbidden, "/b").reason, Reason::robots);
  EXPECT_EQ(asked(), 2u);
  stage.run(apart(stage, "/a", "y"));
  EXPECT_EQ(asked(), 3u);
  stage.run(stage.spec("/a"));
  EXPECT_EQ(asked(), 3u);
  ASSERT_TRUE(stage.robot().forget({{"site", "other.example"}}));
  stage.run(apart(stage, "/a", "x"));
  EXPECT_EQ(asked(), 4u) << "who forgets something begins anew";
}

TEST(RobotApart, RobotsTxtThatCannotBeHad_IsNoReasonToWait_NorForOthersToStop) {
  RobotStage stage;
  stage.origin.on("/a", html("<p>page"));
  stage.run(stage.spec("/a"));
  stage.origin.on("/robots.txt", "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n");
  const TaskId task = stage.submit(apart(stage, "/a"));
  stage.finish(task);
  EXPECT_EQ(stage.why_not(task, "/a").reason, Reason::robots);
  TaskSpec spec = stage.spec("/a");
  spec.check_memory = false;
  EXPECT_EQ(stage.run(spec).statistics.downloaded, 1u);
}

TEST(RobotApart, QueryThatAPersonHasLoadedSafely_IsLeftAloneAllTheSame) {
  RobotStage stage;
  stage.origin.on("/list?page=2", html("x"));
  stage.robot().saw_safe_query(stage.origin.url("/list?page=1"));
  TaskSpec ahead = stage.spec("/list?page=2");
  ahead.prefetch = true;
  EXPECT_EQ(stage.run(ahead).statistics.downloaded, 1u);
  const TaskId task = stage.submit(apart(stage, "/list?page=2"));
  EXPECT_EQ(stage.finish(task).statistics.downloaded, 0u);
  EXPECT_EQ(stage.why_not(task, "/list?page=2").detail, "has a query string");
}

TEST(RobotApart, ConnectionsAreThoseOfTheWord) {
  RobotStage stage;
  for (const char* path : {"/a", "/b", "/c", "/d"}) stage.origin.on(path, html("x"));
  stage.run(stage.spec("/a"));
  const std::size_t before = stage.origin.connections();
  stage.run(apart(stage, "/b", "x"));
  EXPECT_EQ(stage.origin.connections(), before + 1);
  stage.run(apart(stage, "/c", "x"));
  EXPECT_EQ(stage.origin.connections(), before + 1);
  stage.run(apart(stage, "/d", "y"));
  EXPECT_EQ(stage.origin.connections(), before + 2);
}

}  // namespace
}  // namespace outrider::testing
