// Where the program listens, and what it says when it cannot.
#include "tests/support/process.hpp"
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/test_origin.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace outrider::testing {
namespace {

using ::testing::StartsWith;
using testing_support::TemporaryDirectory;

// A port of one of our own origins: taken as long as it is there, free (nearly always) a moment later.
struct TakenPort {
  std::optional<TestOrigin> origin{std::in_place, [](RawSocket&) {}};
  const std::uint16_t number = origin->port();
};

// With one thread, and with several that share their port among themselves but with nobody else.
struct Listening : ::testing::TestWithParam<int> {
  std::vector<std::string> threads{"--set", fmt::format("proxy.threads={}", GetParam())};
};

TEST_P(Listening, TakenPort_IsAFailureInOneLine) {
  const TakenPort port;
  const TemporaryDirectory home;
  std::vector<std::string> arguments{"serve", "--data", home.path() / "data", "--listen",
                                     fmt::format("127.0.0.1:{}", port.number)};
  arguments.insert(arguments.end(), threads.begin(), threads.end());
  testing_support::ProcessOptions options;
  options.environment = {{"HOME", home.path()}, {"PATH", "/usr/bin:/bin"}};
  const auto result = testing_support::run_process(OUTRIDER_BINARY, arguments, options);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, fmt::format("outrider: cannot listen on 127.0.0.1:{}: Address already in use; another program "
                                    "listens there (choose another port with --listen)\n",
                                    port.number));
}

TEST_P(Listening, OnePortOfBothFamilies_OfAllAddresses) {
  TakenPort port;
  port.origin.reset();
  std::vector<std::string> arguments{"--set", fmt::format("proxy.listen=[\"0.0.0.0:{0}\",\"[::]:{0}\"]", port.number),
                                     "--set", "access.allow=[\"127.0.0.0/8\",\"::1\"]"};
  arguments.insert(arguments.end(), threads.begin(), threads.end());
  RunningOutrider outrider{arguments};
  RawSocket client = RawSocket::connect(port.number);
  client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(client.read_message(), StartsWith("HTTP/1.1 200 "));
}

INSTANTIATE_TEST_SUITE_P(Threads, Listening, ::testing::Values(1, 2));

}  // namespace
}  // namespace outrider::testing
