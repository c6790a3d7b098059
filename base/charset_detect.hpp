// A guess at the encoding of a text that nobody labelled.
#pragma once

#include "base/charset_labels.hpp"

#include <optional>
#include <string_view>

namespace outrider {

// Nothing: plain ASCII, or nothing that the detector is sure of.
std::optional<Encoding> detect_encoding(std::string_view bytes);

}  // namespace outrider
