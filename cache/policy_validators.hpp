// Entity tags and modification dates, compared (RFC 9110 sections 8.8 and 13.1). Tags that are not well-formed (no
// quotes) are taken as they are: servers send them, and clients send them back.
#pragma once

#include "cache/stored_head.hpp"

#include <string_view>

namespace outrider {

bool is_weak_tag(std::string_view tag);                            // W/"…"
bool tags_match_strongly(std::string_view a, std::string_view b);  // section 8.8.3.2
bool tags_match_weakly(std::string_view a, std::string_view b);

// Is `tag` in the list of all If-None-Match fields, compared weakly? "*" is in no list: ask lists_any().
bool none_match_lists(const HeaderMap& headers, std::string_view tag);
bool none_match_any(const HeaderMap& headers);  // If-None-Match: *

// Last-Modified can be trusted to tell two versions apart: it is at least a second before Date (section 8.8.2.2).
bool last_modified_is_strong(const StoredHead& stored);
// What may stand in If-Range for it: its strong ETag, or its Last-Modified if that is strong, or "".
std::string_view strong_validator(const StoredHead& stored);

}  // namespace outrider
