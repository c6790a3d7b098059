// Properties of characters as Unicode 17.0 has them, for what domain names need: ICU's data, corrected by the few rows
// of unicode17_tables.hpp where ICU is older. Names accepted by browsers of today must not fail here because of the
// package.
#pragma once

#include <unicode/uchar.h>

#include <string>
#include <string_view>

namespace outrider::unicode17 {

// Appends what UTS 46 (nontransitional, UseSTD3ASCIIRules=false) maps the code point to; false if it is disallowed.
bool append_idna_mapping(std::u32string& out, char32_t code_point);
// Status "valid" or "deviation": mapped to itself.
bool is_idna_valid(char32_t code_point);

bool is_mark(char32_t code_point);  // general category Mn, Mc or Me
std::uint8_t combining_class(char32_t code_point);
UCharDirection bidi_class(char32_t code_point);
UJoiningType joining_type(char32_t code_point);

std::u32string to_nfc(std::u32string_view text);

}  // namespace outrider::unicode17
