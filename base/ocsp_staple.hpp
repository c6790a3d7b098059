// What an origin sends along about its own certificate (OCSP stapling, RFC 6066 section 8): a statement of the issuer
// that it is good or revoked. Asked for in every handshake with an origin; the answer costs no connection.
#pragma once

#include <openssl/ssl.h>

namespace outrider {

// Makes connections of this context ask for a staple and fail (X509_V_ERR_CERT_REVOKED) if it says "revoked". A staple
// that is missing, outdated, or not signed by the issuer says nothing, as in browsers.
void check_staples(SSL_CTX* context);

}  // namespace outrider
