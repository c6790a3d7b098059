// Untrusted text on its way to a terminal, a log line or a JSON document. What comes out is one line of valid UTF-8
// without control characters, terminal escapes or invisible direction marks, so nobody can forge a second line.
#pragma once

#include <string>
#include <string_view>

namespace outrider {

// Valid UTF-8 in which nothing has to be escaped except quotes and backslashes.
bool is_plain_text(std::string_view text);

// Appends `text` with quotes, backslashes and everything invisible or malformed escaped: \n, \x1b, \u{202e}.
void append_escaped(std::string& out, std::string_view text);

// The same between double quotes.
std::string quoted(std::string_view text);

// The same without escaping quotes and backslashes: for messages that are already sentences.
std::string one_line(std::string_view text);

// Appends `text` as a JSON string with its quotes. Malformed UTF-8 becomes U+FFFD; invisible characters become \uXXXX.
void append_json_string(std::string& out, std::string_view text);

// The first `limit` bytes at most, without splitting a UTF-8 sequence.
std::string_view utf8_prefix(std::string_view text, std::size_t limit);

}  // namespace outrider
