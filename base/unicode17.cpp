#include "base/unicode17.hpp"

#include "base/unicode17_tables.hpp"

#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace outrider::unicode17 {
namespace {

template <class Row, std::size_t N>
const Row* find_row(const Row (&rows)[N], char32_t code_point) {
  const Row* row = std::upper_bound(std::begin(rows), std::end(rows), code_point,
                                    [](char32_t c, const Row& candidate) { return c < candidate.first; });
  if (row == std::begin(rows)) return nullptr;
  --row;
  return code_point <= row->last ? row : nullptr;
}

// ICU's normalizers live as long as the library and are immutable. Their data is part of libicudata.
const UNormalizer2* load_normalizer(const char* name) {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* normalizer = unorm2_getInstance(nullptr, name, UNORM2_COMPOSE, &error);
  if (U_FAILURE(error)) throw std::runtime_error("ICU's normalization data is missing");
  return normalizer;
}

const UNormalizer2* uts46_normalizer() {
  static const UNormalizer2* const normalizer = load_normalizer("uts46");
  return normalizer;
}

const UNormalizer2* nfc_normalizer() {
  static const UNormalizer2* const normalizer = load_normalizer("nfc");
  return normalizer;
}

void append_utf16(std::u32string& out, const UChar* units, int32_t length) {
  for (int32_t i = 0; i < length;) {
    UChar32 c;
    U16_NEXT(units, i, length, c);
    out.push_back(static_cast<char32_t>(c));
  }
}

void append_decomposition(std::u32string& out, char32_t c) {
  const auto* row = std::find_if(std::begin(kDecompositions), std::end(kDecompositions),
                                 [c](const DecompositionRow& candidate) { return candidate.composed == c; });
  if (row != std::end(kDecompositions)) {
    append_decomposition(out, row->first);
    append_decomposition(out, row->second);
    return;
  }
  UChar units[32];
  UErrorCode error = U_ZERO_ERROR;
  const int32_t length =
      unorm2_getDecomposition(nfc_normalizer(), static_cast<UChar32>(c), units, std::size(units), &error);
  if (length < 0 || U_FAILURE(error)) {
    out.push_back(c);
  } else {
    append_utf16(out, units, length);
  }
}

// 0 if the two do not compose.
char32_t compose_pair(char32_t first, char32_t second) {
  for (const DecompositionRow& row : kDecompositions)
    if (row.first == first && row.second == second) return row.composed;
  const UChar32 composed =
      unorm2_composePair(nfc_normalizer(), static_cast<UChar32>(first), static_cast<UChar32>(second));
  return composed < 0 ? 0 : static_cast<char32_t>(composed);
}

// Canonical ordering: marks that follow a base, sorted by combining class, equal ones in their order.
void order_marks(std::u32string& text) {
  const auto is_starter = [](char32_t c) { return combining_class(c) == 0; };
  for (auto begin = text.begin(); begin != text.end();) {
    begin = std::find_if_not(begin, text.end(), is_starter);
    const auto end = std::find_if(begin, text.end(), is_starter);
    std::stable_sort(begin, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    begin = end;
  }
}

}  // namespace

bool append_idna_mapping(std::u32string& out, char32_t c) {
  if (c < 0x80) {
    out.push_back(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return true;
  }
  if (const MappingRow* row = find_row(kMappings, c)) {
    if (row->offset != kIgnored) out.push_back(static_cast<char32_t>(static_cast<std::int32_t>(c) + row->offset));
    return true;
  }
  UChar units[2];
  int32_t length = 0;
  U16_APPEND_UNSAFE(units, length, c);
  UChar mapped[64];
  UErrorCode error = U_ZERO_ERROR;
  const int32_t mapped_length = unorm2_normalize(uts46_normalizer(), units, length, mapped, std::size(mapped), &error);
  if (U_FAILURE(error)) return false;
  if (std::find(mapped, mapped + mapped_length, 0xFFFD) != mapped + mapped_length) return false;  // ICU's "disallowed"
  append_utf16(out, mapped, mapped_length);
  return true;
}

bool is_idna_valid(char32_t c) {
  std::u32string mapped;
  return append_idna_mapping(mapped, c) && mapped.size() == 1 && mapped[0] == c;
}

bool is_mark(char32_t c) {
  if (const PropertyRow* row = find_row(kProperties, c))
    return row->properties == kNonspacing || row->properties == kSpacingMark;
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & U_GC_M_MASK) != 0;
}

std::uint8_t combining_class(char32_t c) {
  if (const PropertyRow* row = find_row(kProperties, c)) return row->combining_class;
  return u_getCombiningClass(static_cast<UChar32>(c));
}

UCharDirection bidi_class(char32_t c) {
  const PropertyRow* row = find_row(kProperties, c);
  if (row == nullptr) return u_charDirection(static_cast<UChar32>(c));
  switch (row->properties) {
    case kNonspacing:
      return U_DIR_NON_SPACING_MARK;
    case kSpacingMark:
      return U_LEFT_TO_RIGHT;
    case kSymbol:
      return U_OTHER_NEUTRAL;
    case kArabicDual:
    case kArabicRight:
      return U_RIGHT_TO_LEFT_ARABIC;
    case kArabicNumber:
      return U_ARABIC_NUMBER;
  }
  return U_LEFT_TO_RIGHT;
}

UJoiningType joining_type(char32_t c) {
  const PropertyRow* row = find_row(kProperties, c);
  if (row == nullptr)
    return static_cast<UJoiningType>(u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_JOINING_TYPE));
  switch (row->properties) {
    case kNonspacing:
      return U_JT_TRANSPARENT;
    case kArabicDual:
      return U_JT_DUAL_JOINING;
    case kArabicRight:
      return U_JT_RIGHT_JOINING;
    case kSpacingMark:
    case kSymbol:
    case kArabicNumber:
      break;
  }
  return U_JT_NON_JOINING;
}

// Unicode Standard section 3.11. ICU's own NFC does not know the new marks, so the three steps are done here over its
// data.
std::u32string to_nfc(std::u32string_view text) {
  std::u32string decomposed;
  decomposed.reserve(text.size());
  for (char32_t c : text) append_decomposition(decomposed, c);
  order_marks(decomposed);

  std::u32string out;
  out.reserve(decomposed.size());
  std::size_t starter = std::u32string::npos;
  unsigned last_class = 0;  // combining class of the last character kept after the starter
  for (char32_t c : decomposed) {
    const unsigned mark_class = combining_class(c);
    const bool blocked = starter != std::u32string::npos && starter + 1 < out.size() && last_class >= mark_class;
    if (starter != std::u32string::npos && !blocked) {
      if (const char32_t composed = compose_pair(out[starter], c)) {
        out[starter] = composed;
        continue;
      }
    }
    if (mark_class == 0) starter = out.size();
    last_class = mark_class;
    out.push_back(c);
  }
  return out;
}

}  // namespace outrider::unicode17
