// Pages that plugins change, over HTTP/1 and HTTP/2 alike, inside tunnels that are opened up.
#include "tests/support/running_outrider.hpp"
#include "tests/support/tls_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace outrider {
namespace {

using ::testing::HasSubstr;
using testing::run_task;
using testing::SiteAnswer;
using testing::SiteRequest;
using testing::Speaks;

const std::string& long_page() {
  static const std::string page = [] {
    std::string text = "<html><head><title>t</title></head><body>";
    for (int i = 0; i < 40'000; ++i) text += "<p>Line " + std::to_string(i) + " of a <b>long</b> page.</p>\n";
    return text + "</body></html>";
  }();
  return page;
}

SiteAnswer reply(const SiteRequest&) {
  SiteAnswer answer;
  answer.headers.add("Content-Type", "text/html; charset=utf-8");
  answer.headers.add("Cache-Control", "no-store");
  answer.headers.add("ETag", "\"x\"");
  answer.body = long_page();
  return answer;
}

struct PluginsOverHttps : ::testing::TestWithParam<Speaks> {
  testing::TestCa ca;
  std::string ca_file = ::testing::TempDir() + "outrider-plugins-ca-" + std::to_string(::getpid()) + ".pem";
  testing::TlsSite site{ca, Speaks::http2, reply};
  Reactor reactor;

  void SetUp() override { std::ofstream{ca_file} << ca.pem(); }
  void TearDown() override { std::remove(ca_file.c_str()); }
  SiteAnswer get(const std::string& destination) {
    const std::string plugin = (std::filesystem::path{OUTRIDER_BINARY}.parent_path() / "unruly.so").string();
    testing::RunningOutrider outrider{{"--set", "tls.intercept=all", "--set", "tls.intercept_ports=[\"*\"]", "--set",
                                       "tls.origin_ca_file=" + ca_file, "--set", "plugins.load=" + plugin, "--set",
                                       "plugins.patience=30s", "--set", "plugins.budget=10s"}};
    testing::TlsPeer peer{reactor, outrider.port(), site.port(), GetParam()};
    const Result<void> connected = run_task(reactor, peer.connect());
    if (!connected) throw std::runtime_error{connected.error().to_string()};
    SiteRequest request;
    request.headers.add("Sec-Fetch-Dest", destination);
    return run_task(reactor, peer.ask(std::move(request)));
  }
};

TEST_P(PluginsOverHttps, LongPage_IsChangedThroughout) {
  const SiteAnswer answer = get("document");
  ASSERT_FALSE(answer.failed);
  EXPECT_EQ(answer.status, 200);
  std::string expected = long_page();
  expected.insert(expected.find("</head>"), "<script src=\"/x.js\"></script>");
  for (std::size_t at = 0; (at = expected.find("<b>", at)) != std::string::npos; at += 3)
    expected.insert(at + 3, "[bold]");
  EXPECT_TRUE(answer.body == expected) << answer.body.size() << " instead of " << expected.size();
  EXPECT_FALSE(answer.headers.has("Content-Length"));
  EXPECT_THAT(std::string{answer.headers.find("ETag").value_or("")}, HasSubstr("W/\"x+or."));
}

TEST_P(PluginsOverHttps, Frame_PassesUntouched) {
  const SiteAnswer answer = get("iframe");
  EXPECT_TRUE(answer.body == long_page());
  EXPECT_EQ(answer.headers.find("ETag"), "\"x\"");
}

INSTANTIATE_TEST_SUITE_P(Clients, PluginsOverHttps, ::testing::Values(Speaks::http1, Speaks::http2),
                         [](const auto& test) { return test.param == Speaks::http2 ? "Http2" : "Http1"; });

}  // namespace
}  // namespace outrider
