// Which language a text is written in. Behind it stands CLD2 (docs/decisions/0054-cld2.md); nobody else sees that.
#pragma once

#include "plugins/api/page_content.hpp"

#include <string_view>

namespace outrider {

// `running_text`: sentences, as UTF-8, without navigation, lists and tables. `declared_hint`: what the page says of
// itself ("de", "pt-BR"; may be empty or wrong); it only decides where the text alone cannot. Any thread.
DetectedLanguage detect_language(std::string_view running_text, std::string_view declared_hint);

}  // namespace outrider
