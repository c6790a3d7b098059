// Failures of the API as problem documents (RFC 9457): {"type","title","status","detail"}. The type is the stable name
// that programs look at; title and detail are for people.
#pragma once

#include "base/error.hpp"
#include "webui/api_request.hpp"

namespace outrider::webui {

// `kind` is the last part of the type: "token-needed" → "https://outrider.internal/problems/token-needed".
ApiReply problem(int status, std::string_view kind, std::string_view title, std::string_view detail);

ApiReply bad_request(std::string_view detail);
ApiReply nothing_here(std::string_view detail = "There is nothing at this address.");
// A part of Outrider that this installation does not have, or has switched off.
ApiReply not_connected(std::string_view what);
// What a port says went wrong.
ApiReply problem_of(const Error& error);

}  // namespace outrider::webui
