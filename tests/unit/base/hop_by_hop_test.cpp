#include "base/hop_by_hop.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace outrider {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields stripped(const Fields& fields, Te te = Te::drop) {
  HeaderMap headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  strip_hop_by_hop(headers, te);
  Fields left;
  for (const HeaderField& field : headers) left.emplace_back(field.name, field.value);
  return left;
}

// RFC 9110 section 7.6.1
TEST(StripHopByHop, KnownFieldsGo_OrderOfTheRestStays) {
  EXPECT_EQ(stripped({{"Host", "h"},
                      {"Connection", "keep-alive"},
                      {"Keep-Alive", "timeout=5"},
                      {"Proxy-Connection", "keep-alive"},
                      {"Accept", "*/*"},
                      {"TE", "gzip"},
                      {"Transfer-Encoding", "chunked"},
                      {"Upgrade", "websocket"},
                      {"Proxy-Authorization", "Basic eDp5"},
                      {"Proxy-Authenticate", "Basic"},
                      {"Proxy-Authentication-Info", "x"},
                      {"Trailer", "Expires"},
                      {"X-Own", "1"}}),
            (Fields{{"Host", "h"}, {"Accept", "*/*"}, {"Trailer", "Expires"}, {"X-Own", "1"}}));
}

TEST(StripHopByHop, NominatedFieldsGo_OverSeveralConnectionFieldsAndInAnyCase) {
  EXPECT_EQ(stripped({{"connection", "X-One, close"},
                      {"X-One", "1"},
                      {"x-two", "2"},
                      {"X-Three", "3"},
                      {"X-TWO", "again"},
                      {"CONNECTION", " ,, x-Two ,"},
                      {"X-Four", "4"},
                      {"Connection", "HTTP2-Settings"},
                      {"HTTP2-Settings", "AAMAAABkAAQAAP__"}}),
            (Fields{{"X-Three", "3"}, {"X-Four", "4"}}));
}

TEST(StripHopByHop, FieldsForEverybodyCannotBeNominated) {
  const Fields kept = {{"Host", "h"},
                       {"Content-Length", "3"},
                       {"Authorization", "Basic eDp5"},
                       {"Cookie", "a=b"},
                       {"Cache-Control", "no-store"},
                       {"Via", "1.1 x"},
                       {"X-Forwarded-For", "1.2.3.4"},
                       {"Content-MD5", "x"},
                       {"X-Frame-Options", "DENY"},
                       {"Access-Control-Allow-Origin", "*"},
                       {"Sec-GPC", "1"},
                       {"X-Real-IP", "1.2.3.4"},
                       {"Set-Cookie", "a=b"},
                       {"Strict-Transport-Security", "max-age=1"},
                       {"Forwarded", "for=x"},
                       {"Trailer", "X"}};
  Fields fields = kept;
  std::string all;
  for (const auto& [name, value] : kept) all += (all.empty() ? "" : ", ") + name;
  fields.emplace_back("Connection", all);
  EXPECT_EQ(stripped(fields), kept);
}

TEST(StripHopByHop, OddNominations_AreHarmless) {
  EXPECT_EQ(stripped({{"Connection", "close"}, {"Close", "a field of that name"}}),
            (Fields{{"Close", "a field of that name"}}));
  EXPECT_EQ(stripped({{"Connection", ""}, {"X", "1"}}), (Fields{{"X", "1"}}));
  EXPECT_EQ(stripped({{"Connection", "connection"}, {"X", "1"}}), (Fields{{"X", "1"}}));
  EXPECT_EQ(stripped({{"Connection", "x y; z=\"a,b\""}, {"X", "1"}, {"b", "2"}}), (Fields{{"X", "1"}, {"b", "2"}}));
  EXPECT_EQ(stripped({}), Fields{});
}

// RFC 9110 section 10.1.4: the next hop is told only what we can keep, and that TE is for it alone.
TEST(StripHopByHop, TeTrailers_IsPassedOnForRequests) {
  const Fields asked = {{"TE", "gzip;q=0.5, Trailers"}, {"Connection", "TE"}, {"A", "1"}};
  EXPECT_EQ(stripped(asked, Te::keep_trailers), (Fields{{"A", "1"}, {"TE", "trailers"}, {"Connection", "TE"}}));
  EXPECT_EQ(stripped(asked, Te::drop), (Fields{{"A", "1"}}));
  EXPECT_EQ(stripped({{"TE", "gzip"}, {"A", "1"}}, Te::keep_trailers), (Fields{{"A", "1"}}));
}

TEST(StripHopByHop, ThousandsOfNominations_AreAllHonoured) {
  Fields fields;
  std::string all;
  for (int i = 0; i < 5000; ++i) all += fmt::format("x-n{},", i);
  fields.emplace_back("Connection", all);
  for (int i = 0; i < 250; ++i) fields.emplace_back(fmt::format("X-N{}", i * 40), "v");
  const Fields left = stripped(fields);
  ASSERT_EQ(left.size(), 125U) << "x-n5000 and beyond were not nominated";
  EXPECT_EQ(left.front().first, "X-N5000");
}

}  // namespace
}  // namespace outrider
