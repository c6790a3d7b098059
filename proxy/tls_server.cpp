#include "proxy/tls_server.hpp"

#include "proxy/authority_certificate.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/sha.h>

namespace outrider {
namespace {

// TLS 1.2: what every browser of the last ten years has, with forward secrecy and authenticated encryption only.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384";
constexpr const char* kSuites = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384";
constexpr const char* kGroups = "X25519:P-256:P-384";
constexpr long kTicketLife = 12 * 3600;  // seconds

// What the callbacks know of the handshake that they are called from.
struct Handshake {
  LeafMint* mint;
  const std::string* host;
  STACK_OF(X509) * chain;  // or nullptr
  LeafMint::Leaf leaf;
  bool wrong_name = false;
};

int handshake_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

Handshake* handshake_of(const SSL* ssl) {
  return static_cast<Handshake*>(SSL_get_ex_data(ssl, handshake_index()));
}

bool equal_names(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// Called for every ClientHello. A client that names nobody (RFC 6066: addresses cannot be named) means the host of its
// CONNECT.
int check_server_name(SSL* ssl, int* alert, void*) {
  Handshake* handshake = handshake_of(ssl);
  const char* asked = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (asked == nullptr || (handshake != nullptr && equal_names(asked, *handshake->host))) return SSL_TLSEXT_ERR_OK;
  if (handshake != nullptr) handshake->wrong_name = true;
  *alert = SSL_AD_UNRECOGNIZED_NAME;
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

// 1: there is a certificate. -1: it has to be made first; OpenSSL comes back.
int choose_certificate(SSL* ssl, void*) {
  Handshake* handshake = handshake_of(ssl);
  if (handshake == nullptr) return 0;
  if (!handshake->leaf) handshake->leaf = handshake->mint->find(*handshake->host, Clock::system().now());
  if (!handshake->leaf) return -1;
  if (SSL_use_certificate(ssl, handshake->leaf.get()) != 1 || SSL_use_PrivateKey(ssl, handshake->mint->key()) != 1)
    return 0;
  // OpenSSL refuses a chain with signatures that are too weak. Who trusts the authority itself does not need it.
  if (handshake->chain != nullptr && SSL_set1_chain(ssl, handshake->chain) != 1) ERR_clear_error();
  return 1;
}

// `ours` is the std::string of TlsServer. A client that offers nothing we know goes on without: it will speak HTTP/1.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* theirs,
                    unsigned theirs_size, void* ours) {
  const auto& list = *static_cast<const std::string*>(ours);
  const int chosen =
      SSL_select_next_proto(const_cast<unsigned char**>(out), size, reinterpret_cast<const unsigned char*>(list.data()),
                            static_cast<unsigned>(list.size()), theirs, theirs_size);
  return chosen == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// A ticket for one host is none for another.
void bind_sessions_to(SSL* ssl, std::string_view host, std::uint16_t port) {
  const std::string origin = fmt::format("{}:{}", host, port);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(origin.data()), origin.size(), digest.data());
  SSL_set_session_id_context(ssl, digest.data(), digest.size());
}

}  // namespace

TlsServer::TlsServer(LeafMint& mint, WorkerPool& workers, const std::vector<std::string>& alpn,
                     std::shared_ptr<const Authority> authority)
    : mint_(mint), workers_(workers), authority_(std::move(authority)), context_(asio::ssl::context::tls_server) {
  for (const std::string& protocol : alpn) {
    alpn_ += static_cast<char>(protocol.size());
    alpn_ += protocol;
  }
}

Result<std::unique_ptr<TlsServer>> TlsServer::create(LeafMint& mint, WorkerPool& workers, std::vector<std::string> alpn,
                                                     std::shared_ptr<const Authority> authority) {
  std::unique_ptr<TlsServer> server{new TlsServer(mint, workers, alpn, std::move(authority))};
  if (Result<void> prepared = server->prepare_context(); !prepared) return prepared.error();
  return server;
}

Result<void> TlsServer::prepare_context() {
  SSL_CTX* context = context_.native_handle();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN);  // we know the chain; OpenSSL would look for one each time
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA | SSL_OP_NO_COMPRESSION);
  if (SSL_CTX_set_cipher_list(context, kCiphers) != 1 || SSL_CTX_set_ciphersuites(context, kSuites) != 1 ||
      SSL_CTX_set1_groups_list(context, kGroups) != 1)
    return openssl_failure("choose ciphers");
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // tickets alone: the client remembers, not we
  SSL_CTX_set_timeout(context, kTicketLife);
  SSL_CTX_set_num_tickets(context, 0);  // see handshake()
  tickets_.install(context);
  SSL_CTX_set_tlsext_servername_callback(context, check_server_name);
  SSL_CTX_set_cert_cb(context, choose_certificate, nullptr);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, &alpn_);
  return {};
}

Task<Result<std::string>> TlsServer::handshake(Stream& client, std::string host, std::uint16_t port) {
  Handshake state{&mint_, &host, authority_ ? authority_->chain() : nullptr, nullptr};
  const Stream::TlsPrepare prepare = [&](SSL* ssl) -> Result<void> {
    SSL_set_ex_data(ssl, handshake_index(), &state);
    bind_sessions_to(ssl, host, port);
    return {};
  };
  const Stream::TlsLookup look_up = [this, &state, &client]() -> Task<Result<void>> {
    const Clock& clock = client.reactor().clock();
    auto make = [mint = &mint_, name = *state.host, now = clock.now(), steady = clock.steady()] {
      return mint->mint(name, now, steady);
    };
    Result<LeafMint::Leaf> leaf = co_await workers_.run(std::move(make));
    if (!leaf) co_return leaf.error();
    state.leaf = std::move(*leaf);
    co_return Result<void>{};
  };
  Result<void> done = co_await client.handshake(context_, TlsChannel::Role::server, prepare, look_up);
  if (client.ssl() != nullptr) SSL_set_ex_data(client.ssl(), handshake_index(), nullptr);
  if (!done) {
    Error error = done.error();
    if (state.wrong_name)
      error = Error{ErrorKind::bad_message, Side::client,
                    fmt::format("the client wants to talk to another host than {}, which its CONNECT names", host)};
    co_return error;
  }
  // TLS 1.3: one ticket, together with the first answer. A resumed connection gets another.
  client.tls()->ticket_with_next_write();
  const unsigned char* chosen = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(client.ssl(), &chosen, &length);
  co_return std::string{reinterpret_cast<const char*>(chosen), length};
}

std::optional<std::string> certificate_rejection(const Stream& client) {
  const TlsChannel* tls = client.tls();
  if (tls == nullptr || SSL_is_init_finished(tls->ssl()) == 1) return std::nullopt;
  const unsigned long code = tls->error_code();
  const int alert = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) - SSL_AD_REASON_OFFSET : 0;
  switch (alert) {
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_ACCESS_DENIED:
      return fmt::format("the client refused our certificate: {}", SSL_alert_desc_string_long(alert));
    default:
      break;
  }
  // Who hangs up without a word after it has seen the certificate means the same.
  const bool seen = SSL_get_certificate(tls->ssl()) != nullptr && SSL_get_state(tls->ssl()) != TLS_ST_BEFORE;
  if (tls->peer_closed() && seen) return "the client hung up when it saw our certificate";
  return std::nullopt;
}

}  // namespace outrider
