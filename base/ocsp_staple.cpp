#include "base/ocsp_staple.hpp"

#include "base/openssl_types.hpp"

#include <openssl/err.h>
#include <openssl/ocsp.h>

#include <memory>

namespace outrider {
namespace {

using ResponsePtr = std::unique_ptr<OCSP_RESPONSE, OpensslFree<OCSP_RESPONSE_free>>;
using BasicPtr = std::unique_ptr<OCSP_BASICRESP, OpensslFree<OCSP_BASICRESP_free>>;
using CertIdPtr = std::unique_ptr<OCSP_CERTID, OpensslFree<OCSP_CERTID_free>>;

constexpr long kClockDifference = 300;  // seconds, between us and the issuer

bool says_revoked(OCSP_BASICRESP* statement, const X509* certificate, const X509* issuer) {
  for (const EVP_MD* digest :
       {EVP_sha1(), EVP_sha256()}) {  // which of them names the certificate is the issuer's choice
    const CertIdPtr id{OCSP_cert_to_id(digest, certificate, issuer)};
    int status = V_OCSP_CERTSTATUS_UNKNOWN;
    ASN1_GENERALIZEDTIME* this_update = nullptr;
    ASN1_GENERALIZEDTIME* next_update = nullptr;
    if (!id || OCSP_resp_find_status(statement, id.get(), &status, nullptr, nullptr, &this_update, &next_update) != 1)
      continue;
    return status == V_OCSP_CERTSTATUS_REVOKED &&
           OCSP_check_validity(this_update, next_update, kClockDifference, -1) == 1;
  }
  return false;
}

bool is_revoked(SSL* ssl) {
  const unsigned char* bytes = nullptr;
  const long size = SSL_get_tlsext_status_ocsp_resp(ssl, &bytes);
  if (size <= 0 || bytes == nullptr) return false;
  const ResponsePtr response{d2i_OCSP_RESPONSE(nullptr, &bytes, size)};
  if (!response || OCSP_response_status(response.get()) != OCSP_RESPONSE_STATUS_SUCCESSFUL) return false;
  const BasicPtr statement{OCSP_response_get1_basic(response.get())};
  STACK_OF(X509)* chain = SSL_get0_verified_chain(ssl);
  if (!statement || chain == nullptr || sk_X509_num(chain) < 2) return false;
  X509_STORE* trusted = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl));
  if (OCSP_basic_verify(statement.get(), chain, trusted, 0) != 1) return false;
  return says_revoked(statement.get(), sk_X509_value(chain, 0), sk_X509_value(chain, 1));
}

int check(SSL* ssl, void*) {
  const bool revoked = is_revoked(ssl);
  ERR_clear_error();
  if (!revoked) return 1;
  SSL_set_verify_result(ssl, X509_V_ERR_CERT_REVOKED);
  return 0;
}

}  // namespace

void check_staples(SSL_CTX* context) {
  SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
  SSL_CTX_set_tlsext_status_cb(context, check);
}

}  // namespace outrider
