#include "proxy/leaf_mint.hpp"

#include "base/ip_address.hpp"
#include "proxy/authority_certificate.hpp"

#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>

namespace outrider {
namespace {

constexpr auto kClockDifference = std::chrono::hours{24};  // between us and a client
constexpr auto kStillGood = std::chrono::hours{24};        // what a certificate must have left to be handed out
constexpr std::size_t kLongestCommonName = 64;             // RFC 5280 appendix A: ub-common-name

using ExtensionPtr = std::unique_ptr<X509_EXTENSION, OpensslFree<X509_EXTENSION_free>>;
using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, OpensslFree<GENERAL_NAMES_free>>;

// OpenSSL's provider keys are encoded and decoded again each time they are put into a certificate, which takes five
// times as long as signing it. A key of the older kind is copied as it is; it is deprecated, but not going away before
// OpenSSL 4.
PrivateKeyPtr make_key() {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EC_KEY* curve_key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
  PrivateKeyPtr key{EVP_PKEY_new()};
  const bool made = curve_key != nullptr && key && EC_KEY_generate_key(curve_key) == 1 &&
                    EVP_PKEY_set1_EC_KEY(key.get(), curve_key) == 1;
  EC_KEY_free(curve_key);
  return made ? std::move(key) : nullptr;
#pragma GCC diagnostic pop
}

bool set_serial(X509* certificate) {
  std::array<unsigned char, 16> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) return false;
  random[0] = static_cast<unsigned char>((random[0] & 0x3FU) | 0x40U);  // positive, always 16 bytes
  const std::unique_ptr<BIGNUM, OpensslFree<BN_free>> number{
      BN_bin2bn(random.data(), static_cast<int>(random.size()), nullptr)};
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

// The name for people; programs look at the alternative name. One that is too long is left out.
bool set_subject(X509* certificate, std::string_view host) {
  if (host.size() > kLongestCommonName) return true;
  return X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), NID_commonName, MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>(host.data()), static_cast<int>(host.size()),
                                    -1, 0) == 1;
}

// RFC 5280 section 4.2.1.6: a name as dNSName, an address as iPAddress; critical if there is no subject.
ExtensionPtr alternative_name(std::string_view host) {
  const GeneralNamesPtr names{GENERAL_NAMES_new()};
  GENERAL_NAME* name = GENERAL_NAME_new();
  if (!names || name == nullptr || sk_GENERAL_NAME_push(names.get(), name) == 0) {
    GENERAL_NAME_free(name);
    return nullptr;
  }
  boost::system::error_code is_name;
  const IpAddress address = boost::asio::ip::make_address(host, is_name);
  ASN1_STRING* value = is_name ? ASN1_IA5STRING_new() : ASN1_OCTET_STRING_new();
  if (value == nullptr) return nullptr;
  GENERAL_NAME_set0_value(name, is_name ? GEN_DNS : GEN_IPADD, value);
  int set = 0;
  if (is_name) {
    set = ASN1_STRING_set(value, host.data(), static_cast<int>(host.size()));
  } else if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    set = ASN1_STRING_set(value, bytes.data(), static_cast<int>(bytes.size()));
  } else {
    const auto bytes = address.to_v6().to_bytes();
    set = ASN1_STRING_set(value, bytes.data(), static_cast<int>(bytes.size()));
  }
  if (set != 1) return nullptr;
  return ExtensionPtr{X509V3_EXT_i2d(NID_subject_alt_name, host.size() > kLongestCommonName ? 1 : 0, names.get())};
}

bool set_dates(X509* certificate, WallTime begin, WallTime end) {
  const auto seconds = [](WallTime time) { return std::chrono::system_clock::to_time_t(time); };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(begin)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(end)) != nullptr;
}

}  // namespace

struct LeafMint::Extensions {
  std::vector<ExtensionPtr> all;

  bool add(X509* issuer, int id, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, issuer, nullptr, nullptr, 0);
    all.emplace_back(X509V3_EXT_conf_nid(nullptr, &context, id, value));
    return all.back() != nullptr;
  }
};

bool is_certifiable(std::string_view host) {
  boost::system::error_code is_name;
  boost::asio::ip::make_address(host, is_name);
  if (!is_name) return host.find('%') == std::string_view::npos;  // an address has no zone in a certificate
  if (host.empty() || host.size() > 253) return false;
  std::size_t label = 0;
  for (const char c : host) {
    if (c == '.') {
      if (label == 0) return false;
      label = 0;
      continue;
    }
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!good || ++label > 63) return false;
  }
  return label > 0;
}

LeafMint::LeafMint(std::shared_ptr<const Authority> authority, const LeafLimits& limits)
    : authority_(std::move(authority)), limits_(limits), tokens_(limits.per_second) {}

LeafMint::~LeafMint() = default;

Result<std::unique_ptr<LeafMint>> LeafMint::create(std::shared_ptr<const Authority> authority,
                                                   const LeafLimits& limits) {
  std::unique_ptr<LeafMint> mint{new LeafMint(std::move(authority), limits)};
  mint->key_ = make_key();
  if (!mint->key_) return openssl_failure("make a key for certificates");
  auto extensions = std::make_unique<Extensions>();
  X509* issuer = mint->authority_->certificate();
  bool made = extensions->add(issuer, NID_basic_constraints, "critical,CA:FALSE") &&
              extensions->add(issuer, NID_key_usage, "critical,digitalSignature") &&
              extensions->add(issuer, NID_ext_key_usage, "serverAuth");
  // A user's own authority may have no identifier to refer to.
  if (X509_get0_subject_key_id(issuer) != nullptr)
    made = made && extensions->add(issuer, NID_authority_key_identifier, "keyid:always");
  if (!made) return openssl_failure("prepare certificates");
  mint->extensions_ = std::move(extensions);
  return mint;
}

LeafMint::Leaf LeafMint::find(std::string_view host, WallTime now) {
  const std::lock_guard lock(mutex_);
  const auto known = by_host_.find(host);
  if (known == by_host_.end() || known->second->good_until <= now) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, known->second);
  return known->second->leaf;
}

Result<LeafMint::Leaf> LeafMint::mint(std::string_view host, WallTime now, SteadyTime steady) {
  if (!is_certifiable(host))
    return Error{ErrorKind::bad_message, Side::client, "no certificate can be made for this name"};
  const std::lock_guard turn(making_[Hash{}(host) % making_.size()]);
  if (Leaf known = find(host, now)) return known;  // somebody was quicker
  if (!may_mint(steady))
    return Error{ErrorKind::busy, Side::self, "too many certificates are asked for (tls.certificates_per_second)"};
  const WallTime end = std::min(authority_->not_after(), now - kClockDifference + kLife);
  Result<Leaf> leaf = make(host, now, end);
  if (leaf) keep(host, *leaf, end - kStillGood);
  return leaf;
}

bool LeafMint::may_mint(SteadyTime now) {
  const std::lock_guard lock(mutex_);
  if (refilled_ == SteadyTime{}) refilled_ = now;
  const double passed = std::chrono::duration<double>(now - refilled_).count();
  if (passed > 0) {
    tokens_ = std::min(limits_.per_second, tokens_ + passed * limits_.per_second);
    refilled_ = now;
  }
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  ++minted_;
  return true;
}

Result<LeafMint::Leaf> LeafMint::make(std::string_view host, WallTime now, WallTime end) const {
  X509Ptr leaf{X509_new()};
  const ExtensionPtr name = alternative_name(host);
  bool made = leaf && name && X509_set_version(leaf.get(), X509_VERSION_3) == 1 && set_serial(leaf.get()) &&
              set_subject(leaf.get(), host) &&
              X509_set_issuer_name(leaf.get(), X509_get_subject_name(authority_->certificate())) == 1 &&
              set_dates(leaf.get(), now - kClockDifference, end) && X509_set_pubkey(leaf.get(), key_.get()) == 1 &&
              X509_add_ext(leaf.get(), name.get(), -1) == 1;
  for (const ExtensionPtr& extension : extensions_->all)
    made = made && X509_add_ext(leaf.get(), extension.get(), -1) == 1;
  made = made && X509_sign(leaf.get(), authority_->key(), EVP_sha256()) > 0;
  if (!made) return openssl_failure("make a certificate");
  return Leaf{leaf.release(), [](X509* certificate) { X509_free(certificate); }};
}

void LeafMint::keep(std::string_view host, Leaf leaf, WallTime good_until) {
  const std::lock_guard lock(mutex_);
  if (const auto old = by_host_.find(host); old != by_host_.end()) {
    by_use_.erase(old->second);
    by_host_.erase(old);
  }
  by_use_.push_front(Entry{std::string{host}, std::move(leaf), good_until});
  by_host_.emplace(host, by_use_.begin());
  while (by_use_.size() > limits_.kept) {
    by_host_.erase(by_use_.back().host);
    by_use_.pop_back();
  }
}

std::size_t LeafMint::kept() const {
  const std::lock_guard lock(mutex_);
  return by_use_.size();
}

std::uint64_t LeafMint::minted() const {
  const std::lock_guard lock(mutex_);
  return minted_;
}

}  // namespace outrider
