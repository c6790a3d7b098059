// What never became an exchange, because it was no request or came at the wrong time, is counted and told all the same.
#include "tests/support/http_peer.hpp"
#include "tests/support/process.hpp"
#include "tests/support/running_outrider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <sstream>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using testing_support::read_text;
using testing_support::TemporaryDirectory;

struct RefusedRequests : ::testing::Test {
  TemporaryDirectory folder;
  const std::filesystem::path log = folder.path() / "access.log";
  std::unique_ptr<RunningOutrider> outrider;

  void start(std::vector<std::string> settings) {
    settings.insert(settings.end(), {"--set", "access_log.format=json", "--set", "access_log.file=" + log.string()});
    outrider = std::make_unique<RunningOutrider>(settings);
  }
  std::string answer_to(const std::string& bytes) const {
    RawSocket socket = RawSocket::connect(outrider->port());
    socket.send(bytes);
    return socket.read_message();
  }
  // The log is written to its end when the program stops.
  std::vector<boost::json::object> logged() {
    EXPECT_EQ(outrider->stop(), 0);
    std::vector<boost::json::object> records;
    std::istringstream lines{read_text(log)};
    for (std::string line; std::getline(lines, line);) records.push_back(boost::json::parse(line).as_object());
    return records;
  }
};

TEST_F(RefusedRequests, WhatTheParserRefuses_IsInTheAccessLog) {
  start({"--set", "timeouts.request_head=100ms"});
  const std::vector<std::pair<std::string, int>> wrong = {
      {"GET http://x/a HTTP/1.1\r\nHost x\r\n\r\n", 400},
      {"GET http://x/" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n", 414},
      {"GET http://x/a HTTP/1.1\r\nA: " + std::string(100'000, 'a') + "\r\n\r\n", 431},
      {"GET http://x/a HTTP/3.1\r\nHost: x\r\n\r\n", 505},
      {"GET http://x/a HTTP/1.1\r\nHost: x\r\n", 408}};
  std::vector<std::string> answers;
  for (const auto& [bytes, status] : wrong) {
    answers.push_back(answer_to(bytes));
    EXPECT_THAT(answers.back(), HasSubstr("HTTP/1.1 " + std::to_string(status))) << bytes.substr(0, 50);
  }
  const std::string metrics = answer_to("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(metrics, HasSubstr("outrider_exchanges_total{status=\"4xx\"} 4"));
  EXPECT_THAT(metrics, HasSubstr("outrider_exchanges_total{status=\"5xx\"} 1"));
  const std::vector<boost::json::object> records = logged();
  ASSERT_EQ(records.size(), wrong.size() + 1) << read_text(log);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_EQ(records[i].at("status"), wrong[i].second);
    EXPECT_EQ(records[i].at("client"), "127.0.0.1");
    EXPECT_TRUE(records[i].contains("error"));
    EXPECT_THAT(answers[i], HasSubstr(std::string{records[i].at("id").as_string()})) << "the page names it too";
  }
}

TEST_F(RefusedRequests, OneConnectionTooMany_IsInTheAccessLog) {
  start({"--set", "limits.connections=1"});
  RawSocket admitted = RawSocket::connect(outrider->port());
  admitted.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(admitted.read_message(), HasSubstr("200 OK"));
  EXPECT_THAT(answer_to(""), HasSubstr("HTTP/1.1 503 "));
  const std::vector<boost::json::object> records = logged();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].at("status"), 503);
  EXPECT_EQ(records[1].at("error"), "connection_limit_reached");
  EXPECT_EQ(records[1].at("client"), "127.0.0.1");
}

}  // namespace
}  // namespace outrider::testing
