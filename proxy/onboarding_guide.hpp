// How a person makes a browser or device use Outrider and trust its certificates, and how to undo it: one fold-out per
// platform. Part of proxy/onboarding_page.
#pragma once

#include <string>
#include <string_view>

namespace outrider {

// `address`: what is entered as the proxy, "127.0.0.1:8282". With `this_machine_only` other devices are told why they
// cannot use it.
std::string proxy_guide(std::string_view address, bool this_machine_only);
// `name` is that of the authority.
std::string trust_guide(std::string_view address, std::string_view name, bool this_machine_only);

}  // namespace outrider
