#include "base/ocsp_staple.hpp"

#include "base/tls_channel.hpp"
#include "tests/support/test_ca.hpp"

#include <gtest/gtest.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

namespace outrider {
namespace {

using testing::TestCa;

X509* read_certificate(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return certificate;
}

struct OcspStapleTest : ::testing::Test {
  TestCa ca, stranger;
  testing::TestCertificate leaf = ca.issue("DNS:site.example");
  X509* certificate = read_certificate(leaf.certificate_pem);
  std::string staple;  // what the server sends
  int sockets[2] = {-1, -1};

  void SetUp() override { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets), 0); }
  void TearDown() override {
    X509_free(certificate);
    for (const int socket : sockets) ::close(socket);
  }

  // A statement by `issuer` about the leaf, valid for the days given.
  std::string statement(const TestCa& issuer, int status, const EVP_MD* digest, int from_days, int to_days) {
    OCSP_BASICRESP* basic = OCSP_BASICRESP_new();
    OCSP_CERTID* id = OCSP_cert_to_id(digest, certificate, ca.certificate());
    ASN1_TIME* from = X509_gmtime_adj(nullptr, 86400L * from_days);
    ASN1_TIME* to = X509_gmtime_adj(nullptr, 86400L * to_days);
    ASN1_TIME* revoked_at = status == V_OCSP_CERTSTATUS_REVOKED ? X509_gmtime_adj(nullptr, -86400) : nullptr;
    OCSP_basic_add1_status(basic, id, status, 0, revoked_at, from, to);
    OCSP_basic_sign(basic, issuer.certificate(), issuer.key(), EVP_sha256(), nullptr, 0);
    OCSP_RESPONSE* response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic);
    unsigned char* bytes = nullptr;
    const int size = i2d_OCSP_RESPONSE(response, &bytes);
    std::string text(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    OCSP_RESPONSE_free(response);
    for (ASN1_TIME* time : {from, to, revoked_at}) ASN1_TIME_free(time);
    OCSP_CERTID_free(id);
    OCSP_BASICRESP_free(basic);
    return text;
  }

  static int send_staple(SSL* ssl, void* text) {
    const auto& staple = *static_cast<const std::string*>(text);
    if (staple.empty()) return SSL_TLSEXT_ERR_NOACK;
    SSL_set_tlsext_status_ocsp_resp(ssl, OPENSSL_memdup(staple.data(), staple.size()),
                                    static_cast<long>(staple.size()));
    return SSL_TLSEXT_ERR_OK;
  }

  // What the client thinks of the server after their handshake.
  long verdict() {
    SSL_CTX* server_context = SSL_CTX_new(TLS_server_method());
    SSL_CTX* client_context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_use_certificate(server_context, certificate);
    BIO* bio = BIO_new_mem_buf(leaf.key_pem.data(), static_cast<int>(leaf.key_pem.size()));
    EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
    SSL_CTX_use_PrivateKey(server_context, key);
    EVP_PKEY_free(key);
    BIO_free(bio);
    SSL_CTX_set_tlsext_status_cb(server_context, send_staple);
    SSL_CTX_set_tlsext_status_arg(server_context, &staple);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(client_context), ca.certificate());
    SSL_CTX_set_verify(client_context, SSL_VERIFY_PEER, nullptr);
    check_staples(client_context);
    UnwatchedSocket server_end{sockets[0]}, client_end{sockets[1]};
    TlsChannel server{server_context, server_end, TlsChannel::Role::server, ""};
    TlsChannel client{client_context, client_end, TlsChannel::Role::client, ""};
    TlsStep step{TlsStep::Kind::want_read};
    for (int i = 0; i < 10 && step.kind == TlsStep::Kind::want_read; ++i) {
      step = client.handshake();
      server.handshake();
    }
    const long result = SSL_get_verify_result(client.ssl());
    EXPECT_EQ(step.kind, result == X509_V_OK ? TlsStep::Kind::done : TlsStep::Kind::failed);
    SSL_CTX_free(server_context);
    SSL_CTX_free(client_context);
    return result;
  }
};

TEST_F(OcspStapleTest, RevokedByItsIssuer_IsRefused) {
  for (const EVP_MD* digest : {EVP_sha1(), EVP_sha256()}) {
    staple = statement(ca, V_OCSP_CERTSTATUS_REVOKED, digest, -1, 1);
    EXPECT_EQ(verdict(), X509_V_ERR_CERT_REVOKED);
    TearDown();
    certificate = read_certificate(leaf.certificate_pem);
    SetUp();
  }
}

TEST_F(OcspStapleTest, Good_IsAccepted) {
  staple = statement(ca, V_OCSP_CERTSTATUS_GOOD, EVP_sha1(), -1, 1);
  EXPECT_EQ(verdict(), X509_V_OK);
}

TEST_F(OcspStapleTest, None_IsAccepted) {
  EXPECT_EQ(verdict(), X509_V_OK);
}

TEST_F(OcspStapleTest, Outdated_SaysNothing) {
  staple = statement(ca, V_OCSP_CERTSTATUS_REVOKED, EVP_sha1(), -10, -3);
  EXPECT_EQ(verdict(), X509_V_OK);
}

TEST_F(OcspStapleTest, OfSomebodyElse_SaysNothing) {
  staple = statement(stranger, V_OCSP_CERTSTATUS_REVOKED, EVP_sha1(), -1, 1);
  EXPECT_EQ(verdict(), X509_V_OK);
}

TEST_F(OcspStapleTest, Nonsense_SaysNothing) {
  staple = "this is no staple";
  EXPECT_EQ(verdict(), X509_V_OK);
}

}  // namespace
}  // namespace outrider
