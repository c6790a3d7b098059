// Internationalised domain names: Unicode ToASCII of UTS 46 (https://www.unicode.org/reports/tr46/) with the parameters
// of the URL Standard's domain parser (beStrict = false).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// `domain` is well-formed UTF-8 that is not all ASCII: the standard passes ASCII domains, "xn--" or not, unchecked but
// for letter case. The result may be empty or hold forbidden code points; the host parser looks at that.
std::optional<std::string> domain_to_ascii(std::string_view domain);

}  // namespace outrider
