// The content of the small pages at the proxy's own address (the large one is proxy/onboarding_page); proxy/own_site
// decides who gets which.
#pragma once

#include <string>
#include <string_view>

namespace outrider {

// What each error of the proxy means; the problem types of error documents lead here.
std::string errors_page();

// A proxy auto-configuration script. `address` has been checked to be host:port. With `fall_back` browsers go on
// without the proxy while it is not running.
std::string pac_file(std::string_view address, bool fall_back);

inline constexpr std::string_view kFavicon =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"6\" "
    "fill=\"#0b5a69\"/>"
    "<path d=\"M4.5 8h7M9 5.5 11.5 8 9 10.5\" fill=\"none\" stroke=\"#fff\" stroke-width=\"1.5\"/></svg>\n";

}  // namespace outrider
