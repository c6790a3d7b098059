// Where the running program does not go, and what it says about it.
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"

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

}  // namespace
}  // namespace outrider::testing
