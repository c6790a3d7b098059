#include "base/charset_detect.hpp"

#include "base/ascii_run.hpp"
#include "base/utf8.hpp"

#include <uchardet/uchardet.h>

#include <algorithm>
#include <memory>
#include <new>

namespace outrider {
namespace {

// Enough to be sure. uchardet asks all its experts for single-byte encodings and reads only 5 MB a second then.
constexpr std::size_t kSample = 16 * 1024;
constexpr std::size_t kBeforeFirst = 256;  // the words around the first byte that is not ASCII help
constexpr char kEscape = '\x1B';

struct Delete {
  void operator()(uchardet* detector) const { uchardet_delete(detector); }
};

// Names of uchardet's that are no labels of the Encoding Standard. Encodings that the standard does not know, and those
// that it refuses to decode (ISO-2022-KR, HZ), are no help to anybody.
std::optional<Encoding> encoding_of_guess(std::string_view name) {
  if (name == "MAC-CYRILLIC") return Encoding::x_mac_cyrillic;
  if (name == "UHC") return Encoding::euc_kr;
  const auto encoding = encoding_for_label(name);
  if (encoding == Encoding::replacement) return std::nullopt;
  return encoding;
}

}  // namespace

std::optional<Encoding> detect_encoding(std::string_view bytes) {
  std::size_t first = skip_ascii(bytes, 0);
  // ISO-2022-JP is ASCII to the eye.
  if (first == bytes.size()) first = std::min(bytes.find(kEscape), bytes.size());
  if (first == bytes.size()) return std::nullopt;
  if (static_cast<unsigned char>(bytes[first]) >= 0x80 && is_valid_utf8(bytes)) return Encoding::utf_8;

  const std::unique_ptr<uchardet, Delete> detector{uchardet_new()};
  if (!detector) throw std::bad_alloc{};
  const std::string_view sample = bytes.substr(first - std::min(first, kBeforeFirst), kSample);
  if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return std::nullopt;
  uchardet_data_end(detector.get());
  return encoding_of_guess(uchardet_get_charset(detector.get()));
}

}  // namespace outrider
