#include "base/http_lists.hpp"

#include "base/http_chars.hpp"
#include "base/http_header_id.hpp"

namespace outrider {
namespace {

// Where the first separator outside a quoted string stands; the end of the text if there is none.
std::size_t find_separator(std::string_view text, char separator) {
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quoted && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[at] == separator) {
      return at;
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::string_view> ListReader::next() {
  while (!rest_.empty()) {
    const std::size_t end = find_separator(rest_, separator_);
    const std::string_view element = trim_ows(rest_.substr(0, end));
    rest_.remove_prefix(end == rest_.size() ? end : end + 1);
    if (!element.empty()) return element;
  }
  return std::nullopt;
}

Parameter parse_parameter(std::string_view element) {
  const std::size_t equals = find_separator(element, '=');
  if (equals == element.size()) return {trim_ows(element), {}, false};
  return {trim_ows(element.substr(0, equals)), trim_ows(element.substr(equals + 1)), true};
}

std::optional<std::string_view> find_parameter(std::string_view value, std::string_view name) {
  const std::size_t first = find_separator(value, ';');
  if (first == value.size()) return std::nullopt;
  ListReader reader{value.substr(first + 1), ';'};
  while (const auto element = reader.next()) {
    const Parameter parameter = parse_parameter(*element);
    if (parameter.has_value && equal_ignoring_case(parameter.name, name)) return parameter.value;
  }
  return std::nullopt;
}

std::string unquote(std::string_view text) {
  if (text.empty() || text.front() != '"') return std::string{text};
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 1; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    plain += text[at];
  }
  return plain;
}

}  // namespace outrider
