#include "proxy/responder.hpp"

#include "base/http_writer.hpp"
#include "proxy/page.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace outrider {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kBrowser = "text/html,application/xhtml+xml,*/*;q=0.8";
constexpr std::string_view kHostile = "\"><script>alert(1)</script>&'\r\nX: y\xe2\x80\xae\xff.example";

ErrorContext browser(std::string_view host = "example.org") {
  ErrorContext context;
  context.accept = kBrowser;
  context.host = host;
  context.exchange_id = "0abc12";
  context.date = "Sun, 06 Nov 1994 08:49:37 GMT";
  return context;
}

Error refused() {
  return Error{ErrorKind::connect_refused, Side::origin, "connecting to 192.0.2.1:80: Connection refused", true};
}

std::string field(const Answer& answer, std::string_view name) {
  return std::string{answer.head.headers.find(name).value_or("(absent)")};
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Responder, BrowserGetsAPage) {
  const Answer answer = answer_error(refused(), browser());
  EXPECT_EQ(answer.head.status, 502);
  EXPECT_EQ(answer.head.reason, "Bad Gateway");
  EXPECT_EQ(field(answer, "Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(field(answer, "Content-Length"), std::to_string(answer.body.size()));
  EXPECT_EQ(field(answer, "Cache-Control"), "no-store");
  EXPECT_EQ(field(answer, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(field(answer, "Referrer-Policy"), "no-referrer");
  EXPECT_EQ(field(answer, "Date"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(field(answer, "Connection"), "(absent)");
  EXPECT_NE(answer.body.find("<h1>example.org does not accept connections</h1>"), std::string::npos);
  EXPECT_NE(answer.body.find("0abc12"), std::string::npos);
  EXPECT_NE(answer.body.find("192.0.2.1:80"), std::string::npos);
}

// RFC 9209
TEST(Responder, EveryFormCarriesProxyStatus) {
  for (const std::string_view accept : {kBrowser, std::string_view{"application/json"}, std::string_view{}}) {
    ErrorContext context = browser();
    context.accept = accept;
    EXPECT_EQ(field(answer_error(refused(), context), "Proxy-Status"),
              "outrider; error=connection_refused; details=\"connecting to 192.0.2.1:80: Connection refused\"");
  }
}

// RFC 9457
TEST(Responder, ProgramsGetAProblemDocument) {
  ErrorContext context = browser(kHostile);
  context.accept = "application/json";
  const Answer answer = answer_error(Error{ErrorKind::dns_failure, Side::origin, "no \"such\"\nname\xff"}, context);
  EXPECT_EQ(field(answer, "Content-Type"), "application/problem+json");
  const boost::json::object problem = boost::json::parse(answer.body).as_object();
  EXPECT_EQ(problem.at("status").as_int64(), 502);
  EXPECT_EQ(problem.at("type").as_string(), "http://outrider.internal/errors#dns_failure");
  EXPECT_EQ(problem.at("error").as_string(), "dns_error");
  EXPECT_EQ(problem.at("side").as_string(), "origin");
  EXPECT_EQ(problem.at("exchange").as_string(), "0abc12");
  EXPECT_EQ(problem.at("detail").as_string(), "no \"such\"\nname\xef\xbf\xbd");
  EXPECT_EQ(count(answer.body, "\n"), 1u);
}

TEST(Responder, EverybodyElseGetsText) {
  ErrorContext context = browser(kHostile);
  context.accept = "*/*";
  const Answer answer =
      answer_error(Error{ErrorKind::dns_failure, Side::origin, "a\x1b[31mred\r\nExchange: forged"}, context);
  EXPECT_EQ(field(answer, "Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(count(answer.body, "\n"), 4u) << answer.body;
  EXPECT_EQ(answer.body.find_first_of("\r\x1b"), std::string::npos);
}

// RFC 9110 section 9.3.2: the fields of the GET, without its body.
TEST(Responder, HeadGetsTheLengthButNoBody) {
  const Answer get = answer_error(refused(), browser());
  ErrorContext context = browser();
  context.method = Method::head;
  const Answer head = answer_error(refused(), context);
  EXPECT_TRUE(head.body.empty());
  EXPECT_EQ(field(head, "Content-Length"), std::to_string(get.body.size()));
}

TEST(Responder, EveryKindHasAnAnswerInEveryForm) {
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::internal); ++kind) {
    for (const Side side : {Side::self, Side::client, Side::origin, Side::parent}) {
      for (const std::string_view accept : {kBrowser, std::string_view{"application/json"}, std::string_view{}}) {
        ErrorContext context = browser();
        context.accept = accept;
        const Error error{static_cast<ErrorKind>(kind), side, "what happened"};
        const Answer answer = answer_error(error, context);
        EXPECT_EQ(answer.head.status, status_of(error));
        EXPECT_FALSE(answer.body.empty()) << error.to_string();
        EXPECT_EQ(answer.head.headers.has(HeaderId::proxy_status), !proxy_error_of(error).empty());
      }
    }
  }
}

TEST(Responder, MarkupInAnythingIsInert) {
  ErrorContext context = browser(kHostile);
  context.exchange_id = kHostile;
  context.date = kHostile;
  for (int kind = 0; kind <= static_cast<int>(ErrorKind::internal); ++kind) {
    const Answer answer =
        answer_error(Error{static_cast<ErrorKind>(kind), Side::origin, std::string{kHostile}}, context);
    EXPECT_EQ(answer.body.find("<script"), std::string::npos);
    const Answer harmless = answer_error(Error{static_cast<ErrorKind>(kind), Side::origin, "x"}, browser());
    EXPECT_EQ(count(answer.body, "<"), count(harmless.body, "<")) << "an element that is not ours";
    EXPECT_EQ(count(answer.body, "\""), count(harmless.body, "\"")) << "an attribute that is not ours";
    EXPECT_EQ(answer.body.find('\r'), std::string::npos);
    EXPECT_EQ(answer.body.find("\xe2\x80\xae"), std::string::npos) << "a right-to-left override reorders what is read";
    EXPECT_EQ(answer.body.find('\xff'), std::string::npos);
    EXPECT_NE(answer.body.find("&lt;script&gt;"), std::string::npos);
  }
}

TEST(Responder, HeadIsOneHeadWhateverIsInIt) {
  ErrorContext context = browser(kHostile);
  const Answer answer =
      answer_error(Error{ErrorKind::dns_failure, Side::origin, "a\r\nSet-Cookie: x=1\r\n\r\n<html>"}, context);
  std::string wire;
  write_response_head(wire, answer.head);
  EXPECT_EQ(wire.find("\r\nSet-Cookie"), std::string::npos);
  EXPECT_EQ(wire.find("\r\n\r\n"), wire.size() - 4);
}

TEST(Responder, PageNeedsNothingFromOutsideAndThePolicySaysSo) {
  const Answer answer = answer_error(refused(), browser());
  const std::string policy = field(answer, "Content-Security-Policy");
  EXPECT_TRUE(policy.starts_with("default-src 'none'; style-src 'sha256-")) << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(answer.body.find("<script"), std::string::npos);
  EXPECT_EQ(answer.body.find(" style="), std::string::npos);
  EXPECT_EQ(answer.body.find("src="), std::string::npos);
  EXPECT_EQ(answer.body.find("<link"), std::string::npos);
  EXPECT_EQ(answer.body.find("url("), std::string::npos);
  EXPECT_NE(answer.body.find("<html lang=\"en\">"), std::string::npos);
  EXPECT_NE(answer.body.find("<main>"), std::string::npos);
}

TEST(Responder, ReloadIsOfferedOnlyWhereItDoesNoHarm) {
  constexpr std::string_view kReload = "href=\"\"";
  ErrorContext context = browser();
  EXPECT_NE(answer_error(refused(), context).body.find(kReload), std::string::npos);
  context.method = Method::post;
  EXPECT_EQ(answer_error(refused(), context).body.find(kReload), std::string::npos);
  context.method = Method::get;
  EXPECT_EQ(answer_denied("rule 1", context).body.find(kReload), std::string::npos);
}

TEST(Responder, RefusedCertificateNamesTheTrueReason) {
  const Error expired{ErrorKind::tls_untrusted, Side::origin,
                      "the certificate of a is refused: certificate has expired"};
  EXPECT_NE(answer_error(expired, browser()).body.find("The certificate has expired"), std::string::npos);
  const Error strange{ErrorKind::tls_untrusted, Side::origin, "the certificate of a is refused: strange"};
  EXPECT_NE(answer_error(strange, browser()).body.find("refused: strange"), std::string::npos);
}

TEST(Responder, InnerDetailsOfOurFaultsStayInside) {
  const Answer answer = answer_error(Error{ErrorKind::internal, Side::self, "std::bad_alloc in foo.cpp"}, browser());
  EXPECT_EQ(answer.body.find("foo.cpp"), std::string::npos);
  EXPECT_EQ(field(answer, "Proxy-Status"), "outrider; error=proxy_internal_error");
}

// RFC 9110 section 10.2.3
TEST(Responder, BusySaysWhenToComeBack) {
  ErrorContext context = browser();
  const Error busy{ErrorKind::busy, Side::self, "too many", true};
  EXPECT_EQ(field(answer_error(busy, context), "Retry-After"), "5");
  context.retry_after = 1500ms;
  EXPECT_EQ(field(answer_error(busy, context), "Retry-After"), "2");
  context.retry_after = 0s;
  EXPECT_EQ(field(answer_error(busy, context), "Retry-After"), "1");
  EXPECT_EQ(field(answer_error(refused(), context), "Retry-After"), "(absent)");
}

// RFC 6585 section 4
TEST(Responder, TooManyAttemptsHaveToWait) {
  ErrorContext context = browser();
  context.retry_after = 30s;
  const Answer answer = answer_too_many("5 wrong passwords", context);
  EXPECT_EQ(answer.head.status, 429);
  EXPECT_EQ(field(answer, "Retry-After"), "30");
  EXPECT_NE(answer.body.find("5 wrong passwords"), std::string::npos);
}

TEST(Responder, BrokenRequestsEndTheConnection) {
  const Answer bad = answer_error(Error{ErrorKind::bad_message, Side::client, "two Host fields"}, browser());
  EXPECT_TRUE(bad.close);
  EXPECT_EQ(field(bad, "Connection"), "close");
  EXPECT_TRUE(answer_error(Error{ErrorKind::timeout, Side::client, ""}, browser()).close);  // RFC 9110 section 15.5.9
  EXPECT_FALSE(answer_error(Error{ErrorKind::bad_message, Side::origin, ""}, browser()).close);
  ErrorContext context = browser();
  context.close = true;
  EXPECT_EQ(field(answer_error(refused(), context), "Connection"), "close");
}

// RFC 9110 section 11.7.1
TEST(Responder, AuthenticationRequiredCarriesEveryChallenge) {
  const Answer answer = answer_authentication_required({"Basic realm=\"outrider\"", "Bearer"}, browser());
  EXPECT_EQ(answer.head.status, 407);
  EXPECT_EQ(answer.head.headers.count(HeaderId::proxy_authenticate), 2u);
  EXPECT_EQ(field(answer, "Proxy-Authenticate"), "Basic realm=\"outrider\"");
  EXPECT_EQ(field(answer, "Proxy-Status"), "outrider; error=http_request_denied");
}

TEST(Responder, OtherRefusals) {
  const Answer denied = answer_denied("blocked by the rule \"*.ads.example\"", browser());
  EXPECT_EQ(denied.head.status, 403);
  EXPECT_NE(denied.body.find("*.ads.example"), std::string::npos);
  const Answer loop = answer_loop("Via names this proxy", browser());
  EXPECT_EQ(loop.head.status, 508);
  EXPECT_EQ(field(loop, "Proxy-Status"), "outrider; error=proxy_loop_detected; details=\"Via names this proxy\"");
  const Answer method = answer_method_not_allowed("GET, HEAD", browser());
  EXPECT_EQ(method.head.status, 405);
  EXPECT_EQ(field(method, "Allow"), "GET, HEAD");  // RFC 9110 section 15.5.6
  EXPECT_EQ(answer_not_found(browser()).head.status, 404);
  EXPECT_EQ(answer_foreign_host(browser()).head.status, 403);
  EXPECT_EQ(answer_local_only(browser()).head.status, 403);
}

TEST(Responder, HugeTextsAreCut) {
  const std::string huge(100'000, 'x');
  const Answer answer = answer_error(Error{ErrorKind::dns_failure, Side::origin, huge}, browser(huge));
  EXPECT_LT(answer.body.size(), 12'000u);
  EXPECT_LT(field(answer, "Proxy-Status").size(), 400u);
}

}  // namespace
}  // namespace outrider
