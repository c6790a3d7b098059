// The indexes of the Encoding Standard (section 5): what the pointers of the multi-byte encodings and the upper bytes
// of the single-byte ones stand for. They are made of ICU's converters when first asked for, with what the standard has
// differently; the tests hold the checksum of each against the standard's.
#pragma once

#include "base/charset_labels.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace outrider {

enum class CharsetIndex : std::uint8_t { big5, euc_kr, gb18030, gb18030_ranges, jis0208, jis0212 };

// Code points by pointer; 0: none. gb18030_ranges has those of the four-byte sequences in the basic plane, at most
// 39,420 of them. Thread-safe; the vector lives as long as the program.
const std::vector<char32_t>& charset_index(CharsetIndex index);

// Code points of the bytes 0x80 to 0xFF; 0: none.
using SingleByteIndex = std::array<char16_t, 128>;

bool is_single_byte(Encoding encoding);
// `encoding` is a single-byte one.
const SingleByteIndex& single_byte_index(Encoding encoding);

// ICU has no ISO-8859-16: its bytes from 0xA0. Those from 0x80 to 0x9F are themselves.
inline constexpr char16_t kIso8859_16[] =
    u"\u00A0\u0104\u0105\u0141\u20AC\u201E\u0160\u00A7\u0161\u00A9\u0218\u00AB\u0179\u00AD\u017A\u017B"
    u"\u00B0\u00B1\u010C\u0142\u017D\u201D\u00B6\u00B7\u017E\u010D\u0219\u00BB\u0152\u0153\u0178\u017C"
    u"\u00C0\u00C1\u00C2\u0102\u00C4\u0106\u00C6\u00C7\u00C8\u00C9\u00CA\u00CB\u00CC\u00CD\u00CE\u00CF"
    u"\u0110\u0143\u00D2\u00D3\u00D4\u0150\u00D6\u015A\u0170\u00D9\u00DA\u00DB\u00DC\u0118\u021A\u00DF"
    u"\u00E0\u00E1\u00E2\u0103\u00E4\u0107\u00E6\u00E7\u00E8\u00E9\u00EA\u00EB\u00EC\u00ED\u00EE\u00EF"
    u"\u0111\u0144\u00F2\u00F3\u00F4\u0151\u00F6\u015B\u0171\u00F9\u00FA\u00FB\u00FC\u0119\u021B\u00FF";
static_assert(std::size(kIso8859_16) == 96 + 1);

}  // namespace outrider
