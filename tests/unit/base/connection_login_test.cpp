#include "base/connection_login.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

HeaderMap with(HeaderId id, std::initializer_list<std::string_view> values) {
  HeaderMap headers;
  for (const std::string_view value : values) headers.add(id, value);
  return headers;
}

// RFC 9110 section 11.1: the name of a scheme in any case.
TEST(ConnectionLogin, SchemesThatLogInConnections) {
  for (const std::string_view value : {"NTLM", "ntlm TlRMTVNTUAAB", "Negotiate YII=", "nEGOTIATE\tYII=", "Kerberos x"})
    EXPECT_TRUE(logs_in_connection(with(HeaderId::authorization, {value}))) << value;
  for (const std::string_view value :
       {"", "Basic bnRsbTpudGxt", "Bearer ntlm", "NTLMv9 x", "Digest username=\"a, ntlm\""})
    EXPECT_FALSE(logs_in_connection(with(HeaderId::authorization, {value}))) << value;
  EXPECT_TRUE(logs_in_connection(with(HeaderId::authorization, {"Basic eA==", "NTLM x"}))) << "who knows which counts";
  EXPECT_FALSE(logs_in_connection(with(HeaderId::www_authenticate, {"NTLM"})));
  EXPECT_FALSE(logs_in_connection({}));
}

// RFC 9110 section 11.6.1: several challenges in one field, and several fields.
TEST(ConnectionLogin, Challenges) {
  EXPECT_TRUE(offers_connection_login(with(HeaderId::www_authenticate, {"NTLM"})));
  EXPECT_TRUE(offers_connection_login(with(HeaderId::www_authenticate, {"Basic realm=\"x\"", "Negotiate oYG2"})));
  EXPECT_TRUE(offers_connection_login(with(HeaderId::www_authenticate, {"Basic realm=\"x\", charset=UTF-8, NTLM"})));
  EXPECT_FALSE(offers_connection_login(with(HeaderId::www_authenticate, {"Basic realm=\"x, NTLM\"", "Digest a=ntlm"})));
  EXPECT_FALSE(offers_connection_login(with(HeaderId::proxy_authenticate, {"NTLM"})));
}

}  // namespace
}  // namespace outrider
