// What is written down of a response that is kept (RFC 9111 section 3.1).
#pragma once

#include "cache/policy_storability.hpp"
#include "cache/stored_head.hpp"

#include <cstdint>

namespace outrider {

// When the response's head is there; its body is still to come. `verdict.keep` is true.
StoredHead make_stored_head(const StoreQuestion& question, const StoreVerdict& verdict, WallTime request_time,
                            WallTime response_time);

// The body has arrived, complete by its framing. False: it is not what the head announced; throw the entry away.
bool settle_length(StoredHead& stored, std::uint64_t body_length);

// Takes out what is for the next hop only and how the message was framed.
void remove_message_fields(HeaderMap& headers);

// The same, and what the origin does not want to be kept (no-cache="…", private="…"). Used for new responses and for
// those that update a stored one.
void remove_unkept_fields(HeaderMap& headers);

// The same fields in as little memory as possible: entries are many, and a map keeps the text of what was removed.
HeaderMap compact(const HeaderMap& headers);

// A personal answer is used again only for requests that have the fields, too, that we do not know (policy_inputs.hpp):
// with the same value if that may be a key or token.
void record_unknown_inputs(const HeaderMap& request, HeaderMap& vary_request);

}  // namespace outrider
