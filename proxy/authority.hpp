// The certificate authority of this Outrider: what signs the certificates that intercepted browsers see. Immutable and
// shared by all threads. Made by proxy/authority_certificate, kept by proxy/authority_folder.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/openssl_types.hpp"
#include "proxy/authority_certificate.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace outrider {

struct FreeCertificates {
  void operator()(STACK_OF(X509) * certificates) const { sk_X509_pop_free(certificates, X509_free); }
};
using CertificatesPtr = std::unique_ptr<STACK_OF(X509), FreeCertificates>;

class Authority : public AuthorityCertificate {
 public:
  // The one in `folder` (DATA/ca); made if there is none. Refuses a folder or key that others can get at or that
  // belongs to another user, and a pair that does not belong together; the text says what to do. One whose time is over
  // is no reason not to start: ask valid_at().
  static Result<std::shared_ptr<const Authority>> open(const std::filesystem::path& folder, WallTime now);
  // The same, but nothing is made: not_found if there is none.
  static Result<std::shared_ptr<const Authority>> open_existing(const std::filesystem::path& folder);
  // One that the user has made (tls.ca_certificate, tls.ca_key): PEM files. The first certificate is the authority,
  // further ones lead from it to its root. It must be valid now.
  static Result<std::shared_ptr<const Authority>> open_own(const std::filesystem::path& certificate,
                                                           const std::filesystem::path& key, WallTime now);
  // The same, but its time may be over: for those who only look at it.
  static Result<std::shared_ptr<const Authority>> open_own(const std::filesystem::path& certificate,
                                                           const std::filesystem::path& key);
  // Only the certificate of the one in `folder`, and of the user's own one: neither keys, modes nor dates matter.
  // Failures: not_found if there is no authority; io if there is one whose certificate cannot be read.
  static Result<AuthorityCertificate> read_certificate(const std::filesystem::path& folder);
  static Result<AuthorityCertificate> read_own_certificate(const std::filesystem::path& certificate);
  // A new one in the place of the one in `folder`, even if that is damaged or missing.
  static Result<std::shared_ptr<const Authority>> renew(const std::filesystem::path& folder, WallTime now);

  EVP_PKEY* key() const { return key_.get(); }
  // What clients that trust only the root above it need beside a leaf: the authority itself and what leads on from it,
  // in this order, without the root. nullptr if it is a root itself.
  STACK_OF(X509) * chain() const { return chain_.get(); }
  WallTime not_before() const { return not_before_; }
  WallTime not_after() const { return not_after_; }

  // Outside of this time no browser accepts what it signs. Clocks jump, so ask before each use.
  bool valid_at(WallTime now) const { return now >= not_before_ && now < not_after_; }

  // One sentence for people if its end is near (60 days), or if it is not valid.
  std::optional<std::string> warning(WallTime now) const;

 private:
  enum class MadeBy { outrider, user };
  struct Files {
    std::string certificate;
    std::string key;
    MadeBy made_by;
  };
  Authority(AuthorityCertificate certificate, PrivateKeyPtr key, CertificatesPtr chain, MadeBy made_by);
  static Result<std::shared_ptr<const Authority>> from_pem(const std::string& certificate, const std::string& key,
                                                           const Files& files);
  static Files files_in(const std::filesystem::path& folder);

  PrivateKeyPtr key_;
  CertificatesPtr chain_;
  MadeBy made_by_;
  WallTime not_before_;
  WallTime not_after_;
};

}  // namespace outrider
