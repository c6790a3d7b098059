// The end of the running program, and what becomes of those who are still being served.
#include "tests/support/process.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/test_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <boost/json.hpp>

#include <map>
#include <sstream>
#include <thread>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;
using testing_support::read_text;
using testing_support::TemporaryDirectory;

// The lines of the access log by the path of their URL ("host:port" for CONNECT).
std::map<std::string, boost::json::object> logged(const std::filesystem::path& file) {
  std::map<std::string, boost::json::object> records;
  std::istringstream lines{read_text(file)};
  for (std::string line; std::getline(lines, line);) {
    boost::json::object record = boost::json::parse(line).as_object();
    const std::string url{record.at("url").as_string()};
    const std::size_t scheme = url.find("://");
    records[scheme == std::string::npos ? url : url.substr(url.find('/', scheme + 3))] = std::move(record);
  }
  return records;
}

struct Shutdown : ::testing::Test {
  TemporaryDirectory folder;
  const std::filesystem::path log = folder.path() / "access.log";
  // Answers /kept, begins an answer to /begun, gives none to anything else, and then hangs; tunnels are echoed.
  TestOrigin origin{[](RawSocket& socket) {
    const std::string request = socket.read_some();
    if (request.find(" /begun ") != std::string::npos)
      socket.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789");
    if (request.find(" /kept ") != std::string::npos)
      socket.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Length: 4\r\n\r\nkept");
    if (!request.starts_with("GET ")) socket.send(request);
    while (!socket.read_some(600s).empty()) {
    }
  }};

  std::vector<std::string> settings(const std::string& drain) const {
    return {"--set", "timeouts.drain=" + drain,        "--set", "access_log.format=json",
            "--set", "access_log.file=" + log.string()};
  }
  static bool accepts(const RunningOutrider& outrider) {
    try {
      RawSocket::connect(outrider.port());
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }
  static bool ends(const RunningOutrider& outrider) {
    for (int i = 0; i < 2000 && outrider.alive(); ++i) std::this_thread::sleep_for(5ms);
    return !outrider.alive();
  }
  std::string get(const std::string& path) const { return "GET " + origin.url(path) + " HTTP/1.1\r\nHost: x\r\n\r\n"; }
};

TEST_F(Shutdown, ExchangesThatAreCutOff_AreInTheAccessLog) {
  RunningOutrider outrider{settings("100ms")};
  RawSocket begun = RawSocket::connect(outrider.port());
  begun.send(get("/begun"));
  EXPECT_THAT(begun.read_message(true), StartsWith("HTTP/1.1 200 "));
  RawSocket tunnel = RawSocket::connect(outrider.port());
  tunnel.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(tunnel.read_message(true), StartsWith("HTTP/1.1 200 "));
  tunnel.send("hello");
  EXPECT_EQ(tunnel.read_some(), "hello");
  RawSocket waiting = RawSocket::connect(outrider.port());
  const std::size_t before = origin.connections();
  waiting.send(get("/waiting"));
  while (origin.connections() == before) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(outrider.stop(), 0);

  auto records = logged(log);
  ASSERT_EQ(records.size(), 3U) << read_text(log);
  EXPECT_EQ(records["/begun"]["status"], 200);
  EXPECT_EQ(records["/begun"]["bytes_out"], 10);
  EXPECT_EQ(records["/waiting"]["status"], 0);
  EXPECT_EQ(records[origin.authority()]["status"], 200);
  EXPECT_EQ(records[origin.authority()]["bytes_in"], 5);
  EXPECT_EQ(records[origin.authority()]["bytes_out"], 5);
  for (auto& [url, record] : records) EXPECT_EQ(record["error"], "cancelled") << url;
}

// What was kept a moment ago is there after the next start, and nothing has to be suspected.
TEST_F(Shutdown, CutOffExchange_DoesNotCostTheStoreItsOrderlyEnd) {
  RunningOutrider outrider{settings("10ms")};
  RawSocket begun = RawSocket::connect(outrider.port());
  begun.send(get("/begun"));
  EXPECT_THAT(begun.read_message(true), StartsWith("HTTP/1.1 200 "));
  RawSocket kept = RawSocket::connect(outrider.port());
  kept.send(get("/kept"));
  EXPECT_THAT(kept.read_message(), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(outrider.stop(), 0);
  EXPECT_THAT(read_text(outrider.data() / "cache" / "state"), Not(HasSubstr("writing")));

  outrider.start_again();
  RawSocket again = RawSocket::connect(outrider.port());
  again.send(get("/kept"));
  EXPECT_THAT(again.read_message(), HasSubstr("Cache-Status: Outrider; hit"));
}

// Whoever says it twice means it.
TEST_F(Shutdown, SecondSignal_EndsTheDrainAtOnce) {
  for (const int second : {SIGTERM, SIGINT}) {
    RunningOutrider outrider{settings("1h")};
    RawSocket begun = RawSocket::connect(outrider.port());
    begun.send(get("/begun"));
    EXPECT_THAT(begun.read_message(true), StartsWith("HTTP/1.1 200 "));
    outrider.signal(SIGTERM);
    while (accepts(outrider)) std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(outrider.alive()) << "it waits for the exchange";
    outrider.signal(second);
    const bool ended = ends(outrider);
    EXPECT_TRUE(ended) << "although the exchange could go on for an hour";
    if (!ended) outrider.signal(SIGKILL);
    EXPECT_EQ(outrider.stop(), 0);
    EXPECT_EQ(logged(log)["/begun"]["error"], "cancelled");
    std::filesystem::remove(log);
  }
}

}  // namespace
}  // namespace outrider::testing
