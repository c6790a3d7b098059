// What llhttp lets pass and we do not (docs/ARCHITECTURE.md, "parse, validate, re-serialise"): pure functions over a
// typed head. They decide the framing of the body too, so that llhttp and we can never disagree about where a message
// ends.
#pragma once

#include "base/error.hpp"
#include "base/http_message.hpp"

#include <optional>

namespace outrider {

// Failures: bad_message (400), unsupported (501, a transfer coding that we do not know, the method PRI), bad_version
// (505).
// Side::client.
//
// Transfer-Encoding is accepted as exactly one field that says "chunked", in an HTTP/1.1 request without
// Content-Length. Well-formed codings that are plainly something else ("gzip, chunked", "gzip", "foo") are unsupported.
// All other spellings are bad_message, because some other party may read them as chunked: lists with chunked before the
// end or twice, empty elements, parameters, "identity", and any name that contains "chunked".
Result<BodyFraming> validate_request(const RequestHead& head);

// Failures: bad_message, Side::origin. `request_method` is what the response answers.
// Transfer-Encoding must say "chunked" and nothing else; it wins over Content-Length. Equal Content-Length fields count
// as one.
Result<BodyFraming> validate_response(const ResponseHead& head, Method request_method);

// The framing of this (valid) response is usable, but the origin contradicted itself: Transfer-Encoding together with
// Content-Length or in HTTP/1.0, repeated Content-Length, a body announced where there cannot be one (1xx, 204). Its
// connection must not be used again (RFC 9112 section 6.3) and the response must not be stored.
bool framing_is_doubtful(const ResponseHead& head);

// Digits only, below 2^63. No sign, no list, no white space, no base but ten (RFC 9110 section 8.6).
std::optional<std::uint64_t> parse_content_length(std::string_view text);

// RFC 9110 grammar, also used for what people and plugins configure.
bool is_token(std::string_view text);
bool is_field_value(std::string_view text);

// May this field stand in a trailer section? Framing, routing, credentials, controls and content descriptions may not
// (RFC 9110 section 6.5.1): who merges trailers into the head would be fooled.
enum class TrailerRule : std::uint8_t { keep, drop, refuse };
TrailerRule trailer_rule(HeaderId id);

}  // namespace outrider
