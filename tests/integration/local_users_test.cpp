// Other accounts of this machine: they may use the proxy, but what it knows about its person is not theirs, nor are its
// switches.
#include "tests/support/raw_socket.hpp"
#include "tests/support/running_outrider.hpp"
#include "tests/support/test_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>

namespace outrider::testing {
namespace {

using ::testing::StartsWith;

constexpr uid_t kNobody = 65534;

struct LocalUsers : ::testing::Test {
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  }
  // A socket belongs to whoever the thread was when it made it.
  static std::string ask(const RunningOutrider& outrider, uid_t user, const std::string& request,
                         const std::string& body = "") {
    const std::string address = "127.0.0.1:" + std::to_string(outrider.port());
    ::setfsuid(user);
    RawSocket socket = RawSocket::connect(outrider.port());
    ::setfsuid(0);
    socket.send(request + " HTTP/1.1\r\nHost: " + address + "\r\nOrigin: http://" + address +
                "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    return socket.read_message();
  }
  static const std::vector<std::pair<std::string, std::string>>& personal() {
    static const std::vector<std::pair<std::string, std::string>> all{
        {"GET /plugins/rearmirror/events", ""},
        {"GET /plugins/rearmirror/mirror?url=http%3A%2F%2Fa.example%2F", ""},
        {"POST /plugins/hyperscout/switch", "site=a.example&on=0"},
        {"POST /plugins/hyperscout/copy", "url=http://a.example/"},
        {"POST /plugins/linkcheck/check", "url=http://a.example/"},
        {"POST /interception", "accept=yes"}};
    return all;
  }
};

TEST_F(LocalUsers, AnotherAccount_SeesAndSwitchesNothing) {
  RunningOutrider outrider{{"--set", "tls.intercept=onboarded"}};
  for (const auto& [request, body] : personal()) {
    EXPECT_THAT(ask(outrider, kNobody, request, body), StartsWith("HTTP/1.1 403")) << request;
    EXPECT_THAT(ask(outrider, 0, request, body), Not(StartsWith("HTTP/1.1 403"))) << request;
  }
}

TEST_F(LocalUsers, WhereAllAreTrusted_AnotherAccountIsAsGood) {
  RunningOutrider outrider{{"--set", "tls.intercept=onboarded", "--set", "access.local_users=all"}};
  for (const auto& [request, body] : personal())
    EXPECT_THAT(ask(outrider, kNobody, request, body), Not(StartsWith("HTTP/1.1 403"))) << request;
}

TEST_F(LocalUsers, AnotherAccount_UsesTheProxy) {
  TestOrigin origin{TestOrigin::answering(
      [](const std::string&) { return std::string{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"}; })};
  RunningOutrider outrider;
  EXPECT_THAT(ask(outrider, kNobody, "GET " + origin.url("/")), StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace outrider::testing
