// Rows of comma-separated values (RFC 4180) for people who open them in a spreadsheet.
#pragma once

#include <boost/json/object.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace outrider::webui {

// Text that a spreadsheet would take for a formula ("=…", "+…", "-…", "@…", tab, CR) gets an apostrophe before it:
// titles are written by strangers.
void append_csv_field(std::string& out, std::string_view text);
// null = empty.
void append_csv_row(std::string& out, const boost::json::object& row, std::initializer_list<std::string_view> columns);

}  // namespace outrider::webui
