#include "base/mime_type.hpp"

#include "base/ascii.hpp"
#include "base/http_chars.hpp"

#include <algorithm>

namespace outrider {
namespace {

constexpr std::string_view kWhiteSpace = "\t\n\r ";

std::string_view trim_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kWhiteSpace) + 1);
}

std::string_view trim_begin(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_tchar);
}

// "HTTP quoted-string token code points": what a value may hold.
bool is_quotable(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return is_control(c) && c != '\t'; });
}

// What stands before the first of `ends`; `rest` begins with that one afterwards.
std::string_view take_until(std::string_view& rest, std::string_view ends) {
  const std::size_t size = std::min(rest.find_first_of(ends), rest.size());
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(size);
  return taken;
}

// `rest` begins with the quote. A string that does not end, ends with the text.
std::string take_quoted(std::string_view& rest) {
  std::string value;
  std::size_t at = 1;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    value.push_back(rest[at]);
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return value;
}

}  // namespace

std::optional<std::string_view> MimeType::parameter(std::string_view lower_case_name) const {
  for (const auto& [name, value] : parameters)
    if (name == lower_case_name) return value;
  return std::nullopt;
}

bool MimeType::is_xml() const {
  return subtype.ends_with("+xml") || ((type == "text" || type == "application") && subtype == "xml");
}

std::optional<MimeType> parse_mime_type(std::string_view text) {
  std::string_view rest = trim_begin(trim_end(text));
  MimeType mime;
  mime.type = ascii_lower(take_until(rest, "/"));
  if (!is_token(mime.type) || rest.empty()) return std::nullopt;
  rest.remove_prefix(1);
  mime.subtype = ascii_lower(trim_end(take_until(rest, ";")));
  if (!is_token(mime.subtype)) return std::nullopt;
  while (!rest.empty()) {
    rest = trim_begin(rest.substr(1));  // behind ';'
    std::string name = ascii_lower(take_until(rest, ";="));
    if (rest.empty()) break;
    if (rest.front() == ';') continue;
    rest.remove_prefix(1);
    if (rest.empty()) break;
    std::string value;
    if (rest.front() == '"') {
      value = take_quoted(rest);
      take_until(rest, ";");
    } else {
      value = trim_end(take_until(rest, ";"));
      if (value.empty()) continue;
    }
    if (is_token(name) && is_quotable(value) && !mime.parameter(name))
      mime.parameters.emplace_back(std::move(name), std::move(value));
  }
  return mime;
}

}  // namespace outrider
