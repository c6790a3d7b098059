#include "base/tls_session_cache.hpp"

#include <ctime>

namespace outrider {

void TlsSessionCache::put(const std::string& origin, SslSession session) {
  if (capacity_ == 0) return;
  const std::lock_guard lock(mutex_);
  if (const auto known = by_origin_.find(origin); known != by_origin_.end()) {
    by_age_.erase(known->second);
    by_origin_.erase(known);
  }
  while (by_age_.size() >= capacity_) {
    by_origin_.erase(by_age_.back().origin);
    by_age_.pop_back();
  }
  by_age_.push_front(Entry{origin, std::move(session)});
  by_origin_[origin] = by_age_.begin();
}

SslSession TlsSessionCache::take(const std::string& origin) {
  const std::lock_guard lock(mutex_);
  const auto known = by_origin_.find(origin);
  if (known == by_origin_.end()) return nullptr;
  SslSession session = std::move(known->second->session);
  by_age_.erase(known->second);
  by_origin_.erase(known);
  const long age = static_cast<long>(std::time(nullptr)) - SSL_SESSION_get_time(session.get());
  if (age < 0 || age >= SSL_SESSION_get_timeout(session.get())) return nullptr;
  return session;
}

std::size_t TlsSessionCache::size() const {
  const std::lock_guard lock(mutex_);
  return by_age_.size();
}

}  // namespace outrider
