// Cache-Control of requests and responses (RFC 9111 section 5.2, RFC 5861, RFC 8246), and Pragma where there is no
// Cache-Control. One pass, no allocation.
//
// What is wrong is read on the safe side: a max-age or s-maxage that is no number counts as 0, other numbers that are
// none count as absent; of repeated directives the first counts (RFC 9111 section 4.2.1); numbers beyond 2^31 are 2^31
// (section 1.2.2). Both "60" and "\"60\"" are 60. A space beside the '=' makes a directive wrong.
#pragma once

#include "base/http_headers.hpp"

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace outrider {

using Seconds = std::chrono::seconds;
inline constexpr Seconds kLongest{2'147'483'648};  // RFC 9111 section 1.2.2

struct RequestDirectives {
  bool no_cache = false;  // or "Pragma: no-cache" without any Cache-Control
  bool no_store = false;
  bool only_if_cached = false;
  bool no_transform = false;
  std::optional<Seconds> max_age;
  std::optional<Seconds> min_fresh;
  std::optional<Seconds> max_stale;  // without a value: kLongest
  std::optional<Seconds> stale_if_error;
};

struct ResponseDirectives {
  bool no_store = false;
  bool no_cache = false;         // without a list of fields
  bool no_cache_fields = false;  // no-cache="a, b": only these fields, see restricted_fields()
  bool is_private = false;
  bool private_fields = false;
  bool is_public = false;
  bool must_revalidate = false;
  bool proxy_revalidate = false;
  bool must_understand = false;
  bool immutable = false;
  bool no_transform = false;
  std::optional<Seconds> max_age;
  std::optional<Seconds> s_maxage;
  std::optional<Seconds> stale_while_revalidate;
  std::optional<Seconds> stale_if_error;
};

RequestDirectives parse_request_directives(const HeaderMap& headers);
ResponseDirectives parse_response_directives(const HeaderMap& headers);

// The names in no-cache="…" and private="…" of a response: fields that are not kept. A list that names a field without
// which the kept bytes could not be used (Content-Type, Content-Encoding, Vary …) is read as the directive without a
// list, and so is an empty one.
std::vector<std::string_view> restricted_fields(const HeaderMap& headers);

// 1*DIGIT, clamped to kLongest; nothing for anything else.
std::optional<Seconds> parse_delta_seconds(std::string_view text);

}  // namespace outrider
