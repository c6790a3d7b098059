// Texts in any encoding: what comes out is well-formed UTF-8 and not much longer than what went in; ASCII comes out as
// it is; the verdict of the prescan does not depend on what lies behind its reach. The first byte selects an encoding.
#include "base/charset.hpp"
#include "base/charset_decoders.hpp"
#include "base/charset_prescan.hpp"
#include "base/utf8.hpp"
#include "tests/fuzz/require.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

using namespace outrider;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::unique_ptr<char[]> exact{new char[size - 1]};
  if (size > 1) std::memcpy(exact.get(), data + 1, size - 1);
  const std::string_view bytes{exact.get(), size - 1};

  const auto encoding = static_cast<Encoding>(data[0] % kEncodings);
  std::string out;
  append_decoded(out, encoding, bytes);
  require(is_valid_utf8(out) && out.size() <= 3 * bytes.size() + 6);
  const bool ascii_compatible = encoding != Encoding::utf_16be && encoding != Encoding::utf_16le &&
                                encoding != Encoding::replacement && encoding != Encoding::iso_2022_jp;
  if (ascii_compatible && is_ascii(bytes)) require(out == bytes);

  for (const bool is_html : {false, true}) {
    const DecodedText text = decode_text(bytes, "", is_html);
    require(is_valid_utf8(text.utf8) && encoding_for_label(text.charset).has_value());
  }
  if (const auto found = prescan_html(bytes)) require(prescan_html(std::string(bytes) + ">") == found);
  return 0;
}
