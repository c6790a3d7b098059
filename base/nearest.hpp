// "Did you mean …": the known word that is nearest to a misspelt one. For settings, commands, options and choices.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace outrider {

// Edits (insert, remove, replace, swap neighbours) between two words, case-blind.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Nothing if no known word is near enough to be what was meant. The first of equals wins.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known);

// `, did you mean "serve"?` or an empty string: to append to an error message.
std::string suggestion(std::string_view word, std::span<const std::string> known);

}  // namespace outrider
