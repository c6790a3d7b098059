// One fetch, many readers (cache/flight.hpp): the real program with one, two and four reactors, so that readers are on
// the flight's own or on another.
#pragma once

#include "tests/support/cache_stage.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace outrider::testing {

inline std::string head_of(std::size_t length, const std::string& fields = kFresh) {
  return "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(length) + "\r\n\r\n";
}

inline std::string chunk(const std::string& bytes) {
  std::string text;
  for (std::size_t size = bytes.size(); size != 0; size /= 16) text.insert(text.begin(), "0123456789abcdef"[size % 16]);
  return text + "\r\n" + bytes + "\r\n";
}

struct FlightStage : ::testing::TestWithParam<int> {
  void SetUp() override { start({}); }
  void start(std::vector<std::string> settings) {
    settings.push_back("proxy.threads=" + std::to_string(GetParam()));
    stage.reset();
    stage = std::make_unique<CacheStage>(settings);
  }
  std::deque<HttpPeer> clients(std::size_t count, const std::string& target, const std::string& fields = "") {
    std::deque<HttpPeer> all;
    for (std::size_t i = 0; i < count; ++i) {
      all.emplace_back(stage->outrider.port());
      all.back().send("GET", stage->origin.url(target), fields);
    }
    return all;
  }
  // An origin that sends the first part of a body, waits for the gate and then sends the rest.
  void in_two_parts(const std::string& target, const std::string& body, std::size_t first, bool chunked = false) {
    stage->origin.talk(target, [=, this](const auto&, RawSocket& socket) {
      const std::string one = body.substr(0, first), two = body.substr(first);
      socket.send(chunked ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + kFresh + "\r\n" + chunk(one)
                          : head_of(body.size()) + one);
      gate.wait();
      return socket.send(chunked ? chunk(two) + "0\r\n\r\n" : two);
    });
  }
  Gate gate;  // outlives the stage
  std::unique_ptr<CacheStage> stage;
};

}  // namespace outrider::testing
