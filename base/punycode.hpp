// Punycode (RFC 3492), the ASCII form of internationalised labels, without the "xn--" prefix.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// Both work in quadratic time by design of the format, so labels far longer than DNS allows (63 bytes) are refused.
inline constexpr std::size_t kMaxPunycodeInput = 1000;   // code points, encoding
inline constexpr std::size_t kMaxPunycodeOutput = 2000;  // bytes, decoding

std::optional<std::string> punycode_encode(std::u32string_view label);
std::optional<std::u32string> punycode_decode(std::string_view ascii);

}  // namespace outrider
