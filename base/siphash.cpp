#include "base/siphash.hpp"

#include <openssl/rand.h>

#include <bit>
#include <cstring>
#include <stdexcept>

namespace outrider {
namespace {

static_assert(std::endian::native == std::endian::little, "the words below are read as little endian");

struct State {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  std::uint64_t squeeze() {
    for (int i = 0; i < 4; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

SipKey SipKey::random() {
  SipKey key;
  static_assert(sizeof key == 16);
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&key), sizeof key) != 1)
    throw std::runtime_error("the system has no random numbers");
  return key;
}

Digest128 siphash128(const SipKey& key, std::string_view text) {
  State state{key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d ^ 0xee, key.low ^ 0x6c7967656e657261,
              key.high ^ 0x7465646279746573};
  const char* at = text.data();
  const char* const last = at + text.size() / 8 * 8;
  std::uint64_t word = 0;
  for (; at != last; at += 8) {
    std::memcpy(&word, at, 8);
    state.absorb(word);
  }
  word = 0;
  if (text.size() % 8 != 0) std::memcpy(&word, at, text.size() % 8);
  state.absorb(word | static_cast<std::uint64_t>(text.size()) << 56);
  Digest128 digest;
  state.v2 ^= 0xee;
  digest.low = state.squeeze();
  state.v1 ^= 0xdd;
  digest.high = state.squeeze();
  return digest;
}

}  // namespace outrider
