// OpenSSL's objects with an owner: they are freed when the last one who holds them goes.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

namespace outrider {

template <auto kFree>
struct OpensslFree {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using X509Ptr = std::unique_ptr<X509, OpensslFree<X509_free>>;
using PrivateKeyPtr = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;

}  // namespace outrider
