#include "base/websocket_key.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <array>
#include <span>

namespace outrider {
namespace {

std::string base64(std::span<const unsigned char> bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

std::string new_websocket_key() {
  std::array<unsigned char, 16> nonce{};
  RAND_bytes(nonce.data(), static_cast<int>(nonce.size()));
  return base64(nonce);
}

// RFC 6455 section 4.2.2.
std::string websocket_accept(std::string_view key) {
  const std::string text = std::string{key} + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return base64(digest);
}

}  // namespace outrider
