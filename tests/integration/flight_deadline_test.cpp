// Who shares a fetch (cache/flight.hpp) shares its bytes, not its time.
#include "tests/support/cache_stage.hpp"
#include "tests/support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

struct FlightDeadlines : ::testing::TestWithParam<int> {
  Gate gate;  // outlives the origin
  ScriptedOrigin origin;
  RunningOutrider outrider{{"--set", "proxy.threads=" + std::to_string(GetParam())}};

  void change(const std::string& settings) {
    std::string token = testing_support::read_text(outrider.data() / "admin-token");
    token.erase(token.find_last_not_of("\n") + 1);
    RawSocket socket = RawSocket::connect(outrider.port());
    socket.send("PATCH /api/v1/config HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(outrider.port()) +
                "\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(settings.size()) + "\r\n\r\n" + settings);
    EXPECT_THAT(socket.read_message(), ::testing::StartsWith("HTTP/1.1 200 "));
  }
  // Every thread has the new rules when many connections in a row meet the one that blocks `host`.
  void wait_until_blocked(const std::string& host) {
    for (int met = 0; met < 20;) met = get(outrider.port(), "http://" + host + "/").status == 403 ? met + 1 : 0;
  }
};
INSTANTIATE_TEST_SUITE_P(Threads, FlightDeadlines, ::testing::Values(1, 2));

// Who began it may have less time than who came later.
TEST_P(FlightDeadlines, DeadlineOfTheFirst_IsNotThatOfTheOthers) {
  const std::string whole = page(noise(100'000), kFresh);
  origin.talk("/a", [&](const auto&, RawSocket& socket) {
    socket.send(whole.substr(0, 1000));
    gate.wait();
    return socket.send(whole.substr(1000));
  });
  change(R"({"timeouts.total": "1s", "destinations.block": ["one.example"]})");
  wait_until_blocked("one.example");
  HttpPeer first{outrider.port()};
  first.send("GET", origin.url("/a"));
  EXPECT_EQ(first.head().status, 200);
  change(R"({"timeouts.total": null, "destinations.block": ["two.example"]})");
  wait_until_blocked("two.example");
  HttpPeer second{outrider.port()};
  second.send("GET", origin.url("/a"));
  EXPECT_EQ(second.head().status, 200);
  EXPECT_FALSE(first.answer().complete) << "its time is up";
  gate.open();
  const HttpAnswer answer = second.answer();
  EXPECT_TRUE(answer.complete);
  EXPECT_TRUE(answer.body == noise(100'000));
  EXPECT_EQ(origin.count("/a"), 1U);
}

}  // namespace
}  // namespace outrider::testing
