#include "proxy/authority_certificate.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <ctime>
#include <vector>

namespace outrider {
namespace {

constexpr std::size_t kLongestName = 64;  // RFC 5280 appendix A: ub-common-name
constexpr auto kClockDifference = std::chrono::hours{24};

// Random, so that no two certificates of the same name are ever confused; positive and short enough (RFC 5280 section
// 4.1.2.2).
bool set_serial(X509* certificate) {
  std::array<unsigned char, 16> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) return false;
  random[0] = static_cast<unsigned char>((random[0] & 0x3FU) | 0x40U);
  const std::unique_ptr<BIGNUM, OpensslFree<BN_free>> number{
      BN_bin2bn(random.data(), static_cast<int>(random.size()), nullptr)};
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

// The unit makes the whole name unique: browsers file certificates by it, and a renewed authority must not be taken for
// the one before.
bool set_names(X509* certificate, std::string_view name) {
  std::array<unsigned char, 4> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) return false;
  const std::string unit = fmt::format("{:02x}", fmt::join(random, ""));
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto add = [subject](const char* field, std::string_view value) {
    return X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8,
                                      reinterpret_cast<const unsigned char*>(value.data()),
                                      static_cast<int>(value.size()), -1, 0) == 1;
  };
  return add("O", "Outrider") && add("OU", unit) && add("CN", name) && X509_set_issuer_name(certificate, subject) == 1;
}

bool set_dates(X509* certificate, WallTime now) {
  const auto seconds = [](WallTime time) { return std::chrono::system_clock::to_time_t(time); };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(now - kClockDifference)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(now + kAuthorityLife)) != nullptr;
}

bool add_extension(X509* certificate, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, OpensslFree<X509_EXTENSION_free>> extension{
      X509V3_EXT_conf_nid(nullptr, &context, id, value)};
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

WallTime to_wall_time(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return WallTime{};
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

Result<std::string> written_by(const auto& write) {
  const BioPtr bio{BIO_new(BIO_s_mem())};
  if (!bio || write(bio.get()) != 1) return openssl_failure("write PEM");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

// As much as fits, without half a character, and nothing that is not text: names of users and machines may be anything.
std::string clean(std::string_view text, std::size_t limit, std::string_view otherwise) {
  std::string good;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7F) good += c;
    if (good.size() == limit) break;
  }
  return good.empty() ? std::string{otherwise} : good;
}

}  // namespace

Error openssl_failure(std::string_view doing) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return Error{ErrorKind::io, Side::self,
               fmt::format("OpenSSL cannot {}: {}", doing, reason == nullptr ? "no reason given" : reason)};
}

Result<AuthorityPair> make_authority(std::string_view name, WallTime now) {
  AuthorityPair pair{PrivateKeyPtr{EVP_EC_gen("P-256")}, X509Ptr{X509_new()}};
  X509* certificate = pair.certificate.get();
  // pathlen:0: what we sign can never sign for others.
  const bool made = pair.key && certificate != nullptr && X509_set_version(certificate, X509_VERSION_3) == 1 &&
                    set_serial(certificate) && set_names(certificate, name) && set_dates(certificate, now) &&
                    X509_set_pubkey(certificate, pair.key.get()) == 1 &&
                    add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                    add_extension(certificate, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    add_extension(certificate, NID_subject_key_identifier, "hash") &&
                    X509_sign(certificate, pair.key.get(), EVP_sha256()) > 0;
  if (!made) return openssl_failure("make a certificate authority");
  return pair;
}

std::string authority_name(std::string_view user, std::string_view host) {
  const std::string owner = clean(user, 20, "somebody");
  std::string name = fmt::format("Outrider CA of {} on ", owner);
  return name + clean(host, kLongestName - name.size(), "this machine");
}

std::string authority_name_here() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::vector<char> room(16 * 1024);
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &found);
  return authority_name(found == nullptr ? fmt::format("user {}", ::geteuid()) : std::string{found->pw_name},
                        host.data());
}

Result<std::string> to_pem(X509* certificate) {
  return written_by([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

Result<std::string> to_pem(EVP_PKEY* key) {
  return written_by(
      [&](BIO* bio) { return PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

WallTime not_after(const X509* certificate) {
  return to_wall_time(X509_get0_notAfter(certificate));
}

WallTime not_before(const X509* certificate) {
  return to_wall_time(X509_get0_notBefore(certificate));
}

std::string common_name(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return "(no name)";
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (size < 0) return "(no name)";
  std::string name(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return name;
}

AuthorityCertificate::AuthorityCertificate(X509Ptr certificate, std::string pem)
    : certificate_(std::move(certificate)), pem_(std::move(pem)), name_(common_name(certificate_.get())) {}

std::optional<AuthorityCertificate> AuthorityCertificate::from_pem(const std::string& text) {
  const BioPtr reader{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  const auto no_pass_phrase = [](char*, int, int, void*) { return -1; };  // OpenSSL would ask on the terminal
  X509Ptr certificate{PEM_read_bio_X509(reader.get(), nullptr, no_pass_phrase, nullptr)};
  ERR_clear_error();
  if (!certificate) return std::nullopt;
  Result<std::string> pem = to_pem(certificate.get());  // without what else the text may hold
  if (!pem) return std::nullopt;
  return AuthorityCertificate{std::move(certificate), std::move(*pem)};
}

std::string AuthorityCertificate::der() const {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate_.get(), &bytes);
  if (size < 0) return {};
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

std::string AuthorityCertificate::fingerprint() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(certificate_.get(), EVP_sha256(), digest.data(), &size) != 1) return {};
  return fmt::format("{:02X}", fmt::join(digest.begin(), digest.begin() + size, ":"));
}

}  // namespace outrider
