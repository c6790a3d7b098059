#include "proxy/settings.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(ListenAddress, HostsAndPorts_AreAccepted) {
  const auto expect = [](std::string_view text, std::string_view host, int port) {
    const auto parsed = parse_listen_address(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->host, host);
    EXPECT_EQ(parsed->port, port);
  };
  expect("127.0.0.1:8282", "127.0.0.1", 8282);
  expect("0.0.0.0:0", "0.0.0.0", 0);
  expect("[::1]:65535", "::1", 65535);
  expect("localhost:80", "localhost", 80);
  expect("proxy-1.example.com:1", "proxy-1.example.com", 1);
}

TEST(ListenAddress, AnythingElse_IsRefusedWithAnExample) {
  for (const char* wrong : {"",
                            ":",
                            ":80",
                            "127.0.0.1",
                            "127.0.0.1:",
                            "127.0.0.1:65536",
                            "127.0.0.1:-1",
                            "127.0.0.1:80x",
                            "::1:80",
                            "[::1]",
                            "[::1:80",
                            "[127.0.0.1]:80",
                            "1.2.3:80",
                            "256.0.0.1:80",
                            "*:80",
                            "a b:80",
                            "-a:80",
                            "a/b:80",
                            "[]:80",
                            "user@host:80"}) {
    const auto parsed = parse_listen_address(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().kind, ErrorKind::invalid_argument);
    EXPECT_NE(parsed.error().detail.find("\"127.0.0.1:8282\""), std::string::npos);
  }
}

}  // namespace
}  // namespace outrider
