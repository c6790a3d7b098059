// Content Security Policies (https://www.w3.org/TR/CSP3/) of pages that get one script and one frame of ours: the
// smallest addition that admits exactly these, or the word that it cannot be done. Nothing that a policy says is taken
// away.
//
// A nonce of the page is used as it is where URLs do not count ('strict-dynamic'). Where a directive falls back to
// another one (default-src), that one is not widened; its list is repeated under the narrower name.
#pragma once

#include "base/http_headers.hpp"

#include <string>
#include <string_view>

namespace outrider {

struct CspGuests {
  std::string script_url;              // absolute, without query, ';' and ','; "" = no script
  bool script_is_same_origin = false;  // as the page: 'self' admits it
  std::string frame_origin;            // "https://outrider.internal"; "" = no frame
};

struct CspVerdict {
  bool possible = true;
  bool changed = false;
  std::string nonce;  // the script must carry it; "" = it need not
  // What could not be admitted; for the log.
  std::string reason;
};

// `policies` is a field value or the content of a <meta>: one policy, or several with commas between, all of which
// hold. It is changed only if that is possible.
CspVerdict admit_guests(std::string& policies, const CspGuests& guests);

// All Content-Security-Policy fields of an answer. Report-only ones are extended where possible, and forbid nothing.
CspVerdict admit_guests(HeaderMap& headers, const CspGuests& guests);

}  // namespace outrider
