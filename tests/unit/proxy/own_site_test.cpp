#include "proxy/own_site.hpp"

#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

class OwnSite : public ::testing::Test {
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

  void make_authority() {
    authority = Authority::open(folder.path() / "ca", now).value();
    context.authority = authority.get();
    context.now = now;
  }

  Metrics metrics;
  const WallTime now{std::chrono::seconds{1'790'000'000}};
  outrider::testing::SecretFolder folder;
  std::shared_ptr<const Authority> authority;
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
  EXPECT_EQ(answer.body.find("<script>"), std::string::npos) << "no code in the page";
}

// Browsers leave out the proxy for addresses of their own machine: a direct visit says nothing about the settings.
TEST_F(OwnSite, DirectVisit_TellsHowToFindOutWhetherTheProxyIsUsed) {
  const Answer answer = get("/");
  EXPECT_TRUE(contains(answer, "<h1>Outrider is running</h1>"));
  EXPECT_TRUE(contains(answer, "href=\"http://outrider.internal/\""));
  EXPECT_TRUE(contains(answer, "1. Point your browser at Outrider"));
  EXPECT_FALSE(contains(answer, "Your browser uses"));
}

TEST_F(OwnSite, VisitThroughTheProxy_SaysThatAllIsDone) {
  context.through_proxy = true;
  const Answer answer = get("/", "outrider.internal");
  EXPECT_TRUE(contains(answer, "<h1>Your browser uses Outrider</h1>"));
  EXPECT_TRUE(contains(answer, "<title>Your browser uses Outrider</title>"));
  EXPECT_TRUE(contains(answer, "127.0.0.1:8282"));
  EXPECT_FALSE(contains(answer, "1. Point your browser at Outrider"));
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
  for (const char* host : {"127.0.0.1", "127.0.0.1:8282", "localhost", "LocalHost:9999", "[::1]:8282", "127.9.9.9"})
    EXPECT_EQ(get("/healthz", host).head.status, 200) << host;
  // DNS rebinding: a foreign name, or an address that is not ours.
  for (const char* host :
       {"evil.example", "evil.example:8282", "127.0.0.1.evil.example", "localhost.evil.example", "localhost.",
        "10.0.0.1", "0.0.0.0:8282", "[::2]", "outrider.internal.evil.example", "outrider", "127.0.0.1, evil", "[::1",
        "]", ":8282", "user@localhost", "2130706433", "0x7f.1", "localhost/", "localhost\\",
        // Ours, but nobody finds us directly by it unless some resolver says so.
        "outrider.internal", "Outrider.Internal.:80"})
    EXPECT_EQ(get("/healthz", host).head.status, 403) << host;
  context.through_proxy = true;
  for (const char* host : {"outrider.internal", "Outrider.Internal.:80"})
    EXPECT_EQ(get("/healthz", host).head.status, 200) << host;
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
  EXPECT_TRUE(contains(get("/proxy.pac", ""), "\"PROXY 127.0.0.1:8282; DIRECT\""));
  context.through_proxy = true;
  EXPECT_TRUE(contains(get("/proxy.pac", "outrider.internal"), "\"PROXY 127.0.0.1:8282; DIRECT\""));
  context.through_proxy = false;
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

TEST_F(OwnSite, Onboarding_OffersTheAuthorityInEveryFormat) {
  make_authority();
  const Answer page = get("/");
  EXPECT_TRUE(contains(page, authority->name()));
  EXPECT_TRUE(contains(page, "Allow Outrider to open HTTPS pages"));
  EXPECT_EQ(get("/ca.pem").body, authority->pem());
  EXPECT_EQ(get("/ca.crt").body, authority->der());
  EXPECT_EQ(field(get("/ca.crt"), "Content-Type"), "application/x-x509-ca-cert");
  EXPECT_EQ(field(get("/ca.crt"), "Content-Disposition"), "inline; filename=\"outrider-ca.crt\"");
  EXPECT_EQ(field(get("/ca.mobileconfig"), "Content-Type"), "application/x-apple-aspen-config");
  for (const char* path : {"/ca.pem", "/ca.crt", "/ca.mobileconfig"}) {
    EXPECT_EQ(get(path).body.find("PRIVATE KEY"), std::string::npos) << path;
    EXPECT_EQ(get(path, "evil.example").head.status, 403) << path;
    EXPECT_EQ(field(get(path), "Cross-Origin-Resource-Policy"), "same-origin") << path;
    EXPECT_EQ(get(path, "localhost", Method::post).head.status, 405) << path;
  }
}

TEST_F(OwnSite, WithoutAnAuthority_ThereIsNothingToTrust) {
  EXPECT_FALSE(contains(get("/"), "/interception"));
  for (const char* path : {"/ca.pem", "/ca.crt", "/ca.mobileconfig"}) EXPECT_EQ(get(path).head.status, 404) << path;
}

TEST_F(OwnSite, Onboarding_SwitchFollowsTheState) {
  make_authority();
  EXPECT_TRUE(contains(get("/"), "name=\"accept\" value=\"yes\""));
  context.intercepts = true;
  EXPECT_TRUE(contains(get("/"), "name=\"accept\" value=\"no\""));
  context.client = address("192.168.1.9");
  EXPECT_FALSE(contains(get("/"), "<form")) << "only on the machine itself";
  context.client = address("127.0.0.1");
  context.intercept_is_fixed = true;
  EXPECT_FALSE(contains(get("/"), "<form"));
  EXPECT_TRUE(contains(get("/"), "HTTPS is always opened"));
}

TEST_F(OwnSite, Onboarding_TellsThatTheAuthorityEndsSoon) {
  make_authority();
  EXPECT_FALSE(contains(get("/"), "outrider ca renew"));
  context.now = authority->not_after() - std::chrono::hours{24 * 10};
  EXPECT_TRUE(contains(get("/"), "outrider ca renew"));
}

// CSP Level 3: code only from our own address, forms only to it, and no frames. With Referrer-Policy no-referrer the
// form would be sent with "Origin: null" (Fetch, "append a request Origin header").
TEST_F(OwnSite, Onboarding_RunsOnlyItsOwnScript) {
  const Answer page = get("/");
  const std::string policy = field(page, "Content-Security-Policy");
  EXPECT_NE(policy.find("script-src 'self';"), std::string::npos) << policy;
  EXPECT_NE(policy.find("form-action 'self';"), std::string::npos) << policy;
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos) << policy;
  EXPECT_EQ(field(page, "Referrer-Policy"), "same-origin");
  EXPECT_EQ(field(get("/errors"), "Content-Security-Policy").find("script-src"), std::string::npos);
  EXPECT_EQ(field(get("/", "localhost", Method::post), "Content-Security-Policy").find("script-src"),
            std::string::npos);
  EXPECT_EQ(field(get("/onboarding.js"), "Content-Type"), "text/javascript; charset=utf-8");
}

class OwnSiteOrigin : public OwnSite {
 protected:
  RequestHead request(std::string_view host, std::string_view origin, Method method) {
    RequestHead head;
    head.set_method(method);
    head.headers.add(HeaderId::host, host);
    if (!origin.empty()) head.headers.add(HeaderId::origin, origin);
    return head;
  }
  Answer trusted(std::string_view origin) {
    return own_site_answer(request("127.0.0.1:8282", origin, Method::get), "/trusted", context);
  }
  bool may_switch(std::string_view host, std::string_view origin) {
    return !refuse_foreign_page(request(host, origin, Method::post), context).has_value();
  }
};

TEST_F(OwnSiteOrigin, Trusted_AnswersOurOwnPagesOnly) {
  for (const char* origin : {"http://outrider.internal", "https://outrider.internal", "http://127.0.0.1:8282",
                             "http://localhost:8282", "http://[::1]:8282"}) {
    const Answer answer = trusted(origin);
    EXPECT_EQ(answer.head.status, 204) << origin;
    EXPECT_EQ(field(answer, "Access-Control-Allow-Origin"), origin);
    EXPECT_EQ(field(answer, "Vary"), "Origin");
    EXPECT_FALSE(answer.head.headers.has(HeaderId::content_length)) << "RFC 9110 section 8.6";
  }
  EXPECT_EQ(trusted("").head.status, 204);
  EXPECT_EQ(field(trusted(""), "Cross-Origin-Resource-Policy"), "same-origin") << "nobody may embed it";
  for (const char* origin :
       {"http://evil.example", "https://evil.example:8282", "null", "http://127.0.0.1:3000", "http://127.0.0.1",
        "http://localhost", "http://outrider.internal:81", "http://outrider.internal.evil.example",
        "https://127.0.0.1:8282", "http://127.0.0.1:8282.evil.example", "http://127.0.0.1:8282@evil.example",
        "ftp://outrider.internal", "http://", "file://", "chrome-extension://outrider.internal",
        "http://127.0.0.1:8282/", "http://127.0.0.1:8282, null"}) {
    const Answer answer = trusted(origin);
    EXPECT_EQ(answer.head.status, 403) << origin;
    EXPECT_FALSE(answer.head.headers.has("Access-Control-Allow-Origin")) << origin;
  }
}

TEST_F(OwnSiteOrigin, Switch_ObeysOnlyThePageItself) {
  EXPECT_TRUE(may_switch("127.0.0.1:8282", "http://127.0.0.1:8282"));
  EXPECT_TRUE(may_switch("LOCALHOST:8282", "http://localhost:8282"));
  for (const char* origin : {"", "null", "http://evil.example", "http://127.0.0.1:3000", "http://localhost:8282",
                             "http://outrider.internal", "http://127.0.0.1"})
    EXPECT_FALSE(may_switch("127.0.0.1:8282", origin)) << origin;
  EXPECT_FALSE(may_switch("evil.example", "http://evil.example")) << "DNS rebinding";
  RequestHead twice = request("127.0.0.1:8282", "http://127.0.0.1:8282", Method::post);
  twice.headers.add(HeaderId::origin, "http://evil.example");
  EXPECT_TRUE(refuse_foreign_page(twice, context));
  RequestHead cross = request("127.0.0.1:8282", "http://127.0.0.1:8282", Method::post);
  cross.headers.add("Sec-Fetch-Site", "cross-site");
  EXPECT_TRUE(refuse_foreign_page(cross, context));
  context.client = address("192.168.1.9");
  EXPECT_FALSE(may_switch("127.0.0.1:8282", "http://127.0.0.1:8282")) << "only on the machine itself";
}

TEST_F(OwnSiteOrigin, Switch_ThroughTheProxy) {
  context.through_proxy = true;
  context.asked_host = "outrider.internal";
  EXPECT_TRUE(may_switch("whatever", "http://outrider.internal"));
  EXPECT_TRUE(may_switch("whatever", "https://outrider.internal"));
  EXPECT_FALSE(may_switch("whatever", "http://evil.example"));
  EXPECT_FALSE(may_switch("whatever", "http://127.0.0.1:8282"));
  EXPECT_FALSE(may_switch("evil.example", "http://evil.example"));
}

TEST_F(OwnSiteOrigin, Switch_SaysYesOrNo) {
  EXPECT_EQ(parse_switch("accept=yes"), true);
  EXPECT_EQ(parse_switch("accept=no"), false);
  for (const char* body : {"", "accept=", "accept=YES", "accept=yes&accept=no", "accept", "yes"})
    EXPECT_FALSE(parse_switch(body)) << body;
  const Answer back = back_to_onboarding(request("localhost", "", Method::post), context);
  EXPECT_EQ(back.head.status, 303);
  EXPECT_EQ(field(back, "Location"), "/#state");
  EXPECT_EQ(get("/interception").head.status, 405) << "reading it switches nothing";
}

TEST_F(OwnSite, OwnHostInAnyCase) {
  EXPECT_TRUE(is_own_host("outrider.internal"));
  EXPECT_TRUE(is_own_host("OUTRIDER.internal."));
  EXPECT_FALSE(is_own_host("outrider.internal.."));
  EXPECT_FALSE(is_own_host("x.outrider.internal"));
  EXPECT_FALSE(is_own_host(""));
}

// What the web interface is told about a request; what it makes of it: tests/unit/webui/gate_test.cpp.
struct WebRequests : OwnSite {
  WebRequest made(std::vector<std::pair<std::string, std::string>> fields, std::string_view host = "127.0.0.1:8282") {
    RequestHead head;
    head.headers.add(HeaderId::host, host);
    for (const auto& [name, value] : fields) head.headers.add(name, value);
    return web_request(head, "/api/v1/nodes?url=http://a/?b", context);
  }
};

TEST_F(WebRequests, PathAndQuery_AreApart) {
  const WebRequest request = made({});
  EXPECT_EQ(request.path, "/api/v1/nodes");
  EXPECT_EQ(request.query, "url=http://a/?b");
}

TEST_F(WebRequests, WhoHasLoggedIn_IsSaid) {
  EXPECT_EQ(made({}).login, "");
  context.login = "ann";
  EXPECT_EQ(made({{"Proxy-Authorization", "Basic Ym9iOngA"}}).login, "ann") << "the proxy decides, not the field";
}

TEST_F(WebRequests, Names_AreOursOrNot) {
  EXPECT_TRUE(made({}).host_is_ours);
  for (const std::string_view host : {"outrider.internal", "outrider.internal:8282", "evil.example",
                                      "evil.example:8282", "10.0.0.1:8282", "outrider.internal.evil"})
    EXPECT_FALSE(made({}, host).host_is_ours) << host;
  context.through_proxy = true;
  context.asked_host = "outrider.internal";
  EXPECT_TRUE(made({}).by_own_name);
  EXPECT_TRUE(made({}).host_is_ours);
  context.asked_host = "localhost:8282";
  EXPECT_FALSE(made({}).by_own_name);
}

TEST_F(WebRequests, OurOwnPage_IsKnownByItsOrigin) {
  EXPECT_EQ(made({{"Origin", "http://127.0.0.1:8282"}}).sender, WebSender::own_page);
  EXPECT_EQ(made({{"Origin", "http://127.0.0.1:8282"}, {"Sec-Fetch-Site", "same-origin"}}).sender, WebSender::own_page);
}

TEST_F(WebRequests, EveryOtherPage_IsForeign) {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  for (const Fields& fields :
       {Fields{{"Origin", "http://evil.example"}}, Fields{{"Origin", "null"}},
        Fields{{"Origin", "http://127.0.0.1:3000"}}, Fields{{"Origin", "https://127.0.0.1:8282"}},
        Fields{{"Origin", "http://outrider.internal"}},  // ours, but not what was asked
        Fields{{"Origin", "http://127.0.0.1:8282"}, {"Origin", "http://evil.example"}},
        Fields{{"Origin", "http://127.0.0.1:8282"}, {"Sec-Fetch-Site", "cross-site"}},
        Fields{{"Sec-Fetch-Site", "cross-site"}}, Fields{{"Sec-Fetch-Site", "same-site"}}})
    EXPECT_EQ(made(fields).sender, WebSender::foreign_page) << fields.front().second;
}

TEST_F(WebRequests, ProgramsAndTypedAddresses_AreUnknown) {
  EXPECT_EQ(made({}).sender, WebSender::unknown);
  EXPECT_EQ(made({{"Sec-Fetch-Site", "none"}}).sender, WebSender::unknown);
  EXPECT_EQ(made({{"Sec-Fetch-Site", "same-origin"}}).sender, WebSender::unknown);
}

}  // namespace
}  // namespace outrider
