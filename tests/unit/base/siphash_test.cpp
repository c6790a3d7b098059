#include "base/siphash.hpp"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <cstring>
#include <memory>
#include <string>

namespace outrider {
namespace {

SipKey counting_key() {
  SipKey key;
  std::array<unsigned char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i);
  std::memcpy(&key, bytes.data(), sizeof key);
  return key;
}

std::string hex(const Digest128& digest) {
  std::array<unsigned char, 16> bytes{};
  std::memcpy(bytes.data(), &digest, sizeof digest);
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// OpenSSL's implementation, another hand's work on the same algorithm.
Digest128 reference(const SipKey& key, std::string_view text) {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> mac{EVP_MAC_fetch(nullptr, "SIPHASH", nullptr), EVP_MAC_free};
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context{EVP_MAC_CTX_new(mac.get()), EVP_MAC_CTX_free};
  std::size_t size = 16;
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_construct_end()};
  EVP_MAC_init(context.get(), reinterpret_cast<const unsigned char*>(&key), sizeof key, parameters);
  EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  Digest128 digest;
  EVP_MAC_final(context.get(), reinterpret_cast<unsigned char*>(&digest), &size, sizeof digest);
  return digest;
}

TEST(SipHash, FirstVectorOfThePaper) {
  EXPECT_EQ(hex(siphash128(counting_key(), "")), "a3817f04ba25a8e66df67214c7550293");
}

TEST(SipHash, AgreesWithOpenSsl_AtEveryLength) {
  const SipKey key = SipKey::random();
  std::string text;
  for (int length = 0; length < 200; ++length) {
    ASSERT_EQ(siphash128(key, text), reference(key, text)) << length;
    text += static_cast<char>(length * 37);
  }
}

TEST(SipHash, KeysAreRandom) {
  EXPECT_FALSE(siphash128(SipKey::random(), "x") == siphash128(SipKey::random(), "x"));
}

}  // namespace
}  // namespace outrider
