// Queries of links in pages that are not UTF-8: browsers encode them in the page's charset, so the robot must as well
// to ask for the same resource. "Percent-encode after encoding" of
// https://url.spec.whatwg.org/#string-percent-encode-after-encoding with the encoders of
// https://encoding.spec.whatwg.org/.
#pragma once

#include "base/url_percent.hpp"

#include <string>
#include <string_view>

namespace outrider {

// `text` is well-formed UTF-8. `charset` is a name (not just any label) of the Encoding Standard, in any case; UTF-8,
// UTF-16, "replacement" and unknown names encode as UTF-8. What the charset lacks becomes "%26%23<decimal>%3B".
void append_percent_encoded_in_charset(std::string& out, std::string_view text, EncodeSet set,
                                       std::string_view charset);

}  // namespace outrider
