#include "proxy/failure.hpp"

namespace outrider {
namespace {

FailureId client_failure(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::target_too_long:
      return FailureId::target_too_long;
    case ErrorKind::head_too_large:
      return FailureId::head_too_large;
    case ErrorKind::body_too_large:
      return FailureId::body_too_large;
    case ErrorKind::unsupported:
      return FailureId::unsupported;
    case ErrorKind::bad_version:
      return FailureId::bad_version;
    case ErrorKind::timeout:
      return FailureId::request_timeout;
    case ErrorKind::cancelled:
      return FailureId::cancelled;
    case ErrorKind::busy:
      return FailureId::busy;
    case ErrorKind::address_denied:
      return FailureId::address_denied;
    case ErrorKind::rule_denied:
      return FailureId::denied;
    case ErrorKind::not_found:
      return FailureId::not_found;
    case ErrorKind::not_stored:
      return FailureId::not_stored;
    case ErrorKind::internal:
      return FailureId::internal;
    default:
      return FailureId::bad_request;
  }
}

FailureId own_failure(const Error& error) {
  switch (error.kind) {
    case ErrorKind::timeout:
      return FailureId::busy;  // no connection became free in time
    case ErrorKind::bad_message:
    case ErrorKind::invalid_argument:
      return FailureId::bad_request;
    case ErrorKind::target_too_long:
    case ErrorKind::head_too_large:
    case ErrorKind::body_too_large:
    case ErrorKind::unsupported:
    case ErrorKind::bad_version:
    case ErrorKind::cancelled:
    case ErrorKind::busy:
    case ErrorKind::address_denied:
    case ErrorKind::rule_denied:
    case ErrorKind::not_found:
    case ErrorKind::not_stored:
      return client_failure(error.kind);
    case ErrorKind::dns_failure:
      return error.retry_safe ? FailureId::dns_timeout : FailureId::dns_failure;
    default:
      return FailureId::internal;
  }
}

// On the way to, or by, the next machine: the origin or a parent proxy.
FailureId next_hop_failure(const Error& error) {
  switch (error.kind) {
    case ErrorKind::bad_message:
    case ErrorKind::unsupported:
    case ErrorKind::bad_version:
      return FailureId::bad_response;
    case ErrorKind::target_too_long:
    case ErrorKind::head_too_large:
      return FailureId::response_head_too_large;
    case ErrorKind::body_too_large:
      return FailureId::response_body_too_large;
    // Before anything was sent it can only have been the connection.
    case ErrorKind::timeout:
      return error.retry_safe ? FailureId::connect_timeout : FailureId::response_timeout;
    // The resolver calls it retryable when it got no answer at all, as opposed to the answer that there is no such
    // name.
    case ErrorKind::dns_failure:
      return error.retry_safe ? FailureId::dns_timeout : FailureId::dns_failure;
    case ErrorKind::connect_refused:
      return FailureId::connect_refused;
    case ErrorKind::connect_failed:
      return FailureId::connect_failed;
    case ErrorKind::tls_failed:
      return FailureId::tls_failed;
    case ErrorKind::tls_untrusted:
      return FailureId::tls_untrusted;
    case ErrorKind::closed_early:
      return error.retry_safe ? FailureId::closed_before_response : FailureId::closed_in_response;
    case ErrorKind::io:
      return FailureId::closed_before_response;
    case ErrorKind::parent_refused:
      return FailureId::parent_refused;
    case ErrorKind::address_denied:
      return FailureId::address_denied;
    case ErrorKind::rule_denied:
      return FailureId::denied;
    case ErrorKind::busy:
      return FailureId::busy;
    case ErrorKind::cancelled:
      return FailureId::cancelled;
    case ErrorKind::invalid_argument:
      return FailureId::bad_request;
    case ErrorKind::not_found:
      return FailureId::not_found;
    case ErrorKind::not_stored:
      return FailureId::not_stored;
    case ErrorKind::internal:
      return FailureId::internal;
  }
  return FailureId::internal;
}

FailureId failure_of(const Error& error) {
  // Whoever reports these: the rule is ours, and only a parent can have refused for a parent.
  if (error.kind == ErrorKind::parent_refused) return FailureId::parent_refused;
  switch (error.side) {
    case Side::client:
      return client_failure(error.kind);
    case Side::self:
      return own_failure(error);
    case Side::origin:
    case Side::parent:
      return next_hop_failure(error);
  }
  return FailureId::internal;
}

}  // namespace

Verdict judge(const Error& error) {
  const Failure& found = failure(failure_of(error));
  Verdict verdict{found.id, found.status, found.proxy_error};
  if (error.side == Side::parent && found.stop == Stop::origin) verdict.id = FailureId::parent_failed;
  return verdict;
}

}  // namespace outrider
