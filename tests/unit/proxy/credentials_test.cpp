#include "proxy/credentials.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

using namespace std::string_literals;

std::string decoded(std::string_view text) {
  std::string out;
  return decode_base64(text, out) ? out : "(refused)";
}

// RFC 4648 section 10
TEST(DecodeBase64, TestVectors) {
  EXPECT_EQ(decoded(""), "");
  EXPECT_EQ(decoded("Zg=="), "f");
  EXPECT_EQ(decoded("Zm8="), "fo");
  EXPECT_EQ(decoded("Zm9v"), "foo");
  EXPECT_EQ(decoded("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decoded("AP/+"), "\x00\xff\xfe"s);
}

TEST(DecodeBase64, OneSpellingOnly) {
  for (const char* bad : {"Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm9v\n", "Zm 9v", "Zm9-", "=",
                          "====", "Zg==Zg==", "Zm9v=", "Z", "Zm9vY"})
    EXPECT_EQ(decoded(bad), "(refused)") << bad;
  EXPECT_EQ(decoded(std::string_view{"Zm\0v", 4}), "(refused)");
}

// RFC 7617 section 2
TEST(ParseAuthorization, Basic) {
  const auto given = parse_authorization("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  ASSERT_TRUE(given);
  EXPECT_EQ(given->kind, Credentials::Kind::basic);
  EXPECT_EQ(given->user, "Aladdin");
  EXPECT_EQ(given->secret.view(), "open sesame");
  EXPECT_TRUE(parse_authorization("bASIC   QWxhZGRpbjpvcGVuIHNlc2FtZQ=="))
      << "RFC 9110 section 11.1: schemes ignore case";
}

TEST(ParseAuthorization, TheFirstColonEndsTheName) {
  const auto given = parse_authorization("Basic dTphOmI6Yw==");  // u:a:b:c
  ASSERT_TRUE(given);
  EXPECT_EQ(given->user, "u");
  EXPECT_EQ(given->secret.view(), "a:b:c");
  const auto empty = parse_authorization("Basic dTo=");  // u:
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->secret.view(), "");
}

TEST(ParseAuthorization, Bearer) {
  const auto given = parse_authorization("Bearer ort_0-9.~+/A=");
  ASSERT_TRUE(given);
  EXPECT_EQ(given->kind, Credentials::Kind::bearer);
  EXPECT_EQ(given->secret.view(), "ort_0-9.~+/A=");
}

TEST(ParseAuthorization, Nonsense_IsNothing) {
  for (const char* bad : {"", " ", "Basic", "Basic ", "Basic  ", "Basic eA==", "Basic !!!!", "Basic eDp5 eDp5",
                          "Basic eDp5=", "Basic OnB3", "Bearer", "Bearer ", "Bearer a b", "Bearer a\tb",
                          "Digest username=\"x\"", "Basic,eDp5", "NTLM TlRMTVNTUAAB", "BasiceDp5", "Basic\teDp5"})
    EXPECT_FALSE(parse_authorization(bad)) << bad;
  EXPECT_FALSE(parse_authorization("Basic " + std::string(10'000, 'A'))) << "a 10 kB password";
}

}  // namespace
}  // namespace outrider
