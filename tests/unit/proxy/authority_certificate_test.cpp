#include "proxy/authority_certificate.hpp"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace outrider {
namespace {

const WallTime kMade{std::chrono::seconds{1'790'000'000}};

AuthorityPair make(std::string_view name = "Outrider CA of anna on laptop") {
  return std::move(make_authority(name, kMade).value());
}

TEST(AuthorityCertificate, Key_IsEcdsaP256) {
  const AuthorityPair pair = make();
  ASSERT_EQ(EVP_PKEY_get_base_id(pair.key.get()), EVP_PKEY_EC);
  char group[32] = {};
  ASSERT_EQ(EVP_PKEY_get_group_name(pair.key.get(), group, sizeof group, nullptr), 1);
  EXPECT_STREQ(group, "prime256v1");
  EXPECT_EQ(X509_verify(pair.certificate.get(), pair.key.get()), 1) << "signed by itself";
}

// RFC 5280 sections 4.2.1.2, 4.2.1.3, 4.2.1.9.
TEST(AuthorityCertificate, Extensions_SayWhatItMayDo) {
  const AuthorityPair pair = make();
  X509* certificate = pair.certificate.get();
  EXPECT_EQ(X509_get_version(certificate), X509_VERSION_3);
  EXPECT_EQ(X509_check_ca(certificate), 1);
  EXPECT_EQ(X509_get_pathlen(certificate), 0) << "what it signs can sign nothing";
  EXPECT_EQ(X509_get_key_usage(certificate), static_cast<std::uint32_t>(KU_KEY_CERT_SIGN | KU_CRL_SIGN));
  EXPECT_NE(X509_get0_subject_key_id(certificate), nullptr);
  for (const int id : {NID_basic_constraints, NID_key_usage}) {
    const int at = X509_get_ext_by_NID(certificate, id, -1);
    ASSERT_GE(at, 0);
    EXPECT_EQ(X509_EXTENSION_get_critical(X509_get_ext(certificate, at)), 1) << id;
  }
}

TEST(AuthorityCertificate, Life_IsTwoYears) {
  const AuthorityPair pair = make();
  EXPECT_EQ(not_after(pair.certificate.get()), kMade + std::chrono::hours{24} * 730);
  EXPECT_LT(not_before(pair.certificate.get()), kMade) << "a browser whose clock is late accepts it";
}

TEST(AuthorityCertificate, EachIsDifferent) {
  const AuthorityPair one = make();
  const AuthorityPair two = make();
  EXPECT_NE(EVP_PKEY_eq(one.key.get(), two.key.get()), 1);
  EXPECT_NE(
      ASN1_INTEGER_cmp(X509_get0_serialNumber(one.certificate.get()), X509_get0_serialNumber(two.certificate.get())),
      0);
  EXPECT_NE(X509_NAME_cmp(X509_get_subject_name(one.certificate.get()), X509_get_subject_name(two.certificate.get())),
            0)
      << "browsers file certificates by their names";
}

// RFC 5280 section 4.1.2.2: positive, at most 20 octets.
TEST(AuthorityCertificate, Serial_IsPositiveAndOfUsualLength) {
  for (int i = 0; i < 50; ++i) {
    const AuthorityPair pair = make();
    const ASN1_INTEGER* serial = X509_get0_serialNumber(pair.certificate.get());
    EXPECT_EQ(ASN1_STRING_length(serial), 16);
    EXPECT_EQ(ASN1_STRING_type(serial), V_ASN1_INTEGER) << "not negative";
  }
}

TEST(AuthorityCertificate, Name_SaysWhose) {
  EXPECT_EQ(authority_name("anna", "laptop"), "Outrider CA of anna on laptop");
  EXPECT_EQ(common_name(make().certificate.get()), "Outrider CA of anna on laptop");
  EXPECT_EQ(authority_name("", ""), "Outrider CA of somebody on this machine");
  EXPECT_EQ(authority_name("a\nb\x01", "h\xC3\xA4 st"), "Outrider CA of ab on hst");
  const std::string longest = authority_name(std::string(300, 'u'), std::string(300, 'h'));
  EXPECT_EQ(longest.size(), 64U) << "RFC 5280: ub-common-name";
  EXPECT_EQ(common_name(make(longest).certificate.get()), longest);
  EXPECT_TRUE(authority_name_here().starts_with("Outrider CA of "));
}

TEST(AuthorityCertificate, Pem_ReadsBack) {
  const AuthorityPair pair = make();
  const std::string text = to_pem(pair.certificate.get()).value();
  const BioPtr bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  const X509Ptr again{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)};
  ASSERT_TRUE(again);
  EXPECT_EQ(X509_cmp(again.get(), pair.certificate.get()), 0);
  EXPECT_TRUE(to_pem(pair.key.get()).value().starts_with("-----BEGIN PRIVATE KEY-----\n"));
}

TEST(AuthorityCertificate, OfSeveralInAText_TheFirstCounts) {
  const AuthorityPair one = make("one");
  const AuthorityPair two = make("two");
  const std::string first = to_pem(one.certificate.get()).value();
  const auto read = AuthorityCertificate::from_pem("# ours\n" + first + to_pem(two.certificate.get()).value());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name(), "one");
  EXPECT_EQ(read->pem(), first);
  EXPECT_FALSE(AuthorityCertificate::from_pem(""));
  EXPECT_FALSE(AuthorityCertificate::from_pem(to_pem(one.key.get()).value()));
}

}  // namespace
}  // namespace outrider
