// Bokmål or Nynorsk? The two written languages of Norway share most words, but not the commonest ones.
#pragma once

#include <string_view>

namespace outrider {

// `text` is Norwegian. Counts words that only one of the two has.
bool is_nynorsk(std::string_view text);

}  // namespace outrider
