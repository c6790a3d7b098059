// Recognises our own requests when they come back to us through other proxies (RFC 9110 section 7.6.3): every forwarded
// message names us in Via, by a pseudonym that no other process has.
#pragma once

#include "base/http_headers.hpp"
#include "base/http_message.hpp"

#include <string>
#include <string_view>

namespace outrider {

// "outrider-" and 8 random hexadecimal digits; made once per process.
std::string make_pseudonym();

// Is `pseudonym` one of the recipients that Via names? In a field whose comments do not end, anywhere counts.
bool has_looped(const HeaderMap& headers, std::string_view pseudonym);

// Appends "1.1 pseudonym"; `received` is the version of the message that came in.
void add_via(HeaderMap& headers, HttpVersion received, std::string_view pseudonym);

}  // namespace outrider
