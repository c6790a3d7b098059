// A certificate authority for tests, made in memory: real certificates for a real TLS server on loopback.
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace outrider::testing {

struct TestCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

class TestCa {
 public:
  TestCa();
  ~TestCa();
  TestCa(const TestCa&) = delete;
  TestCa& operator=(const TestCa&) = delete;

  const std::string& pem() const { return pem_; }
  X509* certificate() const { return certificate_; }
  EVP_PKEY* key() const { return key_; }
  // `alt_name` as OpenSSL writes it: "DNS:site.example", "IP:127.0.0.1". Days are relative to now.
  TestCertificate issue(const std::string& alt_name, int valid_from_days = -1, int valid_to_days = 30) const;

 private:
  EVP_PKEY* key_ = nullptr;
  X509* certificate_ = nullptr;
  std::string pem_;
};

}  // namespace outrider::testing
