// The decoders of the Encoding Standard (sections 8 to 14): bytes in, UTF-8 out, with U+FFFD where the standard's
// decoder reports an error. Which encoding a text has is decided by charset.hpp.
#pragma once

#include "base/charset_labels.hpp"

#include <string>
#include <string_view>

namespace outrider {

// Appends `bytes` as UTF-8. A byte order mark is a character like any other here ("decode without BOM").
void append_decoded(std::string& out, Encoding encoding, std::string_view bytes);

// The multi-byte ones of them, in charset_cjk.cpp.
void append_big5(std::string& out, std::string_view bytes);
void append_euc_kr(std::string& out, std::string_view bytes);
void append_gb18030(std::string& out, std::string_view bytes);  // and GBK
void append_shift_jis(std::string& out, std::string_view bytes);
void append_euc_jp(std::string& out, std::string_view bytes);
void append_iso_2022_jp(std::string& out, std::string_view bytes);  // in charset_iso_2022_jp.cpp

}  // namespace outrider
