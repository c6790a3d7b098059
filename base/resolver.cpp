#include "base/resolver.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace outrider {
namespace {

IpAddress from_sockaddr(const addrinfo& info) {
  if (info.ai_family == AF_INET) {
    const auto& v4 = *reinterpret_cast<const sockaddr_in*>(info.ai_addr);
    return asio::ip::address_v4{ntohl(v4.sin_addr.s_addr)};
  }
  const auto& v6 = *reinterpret_cast<const sockaddr_in6*>(info.ai_addr);
  asio::ip::address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  return asio::ip::address_v6{bytes, v6.sin6_scope_id};
}

}  // namespace

Result<Addresses> Resolver::system_lookup(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (code != 0) {
    const bool no_answer = code == EAI_AGAIN || code == EAI_SYSTEM || code == EAI_MEMORY;
    return Error{ErrorKind::dns_failure, Side::origin, fmt::format("{}: {}", host, gai_strerror(code)), no_answer};
  }
  Addresses found;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
    IpAddress address = from_sockaddr(*entry);
    if (std::find(found.begin(), found.end(), address) == found.end()) found.push_back(std::move(address));
  }
  freeaddrinfo(list);
  if (found.empty()) return Error{ErrorKind::dns_failure, Side::origin, fmt::format("{}: no address", host)};
  return found;
}

Resolver::Resolver(Reactor& reactor, WorkerPool& workers, ResolverOptions options, Lookup lookup)
    : reactor_(reactor), workers_(workers), options_(options), lookup_(std::move(lookup)), tasks_(reactor.executor()) {}

Task<Result<Addresses>> Resolver::resolve(std::string host, Deadline deadline) {
  ErrorCode not_literal;
  const IpAddress literal = asio::ip::make_address(host, not_literal);
  if (!not_literal) co_return Addresses{literal};

  const std::shared_ptr<Entry> entry = entry_for(host);
  const Clock& clock = reactor_.clock();
  const SteadyTime now = clock.steady();
  if (!entry->pending && now >= entry->valid_until) {
    entry->pending = true;
    entry->asked = now;
    tasks_.spawn(look_up(entry, host), "name lookup");
  }
  const bool stale = now < entry->stale_until;
  const Deadline patience{stale ? entry->asked + options_.stale_after : now + options_.give_up_after};
  const Deadline until = deadline.sooner_of(patience);
  while (entry->pending && !until.passed(clock)) co_await entry->changed.wait(until);
  if (!entry->pending || stale) co_return entry->answer;
  co_return Error{ErrorKind::dns_failure, Side::origin, fmt::format("{}: the name server did not answer in time", host),
                  true};
}

Task<> Resolver::look_up(std::shared_ptr<Entry> entry, std::string host) {
  // Whatever happens to it, the lookup ends: an entry that stays pending would never be asked for again.
  auto work = [lookup = lookup_, host]() -> Result<Addresses> {
    try {
      return lookup(host);
    } catch (const std::exception& e) {
      return Error{ErrorKind::dns_failure, Side::self, e.what(), true};
    }
  };
  Result<Addresses> answer = co_await workers_.run(std::move(work));
  const SteadyTime now = reactor_.clock().steady();
  if (answer) {
    entry->answer = std::move(answer);
    entry->valid_until = now + options_.keep_found;
    entry->stale_until = entry->valid_until + options_.keep_stale;
  } else {
    // That we were too busy to ask says nothing about the name.
    entry->valid_until = answer.error().kind == ErrorKind::busy ? now : now + options_.keep_failed;
    // "No answer" keeps an old address in service; "no such name" does not.
    const bool keep_old = answer.error().retry_safe && entry->answer.has_value() && now < entry->stale_until;
    if (!keep_old) {
      entry->answer = std::move(answer);
      entry->stale_until = {};
    }
  }
  entry->pending = false;
  entry->changed.notify();
}

std::shared_ptr<Resolver::Entry> Resolver::entry_for(const std::string& host) {
  if (const auto known = entries_.find(host); known != entries_.end()) {
    by_age_.splice(by_age_.begin(), by_age_, known->second->age);
    return known->second;
  }
  while (entries_.size() >= options_.capacity) {
    entries_.erase(by_age_.back());
    by_age_.pop_back();
  }
  by_age_.push_front(host);
  auto entry = std::make_shared<Entry>(reactor_.executor());
  entry->age = by_age_.begin();
  entries_.emplace(host, entry);
  return entry;
}

void Resolver::forget(const std::string& host) {
  const auto known = entries_.find(host);
  if (known == entries_.end()) return;
  by_age_.erase(known->second->age);
  entries_.erase(known);
}

}  // namespace outrider
