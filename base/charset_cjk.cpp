// Big5, EUC-KR, gb18030, Shift_JIS and EUC-JP: sections 10 to 13 of the Encoding Standard. In all of them a character
// is one ASCII byte or begins with a lead byte; an ASCII byte that makes no character with the lead before it is looked
// at again ("prepended"), so that no markup can hide behind half a character.
#include "base/ascii_run.hpp"
#include "base/charset_decoders.hpp"
#include "base/charset_index.hpp"
#include "base/utf8.hpp"

namespace outrider {
namespace {

constexpr char32_t kHalfWidthKatakana = 0xFF61;

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

bool between(unsigned byte, unsigned low, unsigned high) {
  return byte >= low && byte <= high;
}

char32_t find(const std::vector<char32_t>& index, std::size_t pointer) {
  return pointer < index.size() ? index[pointer] : 0;
}

// Copies ASCII and calls `character(at)` for what is not; it appends to `out` and returns how many bytes it has used.
template <class Character>
void decode_with(std::string& out, std::string_view bytes, Character character) {
  out.reserve(out.size() + bytes.size() + bytes.size() / 2);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = skip_ascii(bytes, at);
    out.append(bytes, at, end - at);
    for (at = end; at < bytes.size() && byte_at(bytes, at) >= 0x80;) at += character(at);
  }
}

std::size_t fail(std::string& out, std::size_t used) {
  append_utf8(out, kReplacementCharacter);
  return used;
}

// Behind a lead byte: the code point that was found for it and `trail`, or an error that leaves an ASCII trail alone.
std::size_t finish_pair(std::string& out, char32_t code_point, unsigned trail) {
  if (code_point == 0) return fail(out, trail < 0x80 ? 1 : 2);
  append_utf8(out, code_point);
  return 2;
}

}  // namespace

void append_big5(std::string& out, std::string_view bytes) {  // section 11.1.1
  const auto& index = charset_index(CharsetIndex::big5);
  decode_with(out, bytes, [&](std::size_t at) -> std::size_t {
    const unsigned lead = byte_at(bytes, at);
    if (!between(lead, 0x81, 0xFE) || at + 1 == bytes.size()) return fail(out, 1);
    const unsigned trail = byte_at(bytes, at + 1);
    if (!between(trail, 0x40, 0x7E) && !between(trail, 0xA1, 0xFE)) return finish_pair(out, 0, trail);
    const std::size_t pointer = (lead - 0x81) * 157 + (trail - (trail < 0x7F ? 0x40 : 0x62));
    switch (pointer) {  // two code points each
      case 1133:
        out += "\u00CA\u0304";
        return 2;
      case 1135:
        out += "\u00CA\u030C";
        return 2;
      case 1164:
        out += "\u00EA\u0304";
        return 2;
      case 1166:
        out += "\u00EA\u030C";
        return 2;
      default:
        return finish_pair(out, find(index, pointer), trail);
    }
  });
}

void append_euc_kr(std::string& out, std::string_view bytes) {  // section 13.1.1
  const auto& index = charset_index(CharsetIndex::euc_kr);
  decode_with(out, bytes, [&](std::size_t at) -> std::size_t {
    const unsigned lead = byte_at(bytes, at);
    if (!between(lead, 0x81, 0xFE) || at + 1 == bytes.size()) return fail(out, 1);
    const unsigned trail = byte_at(bytes, at + 1);
    const bool in_range = between(trail, 0x41, 0xFE);
    return finish_pair(out, in_range ? find(index, (lead - 0x81) * 190 + (trail - 0x41)) : 0, trail);
  });
}

void append_gb18030(std::string& out, std::string_view bytes) {  // section 10.2.1
  const auto& index = charset_index(CharsetIndex::gb18030);
  const auto& ranges = charset_index(CharsetIndex::gb18030_ranges);
  const auto four_bytes = [&](std::size_t at) -> char32_t {
    const std::size_t pointer =
        (((byte_at(bytes, at) - 0x81) * 10 + byte_at(bytes, at + 1) - 0x30) * 126 + byte_at(bytes, at + 2) - 0x81) *
            10 +
        byte_at(bytes, at + 3) - 0x30;
    if (pointer >= 189'000 && pointer <= 1'237'575) return static_cast<char32_t>(pointer - 189'000 + 0x10000);
    return find(ranges, pointer);
  };
  decode_with(out, bytes, [&](std::size_t at) -> std::size_t {
    const unsigned lead = byte_at(bytes, at);
    if (lead == 0x80) {
      append_utf8(out, 0x20AC);
      return 1;
    }
    if (lead == 0xFF || at + 1 == bytes.size()) return fail(out, 1);
    const unsigned second = byte_at(bytes, at + 1);
    if (between(second, 0x30, 0x39)) {
      if (at + 2 == bytes.size()) return fail(out, 2);
      if (!between(byte_at(bytes, at + 2), 0x81, 0xFE)) return fail(out, 1);
      if (at + 3 == bytes.size()) return fail(out, 3);
      if (!between(byte_at(bytes, at + 3), 0x30, 0x39)) return fail(out, 1);
      const char32_t code_point = four_bytes(at);
      append_utf8(out, code_point != 0 ? code_point : kReplacementCharacter);
      return 4;
    }
    const bool in_range = between(second, 0x40, 0x7E) || between(second, 0x80, 0xFE);
    const std::size_t pointer = (lead - 0x81) * 190 + (second - (second < 0x7F ? 0x40 : 0x41));
    return finish_pair(out, in_range ? find(index, pointer) : 0, second);
  });
}

void append_shift_jis(std::string& out, std::string_view bytes) {  // section 12.3.1
  const auto& index = charset_index(CharsetIndex::jis0208);
  decode_with(out, bytes, [&](std::size_t at) -> std::size_t {
    const unsigned lead = byte_at(bytes, at);
    if (lead == 0x80 || between(lead, 0xA1, 0xDF)) {
      append_utf8(out, lead == 0x80 ? char32_t{0x80} : kHalfWidthKatakana + lead - 0xA1);
      return 1;
    }
    if (lead == 0xA0 || lead > 0xFC || at + 1 == bytes.size()) return fail(out, 1);
    const unsigned trail = byte_at(bytes, at + 1);
    if (!between(trail, 0x40, 0x7E) && !between(trail, 0x80, 0xFC)) return finish_pair(out, 0, trail);
    const std::size_t pointer = (lead - (lead < 0xA0 ? 0x81 : 0xC1)) * 188 + (trail - (trail < 0x7F ? 0x40 : 0x41));
    // Characters of one's own: the standard keeps them, for what Windows did.
    const bool own = pointer >= 8836 && pointer <= 10715;
    return finish_pair(out, own ? static_cast<char32_t>(0xE000 - 8836 + pointer) : find(index, pointer), trail);
  });
}

void append_euc_jp(std::string& out, std::string_view bytes) {  // section 12.1.1
  const auto& jis0208 = charset_index(CharsetIndex::jis0208);
  const auto& jis0212 = charset_index(CharsetIndex::jis0212);
  const auto pair = [](const std::vector<char32_t>& index, unsigned lead, unsigned trail) -> char32_t {
    if (!between(lead, 0xA1, 0xFE) || !between(trail, 0xA1, 0xFE)) return 0;
    return find(index, (lead - 0xA1) * 94 + trail - 0xA1);
  };
  decode_with(out, bytes, [&](std::size_t at) -> std::size_t {
    const unsigned lead = byte_at(bytes, at);
    if ((!between(lead, 0x8E, 0x8F) && !between(lead, 0xA1, 0xFE)) || at + 1 == bytes.size()) return fail(out, 1);
    const unsigned trail = byte_at(bytes, at + 1);
    if (lead == 0x8E && between(trail, 0xA1, 0xDF)) return finish_pair(out, kHalfWidthKatakana + trail - 0xA1, trail);
    if (lead != 0x8F || !between(trail, 0xA1, 0xFE)) return finish_pair(out, pair(jis0208, lead, trail), trail);
    if (at + 2 == bytes.size()) return fail(out, 2);
    return 1 + finish_pair(out, pair(jis0212, trail, byte_at(bytes, at + 2)), byte_at(bytes, at + 2));
  });
}

}  // namespace outrider
