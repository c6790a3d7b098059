// The host parser of the URL Standard (https://url.spec.whatwg.org/#host-parsing), as used inside base/url.
#pragma once

#include "base/url.hpp"

#include <string>
#include <string_view>

namespace outrider {

// Why something is not a URL: a sentence for people, or nullptr if it is one.
using UrlProblem = const char*;

// Appends the serialised host to `out` (on failure `out` may hold a part of it). `input` is well-formed UTF-8.
[[nodiscard]] UrlProblem append_host(std::string& out, HostKind& kind, std::string_view input, bool special);

}  // namespace outrider
