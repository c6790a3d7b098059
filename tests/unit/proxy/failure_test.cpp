#include "proxy/failure.hpp"

#include "base/http_writer.hpp"

#include <gtest/gtest.h>

#include <set>

namespace outrider {
namespace {

constexpr auto kLastKind = static_cast<int>(ErrorKind::internal);

// The types that RFC 9209 section 2.3 registers.
const std::set<std::string_view> kRegistered = {"dns_timeout",
                                                "dns_error",
                                                "destination_not_found",
                                                "destination_unavailable",
                                                "destination_ip_prohibited",
                                                "destination_ip_unroutable",
                                                "connection_refused",
                                                "connection_terminated",
                                                "connection_timeout",
                                                "connection_read_timeout",
                                                "connection_write_timeout",
                                                "connection_limit_reached",
                                                "tls_protocol_error",
                                                "tls_certificate_error",
                                                "tls_alert_received",
                                                "http_request_error",
                                                "http_request_denied",
                                                "http_response_incomplete",
                                                "http_response_header_section_size",
                                                "http_response_header_size",
                                                "http_response_body_size",
                                                "http_response_trailer_section_size",
                                                "http_response_trailer_size",
                                                "http_response_transfer_coding",
                                                "http_response_content_coding",
                                                "http_response_timeout",
                                                "http_upgrade_failed",
                                                "http_protocol_error",
                                                "proxy_internal_response",
                                                "proxy_internal_error",
                                                "proxy_configuration_error",
                                                "proxy_loop_detected"};

TEST(Failure, EveryErrorOfEverySideHasAVerdict) {
  for (int kind = 0; kind <= kLastKind; ++kind) {
    for (const Side side : {Side::self, Side::client, Side::origin, Side::parent}) {
      for (const bool retry_safe : {false, true}) {
        const Error error{static_cast<ErrorKind>(kind), side, "x", retry_safe};
        const Verdict verdict = judge(error);
        EXPECT_GE(verdict.status, 400) << error.to_string();
        EXPECT_LE(verdict.status, 599) << error.to_string();
        const bool is_mapped = error.kind == ErrorKind::internal || verdict.id != FailureId::internal ||
                               (side == Side::self && verdict.status == 500);
        EXPECT_TRUE(is_mapped) << error.to_string();
      }
    }
  }
}

TEST(Failure, EveryRowIsCompleteAndRegistered) {
  std::set<std::string_view> names;
  for (const Failure& row : all_failures()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.title.empty()) << row.name;
    EXPECT_TRUE(row.what.ends_with('.')) << row.name;
    EXPECT_TRUE(row.proxy_error.empty() || kRegistered.contains(row.proxy_error)) << row.name;
    if (row.id == FailureId::cancelled) continue;
    EXPECT_FALSE(default_reason(row.status).empty()) << row.name;
    EXPECT_FALSE(row.advice[0].empty()) << row.name << ": a person must be told what to try";
    for (const std::string_view advice : row.advice) EXPECT_TRUE(advice.empty() || advice.ends_with('.')) << advice;
  }
}

struct Case {
  ErrorKind kind;
  Side side;
  bool retry_safe;
  int status;
  std::string_view proxy_error;
};

class Mapping : public testing::TestWithParam<Case> {};

TEST_P(Mapping, StatusAndType) {
  const Case& expected = GetParam();
  const Error error{expected.kind, expected.side, "", expected.retry_safe};
  EXPECT_EQ(judge(error).status, expected.status) << error.to_string();
  EXPECT_EQ(judge(error).proxy_error, expected.proxy_error) << error.to_string();
}

INSTANTIATE_TEST_SUITE_P(
    Client, Mapping,
    testing::Values(Case{ErrorKind::bad_message, Side::client, false, 400, "http_request_error"},
                    Case{ErrorKind::target_too_long, Side::client, false, 414, "http_request_error"},
                    Case{ErrorKind::head_too_large, Side::client, false, 431, "http_request_error"},
                    Case{ErrorKind::body_too_large, Side::client, false, 413, "http_request_error"},
                    Case{ErrorKind::unsupported, Side::client, false, 501, "http_request_error"},
                    Case{ErrorKind::bad_version, Side::client, false, 505, "http_request_error"},
                    Case{ErrorKind::timeout, Side::client, false, 408, "http_request_error"},
                    Case{ErrorKind::closed_early, Side::client, false, 400, "http_request_error"},
                    Case{ErrorKind::invalid_argument, Side::client, false, 400, "http_request_error"},
                    Case{ErrorKind::cancelled, Side::client, false, 499, ""}));

INSTANTIATE_TEST_SUITE_P(
    NextHop, Mapping,
    testing::Values(Case{ErrorKind::dns_failure, Side::origin, false, 502, "dns_error"},
                    Case{ErrorKind::dns_failure, Side::origin, true, 504, "dns_timeout"},
                    Case{ErrorKind::connect_refused, Side::origin, true, 502, "connection_refused"},
                    Case{ErrorKind::connect_failed, Side::origin, true, 502, "destination_ip_unroutable"},
                    Case{ErrorKind::timeout, Side::origin, true, 504, "connection_timeout"},
                    Case{ErrorKind::timeout, Side::origin, false, 504, "http_response_timeout"},
                    Case{ErrorKind::tls_failed, Side::origin, true, 502, "tls_protocol_error"},
                    Case{ErrorKind::tls_untrusted, Side::origin, true, 502, "tls_certificate_error"},
                    Case{ErrorKind::closed_early, Side::origin, true, 502, "connection_terminated"},
                    Case{ErrorKind::closed_early, Side::origin, false, 502, "http_response_incomplete"},
                    Case{ErrorKind::bad_message, Side::origin, false, 502, "http_protocol_error"},
                    Case{ErrorKind::head_too_large, Side::origin, false, 502, "http_response_header_section_size"},
                    Case{ErrorKind::body_too_large, Side::origin, false, 502, "http_response_body_size"},
                    Case{ErrorKind::timeout, Side::parent, false, 504, "http_response_timeout"},
                    Case{ErrorKind::connect_refused, Side::parent, true, 502, "connection_refused"},
                    Case{ErrorKind::parent_refused, Side::parent, true, 502, "destination_unavailable"}));

INSTANTIATE_TEST_SUITE_P(
    Ourselves, Mapping,
    testing::Values(Case{ErrorKind::address_denied, Side::self, true, 403, "destination_ip_prohibited"},
                    Case{ErrorKind::address_denied, Side::origin, true, 403, "destination_ip_prohibited"},
                    Case{ErrorKind::rule_denied, Side::self, true, 403, "http_request_denied"},
                    Case{ErrorKind::rule_denied, Side::origin, true, 403, "http_request_denied"},
                    Case{ErrorKind::busy, Side::self, true, 503, "connection_limit_reached"},
                    Case{ErrorKind::timeout, Side::self, true, 503, "connection_limit_reached"},
                    Case{ErrorKind::io, Side::self, false, 500, "proxy_internal_error"},
                    Case{ErrorKind::internal, Side::self, false, 500, "proxy_internal_error"}));

TEST(Failure, BehindAParentTheWordsAreAboutTheParent) {
  for (const ErrorKind kind : {ErrorKind::connect_refused, ErrorKind::dns_failure, ErrorKind::timeout,
                               ErrorKind::tls_untrusted, ErrorKind::closed_early, ErrorKind::bad_message})
    EXPECT_EQ(judge(Error{kind, Side::parent, ""}).id, FailureId::parent_failed);
  EXPECT_EQ(judge(Error{ErrorKind::parent_refused, Side::parent, ""}).id, FailureId::parent_refused);
}

TEST(Failure, HostIsFilledInAndNotExpandedAgain) {
  EXPECT_EQ(with_host("$host hung up", "example.org"), "example.org hung up");
  EXPECT_EQ(with_host("$host hung up, poor $host", ""), "The site hung up, poor the site");
  EXPECT_EQ(with_host("no $host", "$host"), "no $host");
}

TEST(Failure, CertificateReasonsAreNamed) {
  const auto reason = [](std::string_view detail) { return std::string{certificate_reason(detail)}; };
  EXPECT_NE(reason("the certificate of a is refused: certificate has expired").find("expired"), std::string::npos);
  EXPECT_NE(reason("the certificate of a is refused: hostname mismatch").find("another site"), std::string::npos);
  EXPECT_NE(reason("self-signed certificate").find("to itself"), std::string::npos);
  EXPECT_NE(reason("self-signed certificate in certificate chain").find("does not know"), std::string::npos);
  EXPECT_NE(reason("unable to get local issuer certificate").find("does not know"), std::string::npos);
  EXPECT_EQ(reason("something new"), "");
}

}  // namespace
}  // namespace outrider
