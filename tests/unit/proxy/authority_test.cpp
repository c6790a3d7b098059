#include "proxy/authority.hpp"

#include "proxy/authority_certificate.hpp"
#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>
#include <openssl/x509v3.h>

#include <thread>

namespace outrider {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
const WallTime kNow{std::chrono::seconds{1'790'000'000}};
constexpr auto kDay = 24h;

class AuthorityOnDisk : public ::testing::Test {
 protected:
  fs::path ca() const { return scratch.path() / "ca"; }
  std::shared_ptr<const Authority> open(WallTime now = kNow) const { return Authority::open(ca(), now).value(); }
  // An own authority of the user, changed before it is signed.
  std::pair<std::string, std::string> own(const std::function<void(X509*)>& change = [](X509*) {}) const {
    const AuthorityPair pair = std::move(make_authority("My own", kNow).value());
    change(pair.certificate.get());
    X509_sign(pair.certificate.get(), pair.key.get(), EVP_sha256());
    return {scratch.write("own.crt", to_pem(pair.certificate.get()).value(), 0644),
            scratch.write("own.key", to_pem(pair.key.get()).value(), 0600)};
  }
  testing::SecretFolder scratch;
};

// A certificate for a host as interception makes them, signed by the authority.
X509Ptr make_leaf(const Authority& authority, EVP_PKEY* key, const char* host) {
  X509Ptr leaf{X509_new()};
  X509_set_version(leaf.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(leaf.get()), 7);
  ASN1_TIME_set(X509_getm_notBefore(leaf.get()), std::chrono::system_clock::to_time_t(kNow - kDay));
  ASN1_TIME_set(X509_getm_notAfter(leaf.get()), std::chrono::system_clock::to_time_t(kNow + 30 * kDay));
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(authority.certificate()));
  X509_set_pubkey(leaf.get(), key);
  X509V3_CTX context;
  X509V3_set_ctx(&context, authority.certificate(), leaf.get(), nullptr, nullptr, 0);
  for (const auto& [id, value] : {std::pair{NID_subject_alt_name, std::string{"critical,DNS:"} + host},
                                  std::pair{NID_authority_key_identifier, std::string{"keyid:always"}}}) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
    X509_add_ext(leaf.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }
  X509_sign(leaf.get(), authority.key(), EVP_sha256());
  return leaf;
}

// What a browser that trusts `trusted` says about `leaf`.
int verdict(X509* leaf, X509* trusted, const char* host, WallTime now) {
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, trusted);
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf, nullptr);
  X509_STORE_CTX_set_time(context, 0, std::chrono::system_clock::to_time_t(now));
  X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set1_host(X509_STORE_CTX_get0_param(context), host, 0);
  X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context), X509_V_FLAG_X509_STRICT);
  X509_verify_cert(context);
  const int result = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return result;
}

TEST_F(AuthorityOnDisk, SignsWhatATrustingBrowserAccepts) {
  const auto authority = open();
  const PrivateKeyPtr key{EVP_EC_gen("P-256")};
  const X509Ptr leaf = make_leaf(*authority, key.get(), "example.com");
  EXPECT_EQ(X509_verify(leaf.get(), authority->key()), 1);
  EXPECT_EQ(verdict(leaf.get(), authority->certificate(), "example.com", kNow), X509_V_OK);
  EXPECT_EQ(verdict(leaf.get(), authority->certificate(), "example.org", kNow), X509_V_ERR_HOSTNAME_MISMATCH);
  testing::SecretFolder other;
  const auto stranger = Authority::open(other.path() / "ca", kNow).value();
  EXPECT_NE(verdict(leaf.get(), stranger->certificate(), "example.com", kNow), X509_V_OK)
      << "two installs do not trust each other";
}

TEST_F(AuthorityOnDisk, IsTheSameAfterARestart) {
  const auto before = open();
  const auto after = open(kNow + 400 * kDay);
  EXPECT_EQ(before->fingerprint(), after->fingerprint());
  EXPECT_EQ(EVP_PKEY_eq(before->key(), after->key()), 1);
}

TEST_F(AuthorityOnDisk, TellsItsFacts) {
  const auto authority = open();
  EXPECT_EQ(authority->name(), authority_name_here());
  EXPECT_EQ(authority->not_after(), kNow + kAuthorityLife);
  EXPECT_TRUE(authority->pem().starts_with("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_EQ(authority->pem().find("PRIVATE"), std::string::npos);
  const std::string fingerprint = authority->fingerprint();
  EXPECT_EQ(fingerprint.size(), 32U * 3 - 1);
  EXPECT_EQ(fingerprint.find_first_not_of("0123456789ABCDEF:"), std::string::npos);
  const std::string der = authority->der();
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const X509Ptr again{d2i_X509(nullptr, &bytes, static_cast<long>(der.size()))};
  ASSERT_TRUE(again);
  EXPECT_EQ(X509_cmp(again.get(), authority->certificate()), 0);
}

TEST_F(AuthorityOnDisk, WarnsInTheLastSixtyDays) {
  const auto authority = open();
  EXPECT_FALSE(authority->warning(kNow));
  EXPECT_FALSE(authority->warning(authority->not_after() - 60 * kDay));
  const std::optional<std::string> warning = authority->warning(authority->not_after() - 59 * kDay);
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find("in 59 days"), std::string::npos) << *warning;
  EXPECT_NE(authority->warning(authority->not_after() - kDay)->find("in 1 day;"), std::string::npos);
}

// A machine whose clock is wrong, or an installation that nobody has looked after, still has a proxy.
TEST_F(AuthorityOnDisk, OutsideItsTime_OpensButIsNotValid) {
  const auto authority = open();
  EXPECT_TRUE(authority->valid_at(kNow));
  EXPECT_TRUE(authority->valid_at(authority->not_after() - 1s));
  EXPECT_FALSE(authority->valid_at(authority->not_after()));
  EXPECT_FALSE(authority->valid_at(kNow - 10 * kDay));
  const auto late = Authority::open(ca(), kNow + kAuthorityLife);
  ASSERT_TRUE(late);
  EXPECT_EQ((*late)->fingerprint(), authority->fingerprint()) << "a clock that jumps must not cost the authority";
  EXPECT_NE((*late)->warning(kNow + kAuthorityLife)->find("outrider ca renew"), std::string::npos);
  EXPECT_NE(authority->warning(kNow - 10 * kDay)->find("clock"), std::string::npos);
}

TEST_F(AuthorityOnDisk, Damaged_IsRefusedAndRenewRepairs) {
  const std::string before = open()->fingerprint();
  for (const char* file : {"key.pem", "certificate.pem"}) {
    const std::string good = scratch.read(std::string{"ca/"} + file);
    for (const std::size_t length : {std::size_t{0}, good.size() / 2}) {
      scratch.write(std::string{"ca/"} + file, good.substr(0, length));
      const auto damaged = Authority::open(ca(), kNow);
      ASSERT_FALSE(damaged) << file << " " << length;
      EXPECT_NE(damaged.error().detail.find(file), std::string::npos) << damaged.error().detail;
    }
    scratch.write(std::string{"ca/"} + file, good);
  }
  EXPECT_EQ(open()->fingerprint(), before);
  fs::remove(ca() / "key.pem");
  const auto renewed = Authority::renew(ca(), kNow);
  ASSERT_TRUE(renewed) << renewed.error().detail;
  EXPECT_NE((*renewed)->fingerprint(), before);
  EXPECT_EQ(open()->fingerprint(), (*renewed)->fingerprint());
}

TEST_F(AuthorityOnDisk, MixedPair_IsRefused) {
  const auto authority = open();
  const AuthorityPair other = std::move(make_authority("other", kNow).value());
  scratch.write("ca/key.pem", to_pem(other.key.get()).value());
  const auto mixed = Authority::open(ca(), kNow);
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().detail.find("does not belong to"), std::string::npos) << mixed.error().detail;
}

TEST_F(AuthorityOnDisk, OpenExisting_MakesNothing) {
  EXPECT_EQ(Authority::open_existing(ca()).error().kind, ErrorKind::not_found);
  EXPECT_FALSE(fs::exists(ca()));
  const auto made = open();
  EXPECT_EQ(Authority::open_existing(ca()).value()->fingerprint(), made->fingerprint());
}

TEST_F(AuthorityOnDisk, CertificateAlone_NeedsNoKey) {
  EXPECT_EQ(Authority::read_certificate(ca()).error().kind, ErrorKind::not_found);
  const auto authority = open();
  ::chmod((ca() / "key.pem").c_str(), 0644);
  EXPECT_EQ(Authority::read_certificate(ca()).value().fingerprint(), authority->fingerprint());
  scratch.write("ca/key.pem", "damaged");
  EXPECT_EQ(Authority::read_certificate(ca()).value().fingerprint(), authority->fingerprint());
  fs::remove(ca() / "key.pem");
  EXPECT_EQ(Authority::read_certificate(ca()).value().pem(), authority->pem());
  scratch.write("ca/certificate.pem", "damaged");
  const auto damaged = Authority::read_certificate(ca());
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().kind, ErrorKind::io);
  EXPECT_NE(damaged.error().detail.find("certificate.pem: is not a certificate"), std::string::npos);
}

TEST_F(AuthorityOnDisk, ThreadsAtOnce_GetTheSame) {
  std::vector<std::string> seen(8);
  std::vector<std::thread> threads;
  for (std::string& mine : seen)
    threads.emplace_back([&mine, this] { mine = Authority::open(ca(), kNow).value()->fingerprint(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& one : seen) EXPECT_EQ(one, seen.front());
}

TEST_F(AuthorityOnDisk, OwnOfTheUser_IsTaken) {
  const auto [certificate, key] = own();
  const auto authority = Authority::open_own(certificate, key, kNow);
  ASSERT_TRUE(authority) << authority.error().detail;
  EXPECT_EQ((*authority)->name(), "My own");
  ::chmod(key.c_str(), 0640);
  EXPECT_TRUE(Authority::open_own(certificate, key, kNow)) << "a group for such keys (ssl-cert) is usual";
}

TEST_F(AuthorityOnDisk, OwnOfTheUser_CanBeLookedAtAfterItsEnd) {
  const auto [certificate, key] =
      own([](X509* x) { ASN1_TIME_set(X509_getm_notAfter(x), std::chrono::system_clock::to_time_t(kNow - kDay)); });
  EXPECT_FALSE(Authority::open_own(certificate, key, kNow));
  const auto authority = Authority::open_own(certificate, key);
  ASSERT_TRUE(authority) << authority.error().detail;
  EXPECT_FALSE((*authority)->valid_at(kNow));
  fs::remove(key);
  EXPECT_EQ(Authority::read_own_certificate(certificate).value().fingerprint(), (*authority)->fingerprint());
}

// `outrider ca renew` refuses it.
TEST_F(AuthorityOnDisk, OwnOfTheUser_IsNotToBeRenewedByUs) {
  const auto [certificate, key] = own();
  const auto authority = Authority::open_own(certificate, key).value();
  std::vector<std::string> messages;
  for (const WallTime when : {authority->not_after() - kDay, authority->not_after() + kDay})
    messages.push_back(authority->warning(when).value());
  scratch.write("own.key", "damaged");
  messages.push_back(Authority::open_own(certificate, key).error().detail);
  scratch.write("own.crt", "damaged", 0644);
  messages.push_back(Authority::open_own(certificate, key).error().detail);
  for (const std::string& message : messages) {
    EXPECT_EQ(message.find("ca renew"), std::string::npos) << message;
    EXPECT_NE(message.find("tls.ca_"), std::string::npos) << message;
  }
}

TEST_F(AuthorityOnDisk, OwnOfTheUser_MustBeFit) {
  const auto refusal = [&](const auto& files) {
    const auto authority = Authority::open_own(files.first, files.second, kNow);
    return authority ? std::string{"taken"} : authority.error().detail;
  };
  const auto drop = [](int id) {
    return [id](X509* x) { X509_EXTENSION_free(X509_delete_ext(x, X509_get_ext_by_NID(x, id, -1))); };
  };
  EXPECT_NE(refusal(own(drop(NID_basic_constraints))).find("not the certificate of an authority"), std::string::npos);
  EXPECT_NE(refusal(own([](X509* x) {
              ASN1_TIME_set(X509_getm_notAfter(x), std::chrono::system_clock::to_time_t(kNow - kDay));
            })).find("is valid only from"),
            std::string::npos);
  EXPECT_NE(refusal(own([&](X509* x) {
              drop(NID_key_usage)(x);
              X509V3_CTX context;
              X509V3_set_ctx(&context, x, x, nullptr, nullptr, 0);
              X509_EXTENSION* only = X509V3_EXT_conf_nid(nullptr, &context, NID_key_usage, "digitalSignature");
              X509_add_ext(x, only, -1);
              X509_EXTENSION_free(only);
            })).find("authority"),
            std::string::npos);
  auto open_key = own();
  ::chmod(open_key.second.c_str(), 0644);
  EXPECT_NE(refusal(open_key).find("chmod"), std::string::npos);
  EXPECT_NE(refusal(std::pair{scratch.file("none"), own().second}).find("there is no such file"), std::string::npos);
  const AuthorityPair other = std::move(make_authority("other", kNow).value());
  const auto files = own();
  scratch.write("own.key", to_pem(other.key.get()).value(), 0600);
  EXPECT_NE(refusal(files).find("does not belong to"), std::string::npos);
}

TEST_F(AuthorityOnDisk, OwnOfTheUser_KeysThatBrowsersRefuse) {
  const auto with_key = [&](EVP_PKEY* raw) {
    const PrivateKeyPtr key{raw};
    const AuthorityPair pair = std::move(make_authority("own", kNow).value());
    X509_set_pubkey(pair.certificate.get(), key.get());
    X509_sign(pair.certificate.get(), key.get(), EVP_PKEY_get_base_id(raw) == EVP_PKEY_RSA ? EVP_sha256() : nullptr);
    return Authority::open_own(scratch.write("own.crt", to_pem(pair.certificate.get()).value(), 0644),
                               scratch.write("own.key", to_pem(key.get()).value(), 0600), kNow);
  };
  EXPECT_TRUE(with_key(EVP_RSA_gen(2048)));
  EXPECT_FALSE(with_key(EVP_RSA_gen(1024)));
  EXPECT_FALSE(with_key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")));
}

}  // namespace
}  // namespace outrider
