// The Public Suffix List: who can be told apart as an owner. For budgets, politeness and display; the URL Standard
// warns not to base security decisions on it.
#pragma once

#include <string_view>

namespace outrider {

// The part of `host` that somebody registered ("example.co.uk" of "www.example.co.uk"), a view into `host`; "" if the
// host is a public suffix itself. `host` is a domain as Url::hostname() gives it; a final dot stays. Thread-safe.
std::string_view registrable_domain(std::string_view host);

}  // namespace outrider
