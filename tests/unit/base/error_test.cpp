#include "base/error.hpp"

#include <gtest/gtest.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>

#include <set>
#include <stdexcept>

namespace outrider {
namespace {

TEST(Error, SaysWhoseFaultAndWhatAndWhy) {
  const Error error{ErrorKind::connect_refused, Side::origin, "nobody listens at 127.0.0.1:9"};
  EXPECT_EQ(error.to_string(), "origin: connect_refused: nobody listens at 127.0.0.1:9");
  EXPECT_FALSE(error.retry_safe) << "safety of a retry has to be claimed, never assumed";
}

TEST(Error, EveryKindHasItsOwnName) {
  std::set<std::string_view> names;
  const int count = static_cast<int>(ErrorKind::internal) + 1;
  for (int kind = 0; kind < count; ++kind) names.insert(to_string(static_cast<ErrorKind>(kind)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(names.count(""), 0u);
  // Both ends of the table, so that a kind added in the middle cannot shift the names unnoticed.
  EXPECT_EQ(to_string(ErrorKind::bad_message), "bad_message");
  EXPECT_EQ(to_string(ErrorKind::address_denied), "address_denied");
  EXPECT_EQ(to_string(ErrorKind::rule_denied), "rule_denied");
  EXPECT_EQ(to_string(ErrorKind::cancelled), "cancelled");
  EXPECT_EQ(to_string(ErrorKind::internal), "internal");
}

TEST(Error, FromSystem_TranslatesTheCodesThatDecisionsDependOn) {
  namespace net = boost::asio::error;
  const auto kind = [](boost::system::error_code code) { return from_system(code, Side::origin, "read").kind; };
  EXPECT_EQ(kind(net::operation_aborted), ErrorKind::cancelled);
  EXPECT_EQ(kind(net::connection_refused), ErrorKind::connect_refused);
  EXPECT_EQ(kind(net::host_unreachable), ErrorKind::connect_failed);
  EXPECT_EQ(kind(net::network_unreachable), ErrorKind::connect_failed);
  EXPECT_EQ(kind(net::timed_out), ErrorKind::timeout);
  EXPECT_EQ(kind(net::eof), ErrorKind::closed_early);
  EXPECT_EQ(kind(net::connection_reset), ErrorKind::closed_early);
  EXPECT_EQ(kind(net::broken_pipe), ErrorKind::closed_early);
  EXPECT_EQ(kind(boost::asio::ssl::error::stream_truncated), ErrorKind::closed_early);
  EXPECT_EQ(kind(net::no_descriptors), ErrorKind::busy) << "our own shortage, not the origin's fault";
  EXPECT_EQ(kind(net::fault), ErrorKind::io);
}

TEST(Error, FromSystem_NamesTheActionAndTheSide) {
  const auto error = from_system(boost::asio::error::connection_reset, Side::client, "read the request");
  EXPECT_EQ(error.side, Side::client);
  EXPECT_EQ(error.detail.rfind("read the request: ", 0), 0u);
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  ASSERT_TRUE(good.has_value());
  EXPECT_EQ(*good, 7);
  const Result<int> bad = Error{ErrorKind::timeout, Side::origin, "no answer"};
  ASSERT_TRUE(bad.has_error());
  EXPECT_EQ(bad.error().kind, ErrorKind::timeout);
}

TEST(Result, UncheckedFailure_IsAnExceptionThatCarriesTheError) {
  const Result<int> bad = Error{ErrorKind::timeout, Side::origin, "no answer"};
  try {
    static_cast<void>(bad.value());
    FAIL() << "value() of a failure returned";
  } catch (const std::logic_error& thrown) {
    EXPECT_NE(std::string(thrown.what()).find("origin: timeout: no answer"), std::string::npos);
  }
}

}  // namespace
}  // namespace outrider
