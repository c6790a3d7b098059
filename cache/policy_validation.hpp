// Asking the origin whether a stored response is still right, and what its answer changes (RFC 9111 section 4.3).
#pragma once

#include "cache/policy_rules.hpp"
#include "cache/stored_head.hpp"

#include <cstddef>
#include <span>

namespace outrider {

// Makes the request conditional: If-None-Match with the entity tags of the selected variant and of others that the
// origin may confirm instead, If-Modified-Since with the date of the selected one (`selected` may be Selection::kNone).
// The client's own two are replaced; its Range and If-Range stay. `request` is the copy that goes to the origin: keep
// the client's for plan_answer(). Entries that are no success have no say, nor have parts that were not selected.
// False: nothing to ask with; then the client's own fields stay.
bool add_conditions(HeaderMap& request, std::span<const StoredHead* const> variants, std::size_t selected);

// Which stored response a 304 to such a request speaks of (section 4.3.4).
struct Confirmed {
  std::size_t index;   // Selection::kNone: of none that we have: it answers the client's own conditions, pass it on; or
                       // if the client had none, ask again without conditions
  bool update = true;  // false: it names another validator, so it confirms but does not change what is stored
};
Confirmed confirmed_by(const ResponseHead& not_modified, std::span<const StoredHead* const> variants,
                       std::size_t selected);

// What the 304 changes for all who come later (section 3.2). `request` as the client sent it. False: the origin does
// not want it kept any longer (no-store, private …); answer with it once and remove it.
bool freshen(StoredHead& stored, const ResponseHead& not_modified, const HeaderMap& request, const CacheRules& rules,
             WallTime request_time, WallTime response_time);

// The head for the one whose request the 304 answers: with all that it says, also what is for nobody else and kept from
// the others by freshen() (a cookie, an echo, whatever a password was answered). `all` is Confirmed::update: without
// it only the cookies. The head is personal if it says what that for the others does not.
StoredHead head_for_asker(const StoredHead& stored, const ResponseHead& not_modified, bool all,
                          const StoredHead& for_others, WallTime request_time, WallTime response_time);

// After freshen(): nothing is new, or nothing but the time of the last confirmation is new, and since the response has
// to be confirmed each time (no-cache) nothing depends on that.
bool only_confirms(const StoredHead& before, const StoredHead& after);

// The origin's answer to a HEAD, applied to a stored response to GET that could have answered it (section 4.3.5).
enum class HeadEffect : std::uint8_t { none, updated, invalidated };
HeadEffect apply_head_answer(StoredHead& stored, const ResponseHead& answer, const HeaderMap& request,
                             const CacheRules& rules, WallTime request_time, WallTime response_time);

}  // namespace outrider
