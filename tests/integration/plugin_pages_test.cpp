// Link check and the rear mirror in the real program: with its robot, its memory and its own address.
#include "tests/support/process.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/test_origin.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <map>
#include <mutex>
#include <thread>

namespace outrider::testing {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string body_of(const std::string& message) {
  return message.substr(message.find("\r\n\r\n") + 4);
}

struct PluginPages : ::testing::Test {
  std::mutex mutex;
  std::map<std::string, std::string> pages;  // by path: the head's first line and fields, a blank line, the body
  std::vector<std::string> requests;         // "HEAD /x"
  TestOrigin origin{TestOrigin::answering([this](const std::string& request) {
    const std::lock_guard lock(mutex);
    const std::string line = request.substr(0, request.find(" HTTP/"));
    requests.push_back(line);
    const bool head = line.starts_with("HEAD ");
    const std::string path = line.substr(line.find(' ') + 1);
    if (head && path == "/no-head") return std::string{"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n"};
    const auto found = pages.find(path);
    if (found == pages.end()) return std::string{"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"};
    if (found->second.starts_with("HTTP/")) return found->second;
    const std::string fields = fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nCache-Control: max-age=600\r\nContent-Length: {}\r\n\r\n",
        found->second.size());
    return head ? fields : fields + found->second;
  })};
  void serve(const std::string& path, std::string page) {
    const std::lock_guard lock(mutex);
    pages[path] = std::move(page);
  }
  static std::vector<std::string> arguments(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"--set", "destinations.robot_allow=127.0.0.0/8",
                                 "--set", "robot.min_gap=0s",
                                 "--set", "robot.address_gap=0s",
                                 "--set", "robot.latency_factor=0",
                                 "--set", "plugins.patience=30s",
                                 "--set", "plugins.budget=10s",
                                 "--set", "plugins.rearmirror.renderer=none"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static std::string own(RunningOutrider& outrider, const std::string& request, const std::string& content = "",
                         const std::string& fields = "") {
    RawSocket socket = RawSocket::connect(outrider.port());
    const std::string whose = fields.empty() ? "Sec-Fetch-Site: same-origin\r\n" : fields;
    socket.send(fmt::format("{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}Content-Length: {}\r\n\r\n{}", request,
                            outrider.port(), whose, content.size(), content));
    return socket.read_message();
  }
  // Asks until the answer is as it should be; a minute is a hang.
  template <class Fits>
  static json::value until(RunningOutrider& outrider, const std::string& path, Fits fits) {
    json::value last;
    for (int i = 0; i < 600; ++i) {
      const std::string answer = own(outrider, "GET " + path);
      boost::system::error_code failed;
      last = json::parse(body_of(answer), failed);
      if (!failed && fits(last)) return last;
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    ADD_FAILURE() << path << " is still " << json::serialize(last);
    return last;
  }
  void visit(RunningOutrider& outrider, const std::string& url) const {
    RawSocket socket = RawSocket::connect(outrider.port());
    socket.send("GET " + url +
                " HTTP/1.1\r\nHost: x\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\n"
                "Sec-Fetch-User: ?1\r\nAccept: text/html\r\n\r\n");
    EXPECT_THAT(socket.read_message(), StartsWith("HTTP/1.1 200"));
  }
  std::string encoded(const std::string& path) const {
    std::string text;
    for (const char c : origin.url(path)) text += c == ':' ? "%3A" : c == '/' ? "%2F" : std::string{c};
    return text;
  }
};

const auto kEnded = [](const json::value& report) { return report.at("state").as_string() != "running"; };

std::string verdicts(const json::value& report) {
  std::map<std::string, std::string> sorted;
  for (const json::value& link : report.at("links").as_array()) {
    const std::string url{link.at("url").as_string()};
    sorted[url.substr(url.find('/', 8))] = std::string{link.at("verdict").as_string()};
  }
  std::string text;
  for (const auto& [path, verdict] : sorted) text += path + " " + verdict + "\n";
  return text;
}

TEST_F(PluginPages, LinkCheck_FindsWhatIsWrongAndKeepsIt) {
  serve("/", "<title>t</title><a href=/ok>o</a><a href=/gone>=1+1</a><a href=/moved>m</a><a href=/no-head>n</a>");
  serve("/ok", "fine");
  serve("/new", "new");
  serve("/no-head", "fine");
  serve("/moved", "HTTP/1.1 301 Moved\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n");
  RunningOutrider outrider{arguments()};
  EXPECT_THAT(own(outrider, "POST /plugins/linkcheck/check", "url=" + encoded("/"), "Origin: http://evil.example\r\n"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(own(outrider, "POST /plugins/linkcheck/check", "url=" + encoded("/")), StartsWith("HTTP/1.1 202"));
  const json::value report = until(outrider, "/plugins/linkcheck/reports/1.json", kEnded);
  EXPECT_EQ(report.at("state").as_string(), "finished") << json::serialize(report);
  EXPECT_EQ(verdicts(report), "/gone dead\n/moved moved\n/no-head ok\n/ok ok\n");
  {
    const std::lock_guard lock(mutex);
    EXPECT_THAT(requests, ::testing::Contains("HEAD /ok"));
    EXPECT_THAT(requests, ::testing::Not(::testing::Contains("GET /ok")));
    EXPECT_THAT(requests, ::testing::Contains("GET /no-head"));
  }
  EXPECT_THAT(own(outrider, "GET /plugins/linkcheck/reports/1.csv"), HasSubstr(",'=1+1\r\n"));
  EXPECT_EQ(outrider.stop(), 0);
  outrider.start_again();
  EXPECT_EQ(verdicts(until(outrider, "/plugins/linkcheck/reports/1.json", kEnded)),
            "/gone dead\n/moved moved\n/no-head ok\n/ok ok\n");
}

TEST_F(PluginPages, LinkCheck_ByCommand) {
  serve("/", "<a href=/a>a</a>");
  serve("/a", "<a href=/gone>g</a>");
  RunningOutrider outrider{arguments()};
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"linkcheck", origin.url("/"),
                                 "--data",    outrider.data().string(),
                                 "--address", fmt::format("127.0.0.1:{}", outrider.port()),
                                 "--config",  "/dev/null"};
    all.insert(all.end(), more.begin(), more.end());
    return testing_support::run_process(OUTRIDER_BINARY, all);
  };
  const testing_support::ProcessResult page = run({});
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("1 pages, 1 links: 0 dead"));
  const testing_support::ProcessResult site = run({"--site"});
  EXPECT_EQ(site.exit_code, 1);
  EXPECT_THAT(site.out, HasSubstr("dead               " + origin.url("/gone") + "  (status 404)"));
  EXPECT_THAT(run({"--site", "--csv"}).out, HasSubstr(origin.url("/gone") + ",dead,404,"));
  EXPECT_EQ(json::parse(run({"--json"}).out).at("state").as_string(), "finished");
  const testing_support::ProcessResult wrong = run({"--site", "--nonsense"});
  EXPECT_EQ(wrong.exit_code, 2);
}

TEST_F(PluginPages, RearMirror_FollowsAndShowsWhoLinks) {
  serve("/from", "<title>The source</title><meta property=og:image content=/i.png><p><a href=/to>these very words</a>");
  serve("/to", "<title>The target</title>");
  const std::string png = "\x89PNG\r\n\x1a\n and so on";
  serve("/i.png",
        fmt::format("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {}\r\n\r\n{}", png.size(), png));
  RunningOutrider outrider{arguments()};
  visit(outrider, origin.url("/from"));
  visit(outrider, origin.url("/to"));
  std::string events;
  for (int i = 0; i < 600 && events.find("/to\"") == std::string::npos; ++i) {
    events = own(outrider, "GET /plugins/rearmirror/events");
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  EXPECT_THAT(events, HasSubstr("\"url\":\"" + origin.url("/to") + "\""));
  const json::value mirror = until(outrider, "/plugins/rearmirror/mirror?url=" + encoded("/to"),
                                   [](const json::value& shown) { return !shown.at("hits").as_array().empty(); });
  EXPECT_EQ(mirror.at("hits").at(0).at("text").as_string(), "these very words");
  EXPECT_EQ(mirror.at("hits").at(0).at("title").as_string(), "The source");
  EXPECT_EQ(mirror.at("search").at("mode").as_string(), "off");
  // Without a renderer: the picture that the page names for itself.
  until(outrider, "/plugins/rearmirror/mirror?url=" + encoded("/to"),
        [](const json::value& shown) { return shown.at("hits").at(0).at("picture").as_string() == "ready"; });
  const std::string picture = own(outrider, "GET /plugins/rearmirror/picture?url=" + encoded("/from"));
  EXPECT_THAT(picture, HasSubstr("Content-Type: image/png\r\n"));
  EXPECT_EQ(body_of(picture), png);
  // HOSTILE: other sites do not read it.
  EXPECT_THAT(
      own(outrider, "GET /plugins/rearmirror/events", "", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: empty\r\n"),
      StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(own(outrider, "POST /plugins/rearmirror/search", "url=" + encoded("/to")), StartsWith("HTTP/1.1 403"));
}

// The results page is local, and told from its hits by its port.
TEST_F(PluginPages, RearMirror_AsksTheSearchEngineAndReadsTheHits) {
  TestOrigin others{TestOrigin::answering([this](const std::string& request) {
    const std::string text = request.starts_with("GET /hit ")
                                 ? "<title>A hit</title><a href='" + origin.url("/to") + "'>found you</a>"
                                 : std::string{"<title>Nothing</title>"};
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{}", text.size(), text);
  })};
  TestOrigin engine{TestOrigin::answering([&](const std::string& request) {
    if (request.starts_with("GET /robots.txt")) return std::string{"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"};
    EXPECT_THAT(request, StartsWith("GET /find?q=" + encoded("/to") + " HTTP"));
    const std::string text = "<a href=/settings>Settings</a><a href='" + others.url("/hit") + "'>A hit</a><a href='" +
                             others.url("/other") + "'>Another</a><a href='/next'>Next page</a>";
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{}", text.size(), text);
  })};
  serve("/to", "<title>The target</title>");
  RunningOutrider outrider{arguments({"--set", "plugins.rearmirror.search=ask", "--set",
                                      "plugins.rearmirror.search_url=" + engine.url("/find?q={url}")})};
  visit(outrider, origin.url("/to"));
  const std::string path = "/plugins/rearmirror/mirror?url=" + encoded("/to");
  until(outrider, path, [](const json::value& shown) {
    const json::value* open = shown.at("search").as_object().if_contains("open");
    return open != nullptr && open->is_bool() && open->get_bool();
  });
  EXPECT_EQ(engine.connections(), 0U) << "not before somebody wants it";
  EXPECT_THAT(own(outrider, "POST /plugins/rearmirror/search", "url=" + encoded("/to")), StartsWith("HTTP/1.1 202"));
  const json::value done = until(outrider, path, [](const json::value& shown) {
    return shown.at("search").at("stage").as_string() == "done" && !shown.at("hits").as_array().empty();
  });
  // The hit that links is in the memory now, and so it stands among the others.
  EXPECT_EQ(done.at("hits").at(0).at("url").as_string(), others.url("/hit"));
  EXPECT_EQ(done.at("hits").at(0).at("text").as_string(), "found you");
  ASSERT_EQ(done.at("search").at("hits").as_array().size(), 1U);
  EXPECT_EQ(done.at("search").at("hits").at(0).at("url").as_string(), others.url("/other"));
  EXPECT_FALSE(done.at("search").at("hits").at(0).at("links").as_bool());
}

}  // namespace
}  // namespace outrider::testing
