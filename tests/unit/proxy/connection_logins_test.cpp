#include "proxy/connection_logins.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

HeaderMap with(std::string_view authorization) {
  HeaderMap headers;
  headers.add(HeaderId::accept, "*/*");
  if (!authorization.empty()) headers.add(HeaderId::authorization, authorization);
  return headers;
}

TEST(ConnectionLogins, HoldForTheRestOfTheConnection_ButForThatHostOnly) {
  ConnectionLogins logins;
  EXPECT_EQ(logins.word_for(with(""), "a.example", "1"), "");
  EXPECT_EQ(logins.word_for(with("Basic eA=="), "a.example", "2"), "");
  const std::string_view word = logins.word_for(with("NTLM x"), "a.example", "3");
  EXPECT_EQ(word, "login 3");
  EXPECT_EQ(logins.word_for(with(""), "a.example", "4"), word);
  EXPECT_EQ(logins.word_for(with("Basic eA=="), "a.example", "5"), word);
  EXPECT_EQ(logins.word_for(with(""), "b.example", "6"), "");
  EXPECT_EQ(logins.word_for(with("Negotiate x"), "b.example", "7"), word) << "one client, one word";
}

TEST(ConnectionLogins, TooManyHosts_AreAll) {
  ConnectionLogins logins;
  for (int i = 0; i < 1000; ++i) logins.word_for(with("NTLM x"), std::to_string(i) + ".example", "1");
  for (int i = 0; i < 1000; ++i) EXPECT_NE(logins.word_for(with(""), std::to_string(i) + ".example", "2"), "");
}

}  // namespace
}  // namespace outrider
