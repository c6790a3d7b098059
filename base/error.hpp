// Expected failures as values: what happened, whose fault it was, and whether the same request may be sent again.
// Everything below proxy/responder returns these; only proxy/responder turns one into a status code.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace outrider {

enum class ErrorKind : std::uint8_t {
  bad_message,       // syntax or framing that we refuse
  unsupported,       // understood, but not something we do (transfer coding, scheme)
  bad_version,       // an HTTP version that we do not speak
  target_too_long,   // the request target is over its limit
  head_too_large,    // the header or trailer section is over its limit
  body_too_large,    // the body is over its limit
  timeout,           // a deadline passed
  dns_failure,       // the name does not resolve
  address_denied,    // the class of the destination's address is forbidden, or the address is our own
  rule_denied,       // a configured rule forbids the destination: its name, port or network
  connect_refused,   // nobody listens there
  connect_failed,    // unreachable, reset during connect
  tls_failed,        // the handshake failed
  tls_untrusted,     // the certificate was refused: name, date, issuer
  closed_early,      // the peer closed or reset in the middle of a message
  parent_refused,    // the parent proxy answered with anything but success
  busy,              // our own limit on concurrent work
  cancelled,         // nobody wants the result any more
  invalid_argument,  // the caller's or the user's input
  not_found,
  not_stored,  // only a stored answer was wanted, and there is none
  io,          // a system call on our side failed
  internal,    // a bug of ours, reported instead of crashing
};

// Whose message or machine caused the failure.
enum class Side : std::uint8_t { self, client, origin, parent };

struct Error {
  ErrorKind kind = ErrorKind::internal;
  Side side = Side::self;
  bool retry_safe = false;  // true: nothing of the request can have been acted upon
  std::string detail;       // for people: one sentence, no secrets, no query strings

  Error() = default;
  Error(ErrorKind k, Side s, std::string d, bool retry = false)
      : kind(k), side(s), retry_safe(retry), detail(std::move(d)) {}

  // "origin: connect_refused: nobody listens at 127.0.0.1:9"
  std::string to_string() const;
};

std::string_view to_string(ErrorKind kind);
std::string_view to_string(Side side);

// An Asio or system error code on a connection to `side`, in our terms.
Error from_system(const boost::system::error_code& code, Side side, std::string_view doing);

template <class T>
using Result = boost::system::result<T, Error>;

// Called by Result::value() on a failure: that is a bug in the caller, so it is an exception.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);

}  // namespace outrider
