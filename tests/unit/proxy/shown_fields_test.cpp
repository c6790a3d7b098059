#include "proxy/shown_fields.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

std::string shown(std::string_view name, std::string_view value) {
  HeaderMap headers;
  headers.add(name, value);
  return shown_fields(headers).at(0).second;
}

TEST(ShownFields, WhatSaysHowHttpWorks_IsShown) {
  EXPECT_EQ(shown("cache-control", "max-age=60"), "max-age=60");
  EXPECT_EQ(shown("Content-Type", "text/html"), "text/html");
}

TEST(ShownFields, SecretsAndUnknownFields_AreNamedButNotShown) {
  for (const std::string_view name : {"Cookie", "Set-Cookie", "Authorization", "Proxy-Authorization", "X-Api-Key",
                                      "ETag", "If-Match", "If-None-Match", "If-Range", "X-Forwarded-For"})
    EXPECT_EQ(shown(name, "canary"), kNotShown) << name;
}

TEST(ShownFields, Addresses_LoseTheirQuery) {
  EXPECT_EQ(shown("Referer", "https://a/b?canary=1"), "https://a/b");
  EXPECT_EQ(shown("location", "/b#canary"), "/b");
}

TEST(ShownFields, LongAndMany_AreCut) {
  EXPECT_LE(shown("User-Agent", std::string(10'000, 'x')).size(), 512U);
  HeaderMap headers;
  for (int i = 0; i < 500; ++i) headers.add("X-" + std::to_string(i), "1");
  EXPECT_LE(shown_fields(headers).size(), 64U);
}

}  // namespace
}  // namespace outrider
