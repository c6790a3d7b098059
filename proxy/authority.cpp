#include "proxy/authority.hpp"

#include "proxy/authority_certificate.hpp"
#include "proxy/authority_folder.hpp"
#include "proxy/secret_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <fstream>
#include <sstream>

namespace outrider {
namespace {

constexpr auto kWarnBefore = std::chrono::hours{24} * 60;
constexpr int kSmallestRsaKey = 2048;

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

Authority::Authority(X509Ptr certificate, PrivateKeyPtr key, std::string pem)
    : certificate_(std::move(certificate)),
      key_(std::move(key)),
      pem_(std::move(pem)),
      name_(common_name(certificate_.get())),
      not_before_(outrider::not_before(certificate_.get())),
      not_after_(outrider::not_after(certificate_.get())) {}

Opened Authority::from_pem(const std::string& certificate_text, const std::string& key_text,
                           const std::string& certificate_file, const std::string& key_file) {
  X509Ptr certificate{PEM_read_bio_X509(reader_of(certificate_text).get(), nullptr, no_pass_phrase, nullptr)};
  PrivateKeyPtr key{PEM_read_bio_PrivateKey(reader_of(key_text).get(), nullptr, no_pass_phrase, nullptr)};
  ERR_clear_error();
  if (!certificate)
    return refused(certificate_file, "is not a certificate in PEM; restore it, or run: outrider ca renew");
  if (!key)
    return refused(key_file,
                   "is not a private key in PEM without a pass phrase; restore it, or run: outrider ca renew");
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    ERR_clear_error();
    return refused(key_file, fmt::format("does not belong to the certificate {}", certificate_file));
  }
  if (Result<void> good = check_key(key.get(), key_file); !good) return good.error();
  if (Result<void> good = check_certificate(certificate.get(), certificate_file); !good) return good.error();
  Result<std::string> pem = to_pem(certificate.get());
  if (!pem) return pem.error();
  return std::shared_ptr<const Authority>{new Authority{std::move(certificate), std::move(key), std::move(*pem)}};
}

Opened Authority::open(const std::filesystem::path& folder, WallTime now) {
  const Result<AuthorityTexts> texts = ensure_authority_folder(folder, [now] { return make_texts(now); });
  if (!texts) return texts.error();
  return from_pem(texts->certificate, texts->key, (folder / kAuthorityCertificateFile).string(),
                  (folder / kAuthorityKeyFile).string());
}

Opened Authority::open_existing(const std::filesystem::path& folder) {
  const Result<AuthorityTexts> texts = read_authority_folder(folder);
  if (!texts) return texts.error();
  return from_pem(texts->certificate, texts->key, (folder / kAuthorityCertificateFile).string(),
                  (folder / kAuthorityKeyFile).string());
}

Opened Authority::open_own(const std::filesystem::path& certificate, const std::filesystem::path& key, WallTime now) {
  const Result<std::string> key_text = read_secret_file(key.string());
  if (!key_text) return key_text.error();
  const Result<std::string> certificate_text = read_file(certificate);
  if (!certificate_text) return certificate_text.error();
  Opened own = from_pem(*certificate_text, *key_text, certificate.string(), key.string());
  if (own && !(*own)->valid_at(now))
    return refused(certificate.string(), fmt::format("is valid only from {} to {}; is the clock of this machine right?",
                                                     day((*own)->not_before()), day((*own)->not_after())));
  return own;
}

Opened Authority::renew(const std::filesystem::path& folder, WallTime now) {
  const Result<AuthorityTexts> texts = make_texts(now);
  if (!texts) return texts.error();
  if (Result<void> replaced = replace_authority_folder(folder, *texts); !replaced) return replaced.error();
  return open_existing(folder);
}

std::string Authority::der() const {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate_.get(), &bytes);
  if (size < 0) return {};
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

std::string Authority::fingerprint() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(certificate_.get(), EVP_sha256(), digest.data(), &size) != 1) return {};
  return fmt::format("{:02X}", fmt::join(digest.begin(), digest.begin() + size, ":"));
}

std::optional<std::string> Authority::warning(WallTime now) const {
  constexpr std::string_view kRemedy = "outrider ca renew, then outrider ca install";
  if (now < not_before_)
    return fmt::format("{} is not valid before {}: no HTTPS is opened until the clock of this machine is right", name_,
                       day(not_before_));
  if (now >= not_after_)
    return fmt::format("{} has ended on {}: no HTTPS is opened until it is replaced: {}", name_, day(not_after_),
                       kRemedy);
  if (not_after_ - now >= kWarnBefore) return std::nullopt;
  const auto days = std::chrono::duration_cast<std::chrono::hours>(not_after_ - now).count() / 24;
  return fmt::format("{} ends on {}, in {} day{}; replace it in time: {}", name_, day(not_after_), days,
                     days == 1 ? "" : "s", kRemedy);
}

}  // namespace outrider
