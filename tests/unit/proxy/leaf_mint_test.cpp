#include "proxy/leaf_mint.hpp"

#include "tests/support/secret_folder.hpp"

#include <gtest/gtest.h>
#include <openssl/x509v3.h>

#include <set>
#include <thread>

namespace outrider {
namespace {

using namespace std::chrono_literals;
const WallTime kNow{std::chrono::seconds{1'790'000'000}};
constexpr auto kDay = 24h;
const SteadyTime kSteady{1h};

std::chrono::seconds as_seconds(const ASN1_TIME* time) {
  std::tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return std::chrono::seconds{timegm(&parts)};
}

// What a browser that trusts the authority says.
int verdict(X509* leaf, X509* authority, const std::string& host, WallTime now) {
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, authority);
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf, nullptr);
  X509_STORE_CTX_set_default(context, "ssl_server");
  X509_VERIFY_PARAM* param = X509_STORE_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
  X509_VERIFY_PARAM_set_time(param, std::chrono::system_clock::to_time_t(now));
  if (X509_VERIFY_PARAM_set1_ip_asc(param, host.c_str()) != 1)
    X509_VERIFY_PARAM_set1_host(param, host.data(), host.size());
  X509_verify_cert(context);
  const int result = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return result;
}

struct LeafMintTest : ::testing::Test {
  testing::SecretFolder folder;
  std::shared_ptr<const Authority> authority = Authority::open(folder.path() / "ca", kNow).value();
  std::unique_ptr<LeafMint> mint = make({});

  std::unique_ptr<LeafMint> make(const LeafLimits& limits) const {
    return std::move(LeafMint::create(authority, limits).value());
  }
  LeafMint::Leaf leaf(const std::string& host, WallTime now = kNow) { return mint->mint(host, now, kSteady).value(); }
};

TEST_F(LeafMintTest, Leaf_IsAcceptedForItsHostAlone) {
  const std::string longest = std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + "." +
                              std::string(57, 'd') + ".com";
  ASSERT_EQ(longest.size(), 253U);
  for (const std::string& host :
       {std::string{"www.example.com"}, std::string{"localhost"}, std::string{"xn--bcher-kva.example"},
        std::string{"a_b.example"}, std::string{"192.0.2.1"}, std::string{"2001:db8::1"}, longest}) {
    X509* made = leaf(host).get();
    EXPECT_EQ(verdict(made, authority->certificate(), host, kNow), X509_V_OK) << host;
    EXPECT_NE(verdict(made, authority->certificate(), "other.example", kNow), X509_V_OK) << host;
  }
  EXPECT_NE(verdict(leaf("example.com").get(), authority->certificate(), "www.example.com", kNow), X509_V_OK);
}

TEST_F(LeafMintTest, Leaf_HasWhatBrowsersWant) {
  X509* made = leaf("www.example.com").get();
  EXPECT_EQ(X509_get_version(made), X509_VERSION_3);
  EXPECT_EQ(X509_get_extended_key_usage(made), static_cast<std::uint32_t>(XKU_SSL_SERVER));
  EXPECT_EQ(X509_check_ca(made), 0);
  EXPECT_EQ(X509_get_key_usage(made), static_cast<std::uint32_t>(KU_DIGITAL_SIGNATURE));
  ASSERT_NE(X509_get0_authority_key_id(made), nullptr);
  EXPECT_EQ(ASN1_OCTET_STRING_cmp(X509_get0_authority_key_id(made), X509_get0_subject_key_id(authority->certificate())),
            0);
  EXPECT_EQ(EVP_PKEY_eq(X509_get0_pubkey(made), mint->key()), 1);
  EXPECT_EQ(EVP_PKEY_get_bits(mint->key()), 256);
}

TEST_F(LeafMintTest, Serial_IsPositiveAndNeverTheSame) {
  std::set<std::string> serials;
  for (int i = 0; i < 100; ++i) {
    const LeafMint::Leaf made = leaf("host" + std::to_string(i) + ".example");
    const ASN1_INTEGER* serial = X509_get0_serialNumber(made.get());
    EXPECT_EQ(ASN1_STRING_length(serial), 16);
    EXPECT_EQ(ASN1_STRING_type(serial), V_ASN1_INTEGER);
    serials.emplace(reinterpret_cast<const char*>(ASN1_STRING_get0_data(serial)), 16);
  }
  EXPECT_EQ(serials.size(), 100U);
}

// CA/Browser Forum baseline requirements 6.3.2: at most 200 days.
TEST_F(LeafMintTest, Life_IsAtMost199DaysAndEndsWithTheAuthority) {
  X509* made = leaf("www.example.com").get();
  const auto begin = as_seconds(X509_get0_notBefore(made)), end = as_seconds(X509_get0_notAfter(made));
  EXPECT_LE(end - begin, kDay * 199);
  EXPECT_LT(begin, kNow.time_since_epoch());  // clocks differ
  const WallTime late = authority->not_after() - 10 * kDay;
  EXPECT_EQ(as_seconds(X509_get0_notAfter(leaf("late.example", late).get())),
            authority->not_after().time_since_epoch());
}

TEST_F(LeafMintTest, Leaf_IsReusedWhileItIsGood) {
  const LeafMint::Leaf first = leaf("www.example.com");
  EXPECT_EQ(leaf("www.example.com"), first);
  EXPECT_EQ(mint->find("www.example.com", kNow), first);
  EXPECT_EQ(mint->find("www.example.org", kNow), nullptr);
  EXPECT_NE(leaf("www.example.com", kNow + 198 * kDay), first);  // it has less than a day left
  EXPECT_EQ(mint->minted(), 2U);
}

// HOSTILE: wildcard, NUL and 10 kB names: nothing is minted.
TEST_F(LeafMintTest, NamesThatAreNone_GetNoCertificate) {
  using namespace std::string_literals;
  for (const std::string& host : {""s, "*"s, "*.example.com"s, "a..b"s, ".a"s, "a."s, "a\0b"s, "a b"s, "a/b"s, "a,b"s,
                                  "ä.example"s, std::string(10'000, 'a'), std::string(64, 'a') + ".example",
                                  "fe80::1%eth0"s, "[::1]"s, std::string(254, 'a')}) {
    const Result<LeafMint::Leaf> made = mint->mint(host, kNow, kSteady);
    ASSERT_FALSE(made.has_value()) << host;
    EXPECT_EQ(made.error().kind, ErrorKind::bad_message) << host;
  }
  EXPECT_EQ(mint->minted(), 0U);
}

TEST_F(LeafMintTest, OnlyTheMostRecentlyUsed_AreKept) {
  mint = make({3, 1000});
  const LeafMint::Leaf first = leaf("1.example");
  leaf("2.example");
  leaf("3.example");
  EXPECT_EQ(leaf("1.example"), first);
  leaf("4.example");
  EXPECT_EQ(mint->kept(), 3U);
  EXPECT_EQ(mint->find("2.example", kNow), nullptr);
  EXPECT_EQ(mint->find("1.example", kNow), first);
}

// HOSTILE: 100,000 names: the rate is bounded.
TEST_F(LeafMintTest, Rate_IsLimited) {
  mint = make({100, 5});
  int made = 0;
  for (int i = 0; i < 20; ++i) made += mint->mint("a" + std::to_string(i), kNow, kSteady).has_value() ? 1 : 0;
  EXPECT_EQ(made, 5);
  EXPECT_EQ(mint->mint("b", kNow, kSteady).error().kind, ErrorKind::busy);
  EXPECT_TRUE(mint->mint("a0", kNow, kSteady).has_value());  // what is there costs nothing
  for (int i = 0; i < 20; ++i) made += mint->mint("c" + std::to_string(i), kNow, kSteady + 400ms).has_value() ? 1 : 0;
  EXPECT_EQ(made, 7);
}

TEST_F(LeafMintTest, ThoseWhoWantTheSameAtOnce_GetTheSame) {
  std::vector<LeafMint::Leaf> got(8);
  std::vector<std::thread> threads;
  for (LeafMint::Leaf& slot : got)
    threads.emplace_back([&] { slot = mint->mint("www.example.com", kNow, kSteady).value(); });
  for (std::thread& thread : threads) thread.join();
  for (const LeafMint::Leaf& each : got) EXPECT_EQ(each, got.front());
  EXPECT_EQ(mint->minted(), 1U);
}

}  // namespace
}  // namespace outrider
