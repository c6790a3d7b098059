// The certificate of the authority as Apple's devices want it: a configuration profile (mobileconfig).
#pragma once

#include <string>
#include <string_view>

namespace outrider {

// The same certificate gives the same profile, so installing it twice replaces it. `fingerprint`: "AB:CD:…".
std::string mobile_profile(std::string_view name, std::string_view der, std::string_view fingerprint);

}  // namespace outrider
