#include "base/error.hpp"

#include <fmt/format.h>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>

#include <array>
#include <stdexcept>

namespace outrider {

std::string_view to_string(ErrorKind kind) {
  static constexpr std::array<std::string_view, 23> kNames = {"bad_message",
                                                              "unsupported",
                                                              "bad_version",
                                                              "target_too_long",
                                                              "head_too_large",
                                                              "body_too_large",
                                                              "timeout",
                                                              "dns_failure",
                                                              "address_denied",
                                                              "rule_denied",
                                                              "connect_refused",
                                                              "connect_failed",
                                                              "tls_failed",
                                                              "tls_untrusted",
                                                              "closed_early",
                                                              "parent_refused",
                                                              "busy",
                                                              "cancelled",
                                                              "invalid_argument",
                                                              "not_found",
                                                              "not_stored",
                                                              "io",
                                                              "internal"};
  static_assert(kNames.size() == static_cast<std::size_t>(ErrorKind::internal) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(Side side) {
  static constexpr std::array<std::string_view, 4> kNames = {"self", "client", "origin", "parent"};
  return kNames[static_cast<std::size_t>(side)];
}

std::string Error::to_string() const {
  return fmt::format("{}: {}: {}", outrider::to_string(side), outrider::to_string(kind), detail);
}

Error from_system(const boost::system::error_code& code, Side side, std::string_view doing) {
  namespace net = boost::asio::error;
  ErrorKind kind = ErrorKind::io;
  if (code == net::operation_aborted) {
    kind = ErrorKind::cancelled;
  } else if (code == net::no_descriptors || code == net::no_memory || code == net::no_buffer_space) {
    return Error{ErrorKind::busy, Side::self, fmt::format("{}: {}", doing, code.message()), true};
  } else if (code == net::connection_refused) {
    kind = ErrorKind::connect_refused;
  } else if (code == net::host_unreachable || code == net::network_unreachable ||
             code == net::address_family_not_supported) {
    kind = ErrorKind::connect_failed;
  } else if (code == net::timed_out) {
    kind = ErrorKind::timeout;
  } else if (code == net::eof || code == net::connection_reset || code == net::broken_pipe ||
             code == net::connection_aborted || code == boost::asio::ssl::error::stream_truncated) {
    kind = ErrorKind::closed_early;
  } else if (code.category() == net::get_ssl_category()) {
    kind = ErrorKind::tls_failed;
  }
  return Error{kind, side, fmt::format("{}: {}", doing, code.message())};
}

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  throw std::logic_error(
      fmt::format("{}:{}: unchecked failure: {}", where.file_name(), where.line(), error.to_string()));
}

}  // namespace outrider
