#include "base/tls_client.hpp"

#include "base/ocsp_staple.hpp"
#include "base/tls_session_cache.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <boost/asio/ip/address.hpp>

namespace outrider {
namespace {

// TLS 1.3, in the order of the browsers: an origin that takes the first gets the one that costs both of us least.
constexpr const char* kSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

Error setup_failed(std::string_view what) {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return Error{ErrorKind::tls_failed, Side::self, fmt::format("{}: {}", what, reason == nullptr ? "unknown" : reason)};
}

// What the session callback needs to know about its connection; owned by the SSL object.
struct SessionOwner {
  TlsSessionCache* cache;
  std::string origin;
};

void free_owner(void*, void* owner, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<SessionOwner*>(owner);
}

int owner_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_owner);
  return index;
}

int remember_session(SSL* ssl, SSL_SESSION* session) {
  const auto* owner = static_cast<SessionOwner*>(SSL_get_ex_data(ssl, owner_index()));
  if (owner == nullptr) return 0;
  owner->cache->put(owner->origin, SslSession{session});
  return 1;  // the reference is ours now
}

std::string alpn_wire(const std::vector<std::string>& protocols) {
  std::string wire;
  for (const std::string& protocol : protocols) {
    wire += static_cast<char>(protocol.size());
    wire += protocol;
  }
  return wire;
}

// `host` without the dot that a name may end with: neither certificates nor SNI know it (RFC 6066 section 3).
Result<void> set_host(SSL* ssl, std::string host) {
  if (host.ends_with('.')) host.pop_back();
  boost::system::error_code code;
  boost::asio::ip::make_address(host, code);
  X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
  if (!code) {
    if (X509_VERIFY_PARAM_set1_ip_asc(param, host.c_str()) != 1) return setup_failed("address check");
    return {};  // SNI carries names only (RFC 6066 section 3)
  }
  // A name counts where names belong, not in the subject (RFC 9110 section 4.3.4).
  X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (X509_VERIFY_PARAM_set1_host(param, host.data(), host.size()) != 1) return setup_failed("host name check");
  if (SSL_set_tlsext_host_name(ssl, host.c_str()) != 1) return setup_failed("server name indication");
  return {};
}

}  // namespace

TlsClient::TlsClient(std::size_t session_cache)
    : context_(asio::ssl::context::tls_client), sessions_(std::make_unique<TlsSessionCache>(session_cache)) {}

TlsClient::~TlsClient() = default;

Result<std::unique_ptr<TlsClient>> TlsClient::create(const TlsClientOptions& options) {
  std::unique_ptr<TlsClient> client{new TlsClient(options.session_cache)};
  SSL_CTX* context = client->context_.native_handle();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);  // an idle connection gives its record buffers back
  if (SSL_CTX_set_ciphersuites(context, kSuites) != 1) return setup_failed("cipher suites");
  if (options.system_trust && SSL_CTX_set_default_verify_paths(context) != 1) return setup_failed("system trust store");
  if (!options.extra_ca_file.empty() && SSL_CTX_load_verify_file(context, options.extra_ca_file.c_str()) != 1)
    return setup_failed(fmt::format("trust anchors in {}", options.extra_ca_file));
  check_staples(context);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, remember_session);
  return client;
}

Task<Result<std::string>> TlsClient::handshake(Stream& stream, std::string host, std::uint16_t port,
                                               std::vector<std::string> alpn, std::string apart) {
  const std::string protocols = alpn_wire(alpn);
  const std::function<Result<void>(SSL*)> prepare = [&](SSL* ssl) -> Result<void> {
    if (Result<void> named = set_host(ssl, host); !named) return named;
    // Protocols are part of the key: a session is resumed only where it would negotiate the same.
    std::string origin = fmt::format("{}:{} {} {}", host, port, apart, protocols);
    if (const SslSession session = sessions_->take(origin)) SSL_set_session(ssl, session.get());
    SSL_set_ex_data(ssl, owner_index(), new SessionOwner{sessions_.get(), std::move(origin)});
    if (!protocols.empty() && SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(protocols.data()),
                                                  static_cast<unsigned>(protocols.size())) != 0)
      return setup_failed("protocol negotiation");
    return {};
  };
  Result<void> done = co_await stream.handshake(context_, TlsChannel::Role::client, prepare);
  if (!done) {
    Error error = done.error();
    if (error.kind == ErrorKind::tls_untrusted)
      error.detail = fmt::format("the certificate of {} is refused: {}", host, error.detail);
    error.retry_safe = true;  // no request has been sent yet
    co_return error;
  }
  const unsigned char* chosen = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(stream.ssl(), &chosen, &length);
  co_return std::string{reinterpret_cast<const char*>(chosen), length};
}

}  // namespace outrider
