// Which of several responses to one URL answers a request (RFC 9111 section 4.1).
//
// The values of the fields that Vary names are kept normalised: lines joined, white space around commas gone, empty
// elements gone; Accept-Language and Accept-Encoding in lower case, in the order of their weights and then of the
// alphabet (among equal weights order means nothing: RFC 9110 section 12.4.2). Credentials (Cookie, Authorization) are
// kept as a SHA-256. A field that was absent is kept as "", one that was there and empty as ",", and ",*" stands for
// "was there": so are fields written down that Vary does not name and we do not know (policy_storability.hpp).
#pragma once

#include "base/http_message.hpp"
#include "cache/stored_head.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace outrider {

// star: nothing ever matches. too_much: more than we want to keep.
enum class VaryRecord : std::uint8_t { recorded, star, too_much };
VaryRecord record_vary(const HeaderMap& response, const HeaderMap& request, HeaderMap& vary_request);
// For a field that Vary does not name and we do not know: from now on only requests that have it, too, whatever its
// value; the same value if by its name it may be a key or token.
void record_unknown(std::string_view name, const HeaderMap& request, HeaderMap& vary_request);

// Does the request match the one that the stored response answered? Besides Vary: a Content-Encoding that the client
// does not accept never matches, and a response in the one language that the request wants most does, whatever else
// Accept-Language says.
bool vary_matches(const StoredHead& stored, const HeaderMap& request);

struct Selection {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t index = kNone;
  bool vary_miss = false;  // there were responses, but for other requests
  bool found() const { return index != kNone; }
};
// The most recent one (by Date) of those that match: first of those that hold what is asked for, else a part of it.
Selection select_variant(std::span<const StoredHead* const> variants, const RequestHead& request);

}  // namespace outrider
