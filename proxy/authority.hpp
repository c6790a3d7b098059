// The certificate authority of this Outrider: what signs the certificates that intercepted browsers see. Immutable and
// shared by all threads. Made by proxy/authority_certificate, kept by proxy/authority_folder.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "proxy/openssl_types.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace outrider {

class Authority {
 public:
  // The one in `folder` (DATA/ca); made if there is none. Refuses a folder or key that others can get at or that
  // belongs to another user, and a pair that does not belong together; the text says what to do. One whose time is over
  // is no reason not to start: ask valid_at().
  static Result<std::shared_ptr<const Authority>> open(const std::filesystem::path& folder, WallTime now);
  // The same, but nothing is made: not_found if there is none.
  static Result<std::shared_ptr<const Authority>> open_existing(const std::filesystem::path& folder);
  // One that the user has made (tls.ca_certificate, tls.ca_key): PEM files; of several certificates the first counts.
  // It must be valid now.
  static Result<std::shared_ptr<const Authority>> open_own(const std::filesystem::path& certificate,
                                                           const std::filesystem::path& key, WallTime now);
  // A new one in the place of the one in `folder`, even if that is damaged or missing.
  static Result<std::shared_ptr<const Authority>> renew(const std::filesystem::path& folder, WallTime now);

  X509* certificate() const { return certificate_.get(); }
  EVP_PKEY* key() const { return key_.get(); }
  const std::string& pem() const { return pem_; }  // the certificate
  std::string der() const;
  std::string fingerprint() const;                   // SHA-256 of the certificate: "AB:CD:…"
  const std::string& name() const { return name_; }  // "Outrider CA of anna on laptop"
  WallTime not_before() const { return not_before_; }
  WallTime not_after() const { return not_after_; }

  // Outside of this time no browser accepts what it signs. Clocks jump, so ask before each use.
  bool valid_at(WallTime now) const { return now >= not_before_ && now < not_after_; }

  // One sentence for people if its end is near (60 days), or if it is not valid.
  std::optional<std::string> warning(WallTime now) const;

 private:
  Authority(X509Ptr certificate, PrivateKeyPtr key, std::string pem);
  static Result<std::shared_ptr<const Authority>> from_pem(const std::string& certificate, const std::string& key,
                                                           const std::string& certificate_file,
                                                           const std::string& key_file);

  X509Ptr certificate_;
  PrivateKeyPtr key_;
  std::string pem_;
  std::string name_;
  WallTime not_before_;
  WallTime not_after_;
};

}  // namespace outrider
