// Where the running program does not go, and what it says about it.
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/test_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace outrider::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string answer_to(const RunningOutrider& outrider, const std::string& request_line) {
  RawSocket socket = RawSocket::connect(outrider.port());
  socket.send(request_line + " HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n");
  return socket.read_message();
}

// RFC 9209 section 2.3: destination_ip_prohibited is about the address; a rule about names or ports is about the
// request.
TEST(Destinations, RefusalByARule_IsARequestDenied) {
  const RunningOutrider outrider{
      {"--set", "destinations.block=blocked.example", "--set", "destinations.connect_ports=443"}};
  for (const char* request : {"GET http://blocked.example/", "CONNECT blocked.example:443", "CONNECT 127.0.0.1:22",
                              "GET http://www.example:25/"}) {
    const std::string answer = answer_to(outrider, request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 ")) << request;
    EXPECT_THAT(answer, HasSubstr("Proxy-Status: outrider; error=http_request_denied")) << request;
    EXPECT_THAT(answer, HasSubstr("A rule in the configuration")) << request;
  }
}

TEST(Destinations, RefusalOfAClassOfAddresses_IsAnAddressProhibited) {
  const RunningOutrider outrider{{"--set", "destinations.private=deny"}};
  for (const char* request : {"GET http://127.0.0.1/", "CONNECT 10.0.0.1:443"}) {
    const std::string answer = answer_to(outrider, request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 ")) << request;
    EXPECT_THAT(answer, HasSubstr("Proxy-Status: outrider; error=destination_ip_prohibited")) << request;
  }
}

// Nobody has opened what is drawn for a preview: the robot's rules hold for it, whatever a name resolves to.
TEST(Destinations, Preview_GoesWhereTheRobotMayGo) {
  const TestOrigin origin{TestOrigin::answering(
      [](const std::string&) { return std::string{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}; })};
  const std::string place = "localhost:" + std::to_string(origin.port());
  const std::string get = "GET http://" + place + "/", tunnel = "CONNECT " + place;
  const std::string preview = " HTTP/1.1\r\nSec-Purpose: prefetch;preview\r\nX-Rest:";
  const std::string drawn = " HTTP/1.1\r\nUser-Agent: Mozilla/5.0 OutriderPreview\r\nX-Rest:";
  const RunningOutrider outrider;
  EXPECT_THAT(answer_to(outrider, get), StartsWith("HTTP/1.1 200 "));  // and a connection that could be used again
  EXPECT_THAT(answer_to(outrider, get + preview), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(answer_to(outrider, tunnel + drawn), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(answer_to(outrider, tunnel), StartsWith("HTTP/1.1 200 "));
  const RunningOutrider open{{"--set", "destinations.robot_allow=127.0.0.0/8,::1"}};
  EXPECT_THAT(answer_to(open, get + preview), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace outrider::testing
