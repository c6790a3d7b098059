#include "proxy/ticket_keys.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstring>

namespace outrider {
namespace {

int context_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

bool start_mac(EVP_MAC_CTX* mac, TicketKeys::Key& key) {
  char digest[] = "sha256";
  const std::array<OSSL_PARAM, 3> parameters{
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key.mac.data(), key.mac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, parameters.data()) == 1;
}

// OpenSSL's question for a key: to seal a new ticket (1), or to open the one that came. What it may answer: 0 no such
// key, 1 yes, 2 yes but give a new ticket, -1 failure.
int ticket_key(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac, int seal) {
  auto* keys = static_cast<TicketKeys*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), context_index()));
  const SteadyTime now = Clock::system().steady();
  if (seal == 1) {
    std::optional<TicketKeys::Key> key = keys->current(now);
    if (!key || RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1) return -1;
    std::memcpy(name, key->name.data(), key->name.size());
    if (EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->cipher.data(), iv) != 1) return -1;
    return start_mac(mac, *key) ? 1 : -1;
  }
  std::optional<TicketKeys::Found> found = keys->find(name, now);
  if (!found) return 0;
  if (!start_mac(mac, found->key)) return -1;
  if (EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, found->key.cipher.data(), iv) != 1) return -1;
  return found->current ? 1 : 2;
}

}  // namespace

bool TicketKeys::change(SteadyTime now) {
  Key fresh;
  fresh.made = now;
  if (RAND_bytes(fresh.name.data(), static_cast<int>(fresh.name.size())) != 1 ||
      RAND_priv_bytes(fresh.cipher.data(), static_cast<int>(fresh.cipher.size())) != 1 ||
      RAND_priv_bytes(fresh.mac.data(), static_cast<int>(fresh.mac.size())) != 1)
    return false;
  before_ = now_;
  now_ = fresh;
  return true;
}

std::optional<TicketKeys::Key> TicketKeys::current(SteadyTime now) {
  const std::lock_guard lock(mutex_);
  if ((!now_ || now - now_->made >= kChangeEvery) && !change(now)) return std::nullopt;
  return now_;
}

std::optional<TicketKeys::Found> TicketKeys::find(const unsigned char* name, SteadyTime now) {
  const std::lock_guard lock(mutex_);
  const auto is_named = [name](const Key& key) { return std::memcmp(key.name.data(), name, key.name.size()) == 0; };
  if (now_ && is_named(*now_) && now - now_->made < 2 * kChangeEvery)
    return Found{*now_, now - now_->made < kChangeEvery};
  if (before_ && is_named(*before_) && now - before_->made < 2 * kChangeEvery) return Found{*before_, false};
  return std::nullopt;
}

void TicketKeys::install(SSL_CTX* context) {
  SSL_CTX_set_ex_data(context, context_index(), this);
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, ticket_key);
}

}  // namespace outrider
