// Did a person open a page, or did a page, a script or the browser's own curiosity ask for something? Browsers say so
// in Sec-Fetch-* where the origin is trustworthy (HTTPS, localhost); on plain HTTP the signs are weaker.
#pragma once

#include "base/http_message.hpp"

#include <cstdint>

namespace outrider {

enum class VisitSigns : std::uint8_t {
  none,      // certainly not a visit
  possible,  // a navigation; whether of the whole window or of a frame cannot be seen
  certain,   // a navigation of the whole window
};

// Of the request alone.
VisitSigns visit_signs(const RequestHead& request);
// Redirects, and answers that leave the old page in place, are steps on the way, not pages.
bool shows_a_page(int status);

}  // namespace outrider
