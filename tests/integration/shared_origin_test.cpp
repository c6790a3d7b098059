// One HTTP/2 connection to an origin for everybody in the house: browsers on all threads, and the robot.
#include "tests/support/process.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/tls_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <thread>

namespace outrider {
namespace {

using testing::run_task;
using testing::SiteAnswer;
using testing::SiteRequest;
using testing::Speaks;

// The robot's thread and the site's write to it.
class Log {
 public:
  void add(const std::string& path) {
    const std::lock_guard lock{mutex_};
    paths_.push_back(path);
  }
  bool has(const std::string& path) const {
    const std::lock_guard lock{mutex_};
    return std::find(paths_.begin(), paths_.end(), path) != paths_.end();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> paths_;
};

struct SharedOriginTest : ::testing::Test {
  testing::TestCa ca;
  std::string ca_file = ::testing::TempDir() + "outrider-shared-ca-" + std::to_string(::getpid()) + ".pem";
  Log asked;
  testing::TlsSite site{ca, Speaks::http2, [this](const SiteRequest& request) {
                          SiteAnswer answer;
                          if (request.path == "/robots.txt") answer.status = 404;
                          answer.headers.add("Cache-Control", "no-store");
                          answer.headers.add("Content-Type", "text/html");
                          answer.body = "<a href=\"/linked\">" + request.path + "</a>" + std::string(400'000, ' ');
                          asked.add(request.path);
                          return answer;
                        }};
  std::unique_ptr<testing::RunningOutrider> outrider;
  Reactor reactor;
  std::vector<std::unique_ptr<testing::TlsPeer>> browsers;

  void SetUp() override {
    std::ofstream{ca_file} << ca.pem();
    outrider = std::make_unique<testing::RunningOutrider>(std::vector<std::string>{
        "--set", "tls.intercept=all", "--set", "tls.intercept_ports=[\"*\"]", "--set", "tls.origin_ca_file=" + ca_file,
        "--set", "proxy.threads=4", "--set", "destinations.robot_allow=[\"127.0.0.0/8\"]", "--set", "robot.min_gap=0ms",
        "--set", "robot.address_gap=0ms"});
  }
  void TearDown() override { std::remove(ca_file.c_str()); }

  std::string url(const std::string& path) const { return "https://localhost:" + std::to_string(site.port()) + path; }
  // A connection of its own, on whichever thread the kernel chooses.
  void browse(const std::string& path) {
    browsers.push_back(std::make_unique<testing::TlsPeer>(reactor, outrider->port(), site.port(), Speaks::http2));
    const Result<void> connected = run_task(reactor, browsers.back()->connect());
    ASSERT_TRUE(connected) << connected.error().to_string();
    SiteRequest request;
    request.path = path;
    const SiteAnswer answer = run_task(reactor, browsers.back()->ask(std::move(request)));
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.body, ::testing::HasSubstr(">" + path + "<"));
    EXPECT_GT(answer.body.size(), 400'000U);
  }
  void crawl(const std::string& path) {
    std::string token = testing_support::read_text(outrider->data() / "admin-token");
    token.erase(token.find_last_not_of('\n') + 1);
    const std::string task = R"({"start": [")" + url(path) + R"("], "depth": 1})";
    testing::RawSocket socket = testing::RawSocket::connect(outrider->port());
    socket.send("POST /api/v1/tasks HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(outrider->port()) +
                "\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(task.size()) + "\r\n\r\n" + task);
    EXPECT_THAT(socket.read_message(), ::testing::StartsWith("HTTP/1.1 201 "));
  }
  void wait_for(const std::string& path) const {
    while (!asked.has(path)) std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
};

TEST_F(SharedOriginTest, BrowsersOnAllThreads_AndTheRobot_ShareOneConnection) {
  for (int i = 0; i < 24; ++i) browse("/page" + std::to_string(i));
  EXPECT_EQ(site.connections(), 1U);
  crawl("/start");
  wait_for("/linked");
  EXPECT_EQ(site.connections(), 1U);
}

TEST_F(SharedOriginTest, BrowserAfterTheRobot_SharesItsConnection) {
  crawl("/start");
  wait_for("/linked");
  for (int i = 0; i < 8; ++i) browse("/page" + std::to_string(i));
  EXPECT_EQ(site.connections(), 1U);
}

}  // namespace
}  // namespace outrider
