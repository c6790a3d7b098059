#include "base/url_idna.hpp"

#include "base/punycode.hpp"
#include "base/unicode17.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <vector>

namespace outrider {
namespace {

constexpr char32_t kZeroWidthNonJoiner = 0x200C;
constexpr char32_t kZeroWidthJoiner = 0x200D;
constexpr std::u32string_view kAcePrefix = U"xn--";

bool is_ascii(std::u32string_view text) {
  return std::all_of(text.begin(), text.end(), [](char32_t c) { return c < 0x80; });
}

bool is_virama(char32_t c) {
  return unicode17::combining_class(c) == 9;
}

// ContextJ rules, RFC 5892 appendix A.1 and A.2.
bool is_joiner_allowed(std::u32string_view label, std::size_t at) {
  if (at > 0 && is_virama(label[at - 1])) return true;
  if (label[at] == kZeroWidthJoiner) return false;
  std::size_t before = at;
  UJoiningType type = U_JT_TRANSPARENT;
  while (before > 0 && type == U_JT_TRANSPARENT) type = unicode17::joining_type(label[--before]);
  if (type != U_JT_LEFT_JOINING && type != U_JT_DUAL_JOINING) return false;
  type = U_JT_TRANSPARENT;
  for (std::size_t after = at + 1; after < label.size() && type == U_JT_TRANSPARENT; ++after)
    type = unicode17::joining_type(label[after]);
  return type == U_JT_RIGHT_JOINING || type == U_JT_DUAL_JOINING;
}

// Validity criteria of UTS 46 section 4.1, with CheckHyphens=false and CheckJoiners=true; the Bidi rule is checked
// apart.
bool is_valid_label(std::u32string_view label) {
  if (label.empty()) return true;
  if (label.starts_with(kAcePrefix) || unicode17::is_mark(label[0])) return false;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] == U'.' || !unicode17::is_idna_valid(label[i])) return false;
    const bool is_joiner = label[i] == kZeroWidthNonJoiner || label[i] == kZeroWidthJoiner;
    if (is_joiner && !is_joiner_allowed(label, i)) return false;
  }
  return true;
}

unsigned bit_of(UCharDirection direction) {
  return 1U << direction;
}

constexpr unsigned kRightToLeft = 1U << U_RIGHT_TO_LEFT | 1U << U_RIGHT_TO_LEFT_ARABIC;
constexpr unsigned kEuropean = 1U << U_EUROPEAN_NUMBER;
constexpr unsigned kArabic = 1U << U_ARABIC_NUMBER;
constexpr unsigned kNeutral = 1U << U_EUROPEAN_NUMBER_SEPARATOR | 1U << U_COMMON_NUMBER_SEPARATOR |
                              1U << U_EUROPEAN_NUMBER_TERMINATOR | 1U << U_OTHER_NEUTRAL | 1U << U_BOUNDARY_NEUTRAL |
                              1U << U_DIR_NON_SPACING_MARK;

bool has_right_to_left(std::u32string_view label) {
  return std::any_of(label.begin(), label.end(),
                     [](char32_t c) { return bit_of(unicode17::bidi_class(c)) & (kRightToLeft | kArabic); });
}

// The Bidi rule, RFC 5893 section 2.
bool satisfies_bidi_rule(std::u32string_view label) {
  if (label.empty()) return true;
  const unsigned first = bit_of(unicode17::bidi_class(label[0]));
  const bool is_rtl = (first & kRightToLeft) != 0;
  if (!is_rtl && first != 1U << U_LEFT_TO_RIGHT) return false;  // 1
  unsigned seen = 0, last = 0;
  for (char32_t c : label) {
    const unsigned bit = bit_of(unicode17::bidi_class(c));
    seen |= bit;
    if (bit != 1U << U_DIR_NON_SPACING_MARK) last = bit;
  }
  if (is_rtl) {
    if (seen & ~(kRightToLeft | kArabic | kEuropean | kNeutral)) return false;  // 2
    if (!(last & (kRightToLeft | kEuropean | kArabic))) return false;           // 3
    return !((seen & kEuropean) && (seen & kArabic));                           // 4
  }
  if (seen & ~(1U << U_LEFT_TO_RIGHT | kEuropean | kNeutral)) return false;  // 5
  return (last & (1U << U_LEFT_TO_RIGHT | kEuropean)) != 0;                  // 6
}

// A label as it is after mapping and normalization, to its checked Unicode form.
bool to_unicode_label(std::u32string_view label, std::u32string& out) {
  if (!label.starts_with(kAcePrefix)) {
    out = label;
    return is_valid_label(out);
  }
  if (!is_ascii(label)) return false;
  std::optional<std::u32string> decoded = punycode_decode(std::string(label.begin() + kAcePrefix.size(), label.end()));
  if (!decoded || is_ascii(*decoded)) return false;  // an empty label is ASCII as well
  out = std::move(*decoded);
  return unicode17::to_nfc(out) == out && is_valid_label(out);
}

}  // namespace

std::optional<std::string> domain_to_ascii(std::string_view domain) {
  // Section 4, processing: map, normalize, break, convert and validate.
  std::u32string mapped;
  for (std::size_t at = 0; at < domain.size();)
    if (!unicode17::append_idna_mapping(mapped, next_code_point(domain, at))) return std::nullopt;
  const std::u32string normalized = unicode17::to_nfc(mapped);
  std::vector<std::u32string> labels;
  bool is_bidi_domain = false;
  for (std::size_t begin = 0; begin <= normalized.size();) {
    const std::size_t end = std::min(normalized.find(U'.', begin), normalized.size());
    std::u32string& label = labels.emplace_back();
    if (!to_unicode_label(std::u32string_view(normalized).substr(begin, end - begin), label)) return std::nullopt;
    is_bidi_domain = is_bidi_domain || has_right_to_left(label);
    begin = end + 1;
  }
  if (is_bidi_domain && !std::all_of(labels.begin(), labels.end(), satisfies_bidi_rule)) return std::nullopt;

  std::string out;
  for (const std::u32string& label : labels) {
    if (&label != &labels.front()) out.push_back('.');
    if (is_ascii(label)) {
      out.append(label.begin(), label.end());
    } else {
      const std::optional<std::string> encoded = punycode_encode(label);
      if (!encoded) return std::nullopt;
      out.append("xn--").append(*encoded);
    }
  }
  return out;
}

}  // namespace outrider
