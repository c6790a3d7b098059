#include "proxy/authority.hpp"

#include "proxy/authority_folder.hpp"
#include "proxy/secret_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace outrider {
namespace {

constexpr auto kWarnBefore = std::chrono::hours{24} * 60;
constexpr int kSmallestRsaKey = 2048;
constexpr const char* kNoCertificate = "is not a certificate in PEM";
constexpr const char* kRestoreOrRenew = "restore it, or run: outrider ca renew";

using Opened = Result<std::shared_ptr<const Authority>>;

Error refused(const std::string& file, std::string_view why) {
  return Error{ErrorKind::io, Side::self, fmt::format("{}: {}", file, why)};
}

BioPtr reader_of(const std::string& text) {
  return BioPtr{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

// A key that is protected by a pass phrase would otherwise make OpenSSL ask on the terminal.
int no_pass_phrase(char*, int, int, void*) {
  return -1;
}

std::vector<X509Ptr> certificates_in(const std::string& text) {
  const BioPtr reader = reader_of(text);
  std::vector<X509Ptr> certificates;
  while (X509* next = PEM_read_bio_X509(reader.get(), nullptr, no_pass_phrase, nullptr))
    certificates.emplace_back(next);
  ERR_clear_error();
  return certificates;
}

// From `authority` up to, but without, its root: who trusts that has it. Each is looked for among `known`; what does
// not lead there is left out, and no more are taken than there are, for they may have signed each other.
CertificatesPtr chain_from(X509* authority, const std::vector<X509Ptr>& known) {
  CertificatesPtr chain;
  X509* next = authority;
  for (std::size_t i = 0; i < known.size() && next != nullptr && X509_self_signed(next, 0) != 1; ++i) {
    if (!chain) chain.reset(sk_X509_new_null());
    if (!chain || X509_add_cert(chain.get(), next, X509_ADD_FLAG_UP_REF | X509_ADD_FLAG_NO_DUP) != 1) break;
    const auto issuer = std::find_if(known.begin(), known.end(), [next](const X509Ptr& candidate) {
      return X509_check_issued(candidate.get(), next) == X509_V_OK;
    });
    next = issuer == known.end() ? nullptr : issuer->get();
  }
  ERR_clear_error();
  return chain;
}

Result<AuthorityCertificate> certificate_from(const std::string& text, const std::filesystem::path& file) {
  if (std::optional<AuthorityCertificate> read = AuthorityCertificate::from_pem(text)) return std::move(*read);
  return refused(file.string(), kNoCertificate);
}

// Kinds of keys whose signatures browsers accept in certificates.
Result<void> check_key(EVP_PKEY* key, const std::string& file) {
  const int kind = EVP_PKEY_get_base_id(key);
  if (kind != EVP_PKEY_EC && kind != EVP_PKEY_RSA)
    return refused(file, "browsers accept only ECDSA and RSA keys; make a P-256 one");
  if (kind == EVP_PKEY_RSA && EVP_PKEY_get_bits(key) < kSmallestRsaKey)
    return refused(file, "an RSA key must have 2048 bits or more");
  return {};
}

Result<void> check_certificate(X509* certificate, const std::string& file) {
  if (X509_check_ca(certificate) != 1)
    return refused(file, "is not the certificate of an authority (basicConstraints CA:TRUE is missing)");
  if ((X509_get_key_usage(certificate) & KU_KEY_CERT_SIGN) == 0)
    return refused(file, "may not sign certificates (keyUsage keyCertSign is missing)");
  return {};
}

std::string day(WallTime time) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return refused(path.string(), "there is no such file");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return refused(path.string(), "cannot be read");
  return text.str();
}

Result<AuthorityTexts> make_texts(WallTime now) {
  const Result<AuthorityPair> pair = make_authority(authority_name_here(), now);
  if (!pair) return pair.error();
  Result<std::string> key = to_pem(pair->key.get());
  if (!key) return key.error();
  Result<std::string> certificate = to_pem(pair->certificate.get());
  if (!certificate) return certificate.error();
  return AuthorityTexts{std::move(*key), std::move(*certificate)};
}

}  // namespace

Authority::Authority(AuthorityCertificate certificate, PrivateKeyPtr key, CertificatesPtr chain, MadeBy made_by)
    : AuthorityCertificate(std::move(certificate)),
      key_(std::move(key)),
      chain_(std::move(chain)),
      made_by_(made_by),
      not_before_(outrider::not_before(this->certificate())),
      not_after_(outrider::not_after(this->certificate())) {}

Opened Authority::from_pem(const std::string& certificate_text, const std::string& key_text, const Files& files) {
  const bool ours = files.made_by == MadeBy::outrider;
  std::optional<AuthorityCertificate> certificate = AuthorityCertificate::from_pem(certificate_text);
  PrivateKeyPtr key{PEM_read_bio_PrivateKey(reader_of(key_text).get(), nullptr, no_pass_phrase, nullptr)};
  ERR_clear_error();
  if (!certificate)
    return refused(files.certificate,
                   fmt::format("{}; {}", kNoCertificate, ours ? kRestoreOrRenew : "tls.ca_certificate must name one"));
  if (!key)
    return refused(files.key, fmt::format("is not a private key in PEM without a pass phrase; {}",
                                          ours ? kRestoreOrRenew : "tls.ca_key must name one"));
  X509* const x509 = certificate->certificate();
  if (X509_check_private_key(x509, key.get()) != 1) {
    ERR_clear_error();
    return refused(files.key, fmt::format("does not belong to the certificate {}", files.certificate));
  }
  if (Result<void> good = check_key(key.get(), files.key); !good) return good.error();
  if (Result<void> good = check_certificate(x509, files.certificate); !good) return good.error();
  CertificatesPtr chain = chain_from(x509, certificates_in(certificate_text));
  return std::shared_ptr<const Authority>{
      new Authority{std::move(*certificate), std::move(key), std::move(chain), files.made_by}};
}

Authority::Files Authority::files_in(const std::filesystem::path& folder) {
  return {(folder / kAuthorityCertificateFile).string(), (folder / kAuthorityKeyFile).string(), MadeBy::outrider};
}

Opened Authority::open(const std::filesystem::path& folder, WallTime now) {
  const Result<AuthorityTexts> texts = ensure_authority_folder(folder, [now] { return make_texts(now); });
  if (!texts) return texts.error();
  return from_pem(texts->certificate, texts->key, files_in(folder));
}

Opened Authority::open_existing(const std::filesystem::path& folder) {
  const Result<AuthorityTexts> texts = read_authority_folder(folder);
  if (!texts) return texts.error();
  return from_pem(texts->certificate, texts->key, files_in(folder));
}

Opened Authority::open_own(const std::filesystem::path& certificate, const std::filesystem::path& key) {
  const Result<std::string> key_text = read_secret_file(key.string());
  if (!key_text) return key_text.error();
  const Result<std::string> certificate_text = read_file(certificate);
  if (!certificate_text) return certificate_text.error();
  return from_pem(*certificate_text, *key_text, {certificate.string(), key.string(), MadeBy::user});
}

Opened Authority::open_own(const std::filesystem::path& certificate, const std::filesystem::path& key, WallTime now) {
  Opened own = open_own(certificate, key);
  if (own && !(*own)->valid_at(now))
    return refused(certificate.string(), fmt::format("is valid only from {} to {}; is the clock of this machine right?",
                                                     day((*own)->not_before()), day((*own)->not_after())));
  return own;
}

Result<AuthorityCertificate> Authority::read_certificate(const std::filesystem::path& folder) {
  const Result<std::string> text = read_authority_certificate(folder);
  if (!text) return text.error();
  return certificate_from(*text, folder / kAuthorityCertificateFile);
}

Result<AuthorityCertificate> Authority::read_own_certificate(const std::filesystem::path& certificate) {
  const Result<std::string> text = read_file(certificate);
  if (!text) return text.error();
  return certificate_from(*text, certificate);
}

Opened Authority::renew(const std::filesystem::path& folder, WallTime now) {
  const Result<AuthorityTexts> texts = make_texts(now);
  if (!texts) return texts.error();
  if (Result<void> replaced = replace_authority_folder(folder, *texts); !replaced) return replaced.error();
  return open_existing(folder);
}

std::optional<std::string> Authority::warning(WallTime now) const {
  const std::string_view remedy =
      made_by_ == MadeBy::outrider
          ? "outrider ca renew, then outrider ca install"
          : "make a new one where you made this one, set tls.ca_certificate and tls.ca_key, then outrider ca install";
  if (now < not_before_)
    return fmt::format("{} is not valid before {}: no HTTPS is opened until the clock of this machine is right", name(),
                       day(not_before_));
  if (now >= not_after_)
    return fmt::format("{} has ended on {}: no HTTPS is opened until it is replaced: {}", name(), day(not_after_),
                       remedy);
  if (not_after_ - now >= kWarnBefore) return std::nullopt;
  const auto days = std::chrono::duration_cast<std::chrono::hours>(not_after_ - now).count() / 24;
  return fmt::format("{} ends on {}, in {} day{}; replace it in time: {}", name(), day(not_after_), days,
                     days == 1 ? "" : "s", remedy);
}

}  // namespace outrider
