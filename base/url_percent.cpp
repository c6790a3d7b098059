#include "base/url_percent.hpp"

namespace outrider {

void append_percent_byte(std::string& out, unsigned char byte) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  const char triplet[3] = {'%', kHex[byte >> 4], kHex[byte & 15]};
  out.append(triplet, 3);
}

void append_percent_encoded(std::string& out, std::string_view text, EncodeSet set) {
  std::size_t run = 0;  // start of the bytes that are copied as they are
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!in_encode_set(text[i], set)) continue;
    out.append(text, run, i - run);
    append_percent_byte(out, static_cast<unsigned char>(text[i]));
    run = i + 1;
  }
  out.append(text, run, text.size() - run);
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_percent_triplet(text, i)) {
      out.push_back(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace outrider
