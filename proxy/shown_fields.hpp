// Which header fields of an exchange a person may see in the monitor: the names of all, the values only of those that
// say how HTTP works and nothing about the person. Unknown fields may hold anything, so their values are not shown.
#pragma once

#include "base/http_headers.hpp"
#include "proxy/exchange_record.hpp"

namespace outrider {

inline constexpr std::string_view kNotShown = "(not shown)";

ExchangeRecord::Fields shown_fields(const HeaderMap& headers);

}  // namespace outrider
