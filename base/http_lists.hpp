// Comma separated lists and semicolon separated parameters of field values (RFC 9110 sections 5.6.1, 5.6.6). Both know
// quoted strings, so that a comma inside quotes separates nothing. Readers hold views into the value and never
// allocate.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// Elements of a list, without surrounding white space. Empty elements are skipped (RFC 9110 section 5.6.1.2).
class ListReader {
 public:
  explicit ListReader(std::string_view value, char separator = ',') : rest_(value), separator_(separator) {}
  std::optional<std::string_view> next();

 private:
  std::string_view rest_;
  char separator_;
};

// "max-age=60", "charset=\"utf-8\"", "no-store": a name and perhaps a value.
struct Parameter {
  std::string_view name;
  std::string_view value;  // as written, quotes included
  bool has_value = false;  // false for "no-store", true for "max-age="
};
Parameter parse_parameter(std::string_view element);

// The value of the parameter `name` (any case) in "text/html; charset=x"; what stands before the first semicolon is
// skipped.
std::optional<std::string_view> find_parameter(std::string_view value, std::string_view name);

// The text behind a quoted-string; anything else is returned as it is. An unfinished quote ends where the text ends.
std::string unquote(std::string_view text);

}  // namespace outrider
