#include "tests/support/test_ca.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <stdexcept>

namespace outrider::testing {
namespace {

void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(what);
}

std::string to_pem(X509* certificate) {
  std::unique_ptr<BIO, decltype(&BIO_free)> bio{BIO_new(BIO_s_mem()), BIO_free};
  require(PEM_write_bio_X509(bio.get(), certificate) == 1, "certificate to PEM");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string to_pem(EVP_PKEY* key) {
  std::unique_ptr<BIO, decltype(&BIO_free)> bio{BIO_new(BIO_s_mem()), BIO_free};
  require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1, "key to PEM");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

void add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  require(extension != nullptr, "certificate extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

X509* make(EVP_PKEY* key, const char* name, X509* issuer, int from_days, int to_days) {
  static long serial = 1;
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), 86400L * from_days);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 86400L * to_days);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer == nullptr ? certificate : issuer));
  X509_set_pubkey(certificate, key);
  return certificate;
}

}  // namespace

TestCa::TestCa() : key_(EVP_EC_gen("P-256")) {
  certificate_ = make(key_, "Outrider test CA", nullptr, -1, 365);
  add_extension(certificate_, certificate_, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate_, certificate_, NID_key_usage, "critical,keyCertSign,cRLSign");
  require(X509_sign(certificate_, key_, EVP_sha256()) > 0, "signing the test CA");
  pem_ = to_pem(certificate_);
}

TestCa::~TestCa() {
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

TestCertificate TestCa::issue(const std::string& alt_name, int valid_from_days, int valid_to_days) const {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = make(key, "leaf", certificate_, valid_from_days, valid_to_days);
  add_extension(certificate, certificate_, NID_subject_alt_name, alt_name);
  require(X509_sign(certificate, key_, EVP_sha256()) > 0, "signing a test certificate");
  TestCertificate issued{to_pem(certificate), to_pem(key)};
  X509_free(certificate);
  EVP_PKEY_free(key);
  return issued;
}

}  // namespace outrider::testing
