// What a request carries that is not part of the key and may have changed the answer. Somebody could use it to have an
// answer kept that others then get ("cache poisoning"), or somebody's own page could be kept for others.
#pragma once

#include "base/http_message.hpp"
#include "cache/directives.hpp"

#include <cstdint>
#include <string_view>

namespace outrider {

enum class InputKind : std::uint8_t {
  harmless,   // what every browser sends; an answer that depends on it says so in Vary
  unknown,    // nobody can tell: the answer stays with the one who sent it
  dangerous,  // makes servers answer for another URL or method: the answer is not kept
};
InputKind input_kind(const HeaderField& request_field);

// Is the field part of the key after all, because Vary names it?
bool is_keyed(std::string_view name, const HeaderMap& response);

// The most dangerous kind of all fields of the request that Vary does not name.
InputKind unkeyed_inputs(const HeaderMap& request, const HeaderMap& response);

// The answer is for whoever asked: it sets a cookie or the request had some, and the origin does not say that it is for
// everybody; or it allows only the asking site to read it (CORS) without saying so in Vary.
bool is_somebodys(const HeaderMap& request, const HeaderMap& response, const ResponseDirectives& directives);

bool sets_cookie(const HeaderMap& response);

// RFC 9111 section 3.5: the answer to a request with Authorization is good for others, too.
bool may_share_authorized(const ResponseDirectives& directives);

}  // namespace outrider
