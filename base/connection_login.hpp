// Logins that hold for the connection on which they were made, not for one request (NTLM, Negotiate; RFC 4559): what is
// asked on it later bears no field that says so. Whoever shares connections or keeps answers has to know.
#pragma once

#include "base/http_headers.hpp"

namespace outrider {

bool logs_in_connection(const HeaderMap& request);        // by its Authorization
bool offers_connection_login(const HeaderMap& response);  // or goes on with one: by its WWW-Authenticate

}  // namespace outrider
