// Content-Type and the first bytes of a body, separated by the first line feed: a parsed type is made of tokens and is
// parsed to the same again; what is sniffed is a MIME type, and with nosniff never one that runs unless the server said
// so.
#include "base/http_chars.hpp"
#include "base/mime_sniff.hpp"
#include "base/mime_type.hpp"
#include "tests/fuzz/require.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

using namespace outrider;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::unique_ptr<char[]> exact{new char[size]};
  if (size > 0) std::memcpy(exact.get(), data, size);
  const std::string_view input{exact.get(), size};
  const std::string_view type = input.substr(0, input.find('\n'));
  const std::string_view bytes = input.substr(std::min(type.size() + 1, size));

  const auto mime = parse_mime_type(type);
  if (mime) {
    const std::string essence = mime->essence();
    require(std::count(essence.begin(), essence.end(), '/') == 1);
    for (const char c : essence) require(is_tchar(c) || c == '/');
    require(parse_mime_type(essence)->essence() == essence);
    for (const auto& [name, value] : mime->parameters) require(mime->parameter(name) == value);
  }
  require(parse_mime_type(sniff_mime(type, false, bytes)).has_value());
  const std::string careful = sniff_mime(type, true, bytes);
  if (careful == "text/html" || careful == "text/xml") require(mime && mime->essence() == careful);
  return 0;
}
