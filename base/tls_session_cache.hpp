// TLS sessions (tickets) of origins we have spoken to, so that a new connection resumes instead of shaking hands in
// full. Bounded, least recently used first out. A TLS 1.3 ticket is used once (RFC 8446 appendix C.4). Thread safe.
#pragma once

#include <openssl/ssl.h>

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace outrider {

struct SslSessionFree {
  void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};
using SslSession = std::unique_ptr<SSL_SESSION, SslSessionFree>;

class TlsSessionCache {
 public:
  explicit TlsSessionCache(std::size_t capacity) : capacity_(capacity) {}

  void put(const std::string& origin, SslSession session);
  SslSession take(const std::string& origin);  // nullptr if there is none that is still valid
  std::size_t size() const;

 private:
  struct Entry {
    std::string origin;
    SslSession session;
  };
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::list<Entry> by_age_;  // newest first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_origin_;
};

}  // namespace outrider
