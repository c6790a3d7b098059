// Everything that can go wrong on the way to an answer, and what it means: the status code and the RFC 9209 error type
// for programs, plain words and advice for people. Used by proxy/responder, which is the only place where errors become
// answers, and listed at http://outrider.internal/errors.
#pragma once

#include "base/error.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

enum class FailureId : std::uint8_t {
  // clang-format off
  // the request
  bad_request, target_too_long, head_too_large, body_too_large, unsupported, bad_version, request_timeout,
  method_not_allowed,
  // the way to the origin
  dns_failure, dns_timeout, connect_refused, connect_failed, connect_timeout, tls_failed, tls_untrusted,
  // what the origin answers
  response_timeout, closed_before_response, closed_in_response, bad_response, response_head_too_large,
  response_body_too_large,
  // the parent proxy
  parent_refused, parent_failed,
  // our own rules and state
  denied, address_denied, authentication_required, too_many, loop, busy, not_stored, not_found, foreign_host, local_only, cancelled, internal,
  // clang-format on
  count_
};

// Where on the way from the client to the origin it stopped; nowhere: it was about a page of ours, there was no way to
// go.
enum class Stop : std::uint8_t { client, proxy, parent, origin, nowhere };

struct Failure {
  FailureId id;
  std::string_view name;  // stable, for programs: the fragment of the problem type
  int status;
  std::string_view proxy_error;  // RFC 9209 section 2.3; empty where the RFC has no word for it
  Stop stop;
  bool worth_repeating;                    // the same request may well succeed in a moment
  std::string_view title;                  // $host stands for the name of the site
  std::string_view what;                   // one or two sentences
  std::array<std::string_view, 3> advice;  // what the person can do; may end early
};

const Failure& failure(FailureId id);
std::span<const Failure> all_failures();

// What an Error amounts to. Status and error type are usually those of the failure; behind a parent proxy the words are
// about the parent while the type still says what happened to the connection.
struct Verdict {
  FailureId id;
  int status;
  std::string_view proxy_error;
};
Verdict judge(const Error& error);

// `text` with every $host replaced; by "the site" if the host is unknown.
std::string with_host(std::string_view text, std::string_view host);

// For the certificate failures that OpenSSL names: what its words mean. Empty if there is nothing to add.
std::string_view certificate_reason(std::string_view detail);

}  // namespace outrider
