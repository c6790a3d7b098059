#include "proxy/own_site.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

class OwnSite : public testing::Test {
 protected:
  OwnSite() {
    context.client = address("127.0.0.1");
    context.local_address = address("127.0.0.1");
    context.local_port = 8282;
    context.version = "1.2.3";
    context.metrics = &metrics;
    metrics.counter("outrider_test_total", "A test.").add(7);
  }
  static IpAddress address(const char* text) { return boost::asio::ip::make_address(text); }

  Answer get(std::string_view path, std::string_view host = "127.0.0.1:8282", Method method = Method::get,
             std::string_view accept = "text/html") {
    RequestHead head;
    head.set_method(method);
    if (!host.empty()) head.headers.add(HeaderId::host, host);
    head.headers.add(HeaderId::accept, accept);
    return own_site_answer(head, path, context);
  }
  static std::string field(const Answer& answer, std::string_view name) {
    return std::string{answer.head.headers.find(name).value_or("(absent)")};
  }
  static bool contains(const Answer& answer, std::string_view text) {
    return answer.body.find(text) != std::string::npos;
  }

  Metrics metrics;
  OwnSiteContext context;
};

TEST_F(OwnSite, LandingPageTellsHowToUseTheProxy) {
  const Answer answer = get("/");
  EXPECT_EQ(answer.head.status, 200);
  EXPECT_EQ(field(answer, "Content-Type"), "text/html; charset=utf-8");
  EXPECT_TRUE(contains(answer, "http://127.0.0.1:8282/proxy.pac"));
  EXPECT_TRUE(contains(answer, "Outrider 1.2.3"));
  EXPECT_TRUE(contains(answer, "href=\"/metrics\""));
  EXPECT_EQ(field(answer, "Cache-Control"), "no-store");
  EXPECT_EQ(field(answer, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(field(answer, "Cross-Origin-Resource-Policy"), "same-origin");
  EXPECT_NE(field(answer, "Content-Security-Policy").find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(answer.body.find("<script"), std::string::npos);
}

// Browsers leave out the proxy for addresses of their own machine: a direct visit says nothing about the settings.
TEST_F(OwnSite, DirectVisit_TellsHowToFindOutWhetherTheProxyIsUsed) {
  const Answer answer = get("/");
  EXPECT_TRUE(contains(answer, "<h1>Outrider is running</h1>"));
  EXPECT_TRUE(contains(answer, "href=\"http://outrider.internal/\""));
  EXPECT_TRUE(contains(answer, "Set up your browser"));
  EXPECT_FALSE(contains(answer, "Your browser uses"));
}

TEST_F(OwnSite, VisitThroughTheProxy_SaysThatAllIsDone) {
  context.through_proxy = true;
  const Answer answer = get("/", "outrider.internal");
  EXPECT_TRUE(contains(answer, "<h1>Your browser uses Outrider</h1>"));
  EXPECT_TRUE(contains(answer, "<title>Your browser uses Outrider</title>"));
  EXPECT_TRUE(contains(answer, "127.0.0.1:8282"));
  EXPECT_FALSE(contains(answer, "Set up your browser"));
  EXPECT_FALSE(contains(answer, "href=\"http://outrider.internal/\"")) << "it is this page";
}

TEST_F(OwnSite, SmallPages) {
  EXPECT_EQ(get("/healthz").body, "ok\n");
  EXPECT_EQ(get("/healthz?x=1").body, "ok\n");
  EXPECT_EQ(field(get("/outrider.css"), "Content-Type"), "text/css; charset=utf-8");
  EXPECT_EQ(field(get("/favicon.ico"), "Content-Type"), "image/svg+xml");
  EXPECT_EQ(field(get("/favicon.svg"), "Content-Type"), "image/svg+xml");
  EXPECT_TRUE(contains(get("/errors"), "id=\"dns_failure\""));
}

TEST_F(OwnSite, HeadHasNoBody) {
  const Answer answer = get("/healthz", "localhost", Method::head);
  EXPECT_EQ(answer.head.status, 200);
  EXPECT_TRUE(answer.body.empty());
  EXPECT_EQ(field(answer, "Content-Length"), "3");
}

TEST_F(OwnSite, OtherMethodsAndPathsAreRefused) {
  for (const Method method : {Method::post, Method::put, Method::del, Method::options, Method::trace, Method::patch}) {
    const Answer answer = get("/", "localhost", method);
    EXPECT_EQ(answer.head.status, 405);
    EXPECT_EQ(field(answer, "Allow"), "GET, HEAD");
  }
  for (const char* path : {"/x", "", "//", "/healthz/", "/HEALTHZ", "/../healthz", "/%68ealthz", "*"})
    EXPECT_EQ(get(path).head.status, 404) << path;
}

TEST_F(OwnSite, OnlyOwnNamesAreAnswered) {
  for (const char* host : {"127.0.0.1", "127.0.0.1:8282", "localhost", "LocalHost:9999", "[::1]:8282", "127.9.9.9",
                           "outrider.internal", "Outrider.Internal.:80"})
    EXPECT_EQ(get("/healthz", host).head.status, 200) << host;
  // DNS rebinding: a foreign name, or an address that is not ours.
  for (const char* host :
       {"evil.example", "evil.example:8282", "127.0.0.1.evil.example", "localhost.evil.example", "localhost.",
        "10.0.0.1", "0.0.0.0:8282", "[::2]", "outrider.internal.evil.example", "outrider", "127.0.0.1, evil", "[::1",
        "]", ":8282", "user@localhost", "2130706433", "0x7f.1", "localhost/", "localhost\\"})
    EXPECT_EQ(get("/healthz", host).head.status, 403) << host;
}

TEST_F(OwnSite, ForeignNameIsRefusedForEveryPage) {
  for (const char* path : {"/", "/healthz", "/metrics", "/proxy.pac", "/errors", "/outrider.css", "/nothing"})
    EXPECT_EQ(get(path, "evil.example").head.status, 403) << path;
  EXPECT_EQ(get("/", "<b>evil</b>").body.find("<b>"), std::string::npos);
}

TEST_F(OwnSite, WithoutHostItIsNoBrowser) {
  EXPECT_EQ(get("/healthz", "").head.status, 200);  // HTTP/1.0 health checks
}

TEST_F(OwnSite, AddressOfTheConnectionAndConfiguredNamesAreOwn) {
  context.local_address = address("192.168.1.5");
  context.client = address("192.168.1.9");
  EXPECT_EQ(get("/healthz", "192.168.1.5:8282").head.status, 200);
  EXPECT_EQ(get("/healthz", "192.168.1.6:8282").head.status, 403);
  EXPECT_EQ(get("/healthz", "proxy.home.example").head.status, 403);
  const std::vector<std::string> names = {"proxy.home.example"};
  context.own_names = names;
  EXPECT_EQ(get("/healthz", "Proxy.Home.example:8282").head.status, 200);
}

TEST_F(OwnSite, DualStackListenerSeesMappedAddresses) {
  context.local_address = address("::ffff:192.168.1.5");
  context.client = address("::ffff:127.0.0.1");
  EXPECT_EQ(get("/healthz", "192.168.1.5").head.status, 200);
  EXPECT_EQ(get("/metrics", "192.168.1.5").head.status, 200);
}

TEST_F(OwnSite, MetricsAreForThisMachineOnly) {
  const Answer answer = get("/metrics");
  EXPECT_EQ(answer.head.status, 200);
  EXPECT_TRUE(contains(answer, "outrider_test_total 7"));
  EXPECT_EQ(field(answer, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* client : {"192.168.1.9", "8.8.8.8", "fe80::1", "::ffff:10.0.0.1", "2002:7f00:1::1"}) {
    context.client = address(client);
    EXPECT_EQ(get("/metrics").head.status, 403) << client;
    EXPECT_FALSE(contains(get("/"), "href=\"/metrics\"")) << client;
  }
  context.client = address("127.0.0.1");
  context.metrics = nullptr;
  EXPECT_EQ(get("/metrics").head.status, 404);
}

TEST_F(OwnSite, PacFileNamesTheAddressThatTheClientUsed) {
  EXPECT_TRUE(contains(get("/proxy.pac", "localhost:9000"), "\"PROXY localhost:9000; DIRECT\""));
  EXPECT_TRUE(contains(get("/proxy.pac", "127.0.0.1"), "\"PROXY 127.0.0.1:80; DIRECT\""));
  EXPECT_TRUE(contains(get("/proxy.pac", "outrider.internal"), "\"PROXY 127.0.0.1:8282; DIRECT\""));
  EXPECT_TRUE(contains(get("/proxy.pac", ""), "\"PROXY 127.0.0.1:8282; DIRECT\""));
  EXPECT_EQ(field(get("/proxy.pac"), "Content-Type"), "application/x-ns-proxy-autoconfig");
}

TEST_F(OwnSite, SharedProxyIsNotBypassedByThePacFile) {
  context.local_address = address("2001:db8::5");
  const Answer answer = get("/proxy.pac", "[2001:db8::5]:8282");
  EXPECT_TRUE(contains(answer, "\"PROXY [2001:db8::5]:8282\""));
  EXPECT_FALSE(contains(answer, "; DIRECT\""));
}

TEST_F(OwnSite, ThroughTheProxyTheHostFieldIsNotAsked) {
  context.through_proxy = true;
  const Answer answer = get("/proxy.pac", "whatever.example");
  EXPECT_TRUE(contains(answer, "PROXY 127.0.0.1:8282"));
  EXPECT_FALSE(contains(answer, "whatever"));
}

TEST_F(OwnSite, OwnHostInAnyCase) {
  EXPECT_TRUE(is_own_host("outrider.internal"));
  EXPECT_TRUE(is_own_host("OUTRIDER.internal."));
  EXPECT_FALSE(is_own_host("outrider.internal.."));
  EXPECT_FALSE(is_own_host("x.outrider.internal"));
  EXPECT_FALSE(is_own_host(""));
}

}  // namespace
}  // namespace outrider
