// The certificate of an authority, which is what others trust; and the making of an authority: a fresh key and the
// certificate that it signs for itself. proxy/authority keeps the two on disk and hands them out.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/openssl_types.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace outrider {

inline constexpr auto kAuthorityLife = std::chrono::hours{24} * 730;

struct AuthorityPair {
  PrivateKeyPtr key;
  X509Ptr certificate;
};

// ECDSA P-256, valid from a day before `now` (clocks differ) until kAuthorityLife after it. Every pair is different.
Result<AuthorityPair> make_authority(std::string_view name, WallTime now);

// "Outrider CA of anna on laptop": whoever finds it in a list of authorities knows whose it is. At most 64 characters
// (RFC 5280, ub-common-name).
std::string authority_name(std::string_view user, std::string_view host);
std::string authority_name_here();  // of the user and the machine that run this

Result<std::string> to_pem(X509* certificate);
Result<std::string> to_pem(EVP_PKEY* key);  // PKCS #8, not encrypted

WallTime not_after(const X509* certificate);
WallTime not_before(const X509* certificate);
std::string common_name(const X509* certificate);

// The public half of an authority: enough to find it where it is trusted.
class AuthorityCertificate {
 public:
  // The first certificate of the text; nothing if there is none.
  static std::optional<AuthorityCertificate> from_pem(const std::string& text);

  X509* certificate() const { return certificate_.get(); }
  const std::string& pem() const { return pem_; }
  std::string der() const;
  std::string fingerprint() const;                   // SHA-256: "AB:CD:…"
  const std::string& name() const { return name_; }  // "Outrider CA of anna on laptop"

 private:
  AuthorityCertificate(X509Ptr certificate, std::string pem);

  X509Ptr certificate_;
  std::string pem_;
  std::string name_;
};

// What went wrong in OpenSSL, for people; empties its queue of errors.
Error openssl_failure(std::string_view doing);

}  // namespace outrider
