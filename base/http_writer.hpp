// Typed heads back to bytes. What we send is always written anew, never copied from what came in.
#pragma once

#include "base/http_message.hpp"

#include <string>
#include <string_view>

namespace outrider {

// Both append to `out`. The request target is written as `target` says (origin-form, absolute-form or authority-form is
// the caller's decision); the version on the wire is always HTTP/1.1.
void write_request_head(std::string& out, const RequestHead& head, std::string_view target);
void write_response_head(std::string& out, const ResponseHead& head);

// "1a2b\r\n"; the data and "\r\n" follow.
void write_chunk_start(std::string& out, std::size_t size);
// "0\r\n", the trailer fields, "\r\n".
void write_last_chunk(std::string& out, const HeaderMap& trailers);

std::string_view default_reason(int status);  // "Not Found"; "" if unknown

}  // namespace outrider
