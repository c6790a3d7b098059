#include "webui/csv.hpp"

#include <boost/json/serialize.hpp>

namespace outrider::webui {

void append_csv_field(std::string& out, std::string_view text) {
  const bool is_formula = !text.empty() && std::string_view{"=+-@\t\r"}.find(text.front()) != std::string_view::npos;
  const bool needs_quotes = is_formula || text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (needs_quotes) out += '"';
  if (is_formula) out += '\'';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  if (needs_quotes) out += '"';
}

void append_csv_row(std::string& out, const boost::json::object& row, std::initializer_list<std::string_view> columns) {
  bool first = true;
  for (const std::string_view column : columns) {
    if (!first) out += ',';
    first = false;
    const boost::json::value& value = row.at(column);
    if (value.is_string()) {
      append_csv_field(out, value.get_string());
    } else if (!value.is_null()) {
      out += boost::json::serialize(value);
    }
  }
  out += "\r\n";
}

}  // namespace outrider::webui
