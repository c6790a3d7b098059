// UTF-8 as the Encoding Standard's decoder sees it: https://encoding.spec.whatwg.org/#utf-8-decoder
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

bool is_ascii(std::string_view bytes);
bool is_valid_utf8(std::string_view bytes);

// Decodes the code point at `at` and moves `at` behind it; nothing: an ill-formed sequence (maximal subpart, as the
// decoder of the standard sees it). `at` must be inside `bytes`.
std::optional<char32_t> decode_code_point(std::string_view bytes, std::size_t& at);
// The same with U+FFFD for each ill-formed sequence.
char32_t next_code_point(std::string_view bytes, std::size_t& at);

// `code_point` must not be a surrogate.
void append_utf8(std::string& out, char32_t code_point);

// A copy in which every ill-formed sequence is U+FFFD.
std::string replace_invalid_utf8(std::string_view bytes);

std::u32string to_utf32(std::string_view bytes);

}  // namespace outrider
