// The script that goes into pages, the card and the marks: part of the program (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace outrider::hyperscout {

struct Asset {
  std::string_view name;
  std::string_view type;
  std::string_view bytes;
};
const Asset* find_asset(std::string_view name);  // nullptr = there is none

}  // namespace outrider::hyperscout
