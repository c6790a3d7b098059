// One request of the robot through the shared pipeline, and its answer as a value. Redirects are not followed here:
// where they lead is checked and queued like every other link. No cookies, no credentials.
#pragma once

#include "base/url.hpp"
#include "cache/exchange.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace outrider {

struct FetchOrder {
  Url url;
  bool head_only = false;
  std::uint64_t first_bytes = 0;  // ask for the beginning only; 0 = all
  std::uint64_t max_bytes = 16ull << 20;
  Duration max_time = std::chrono::seconds{60};
  std::string cache_control;  // of the request: what a stored copy has to be like; "" = by HTTP's rules
  bool plain = false;         // without content coding: for whoever reads the bytes themselves
  bool prefetch = false;      // nobody asked for it: Sec-Purpose
  std::string apart;          // as in ExchangeRequest
  std::shared_ptr<const AddressPolicy> policy;
  // Whoever asks knows what is in the stored answer of this version and does not want its body. May be empty.
  std::function<bool(std::uint64_t version)> knows;
};

struct Fetched {
  std::optional<Error> error;  // no answer, or only a part of it
  int status = 0;
  HeaderMap headers;
  std::string body;  // as it came
  std::uint64_t body_size = 0;
  std::uint64_t version = 0;  // of body and head, as far as links depend on them; 0: it is not kept, nobody can tell
  bool known = false;         // FetchOrder::knows said so: without its body
  bool complete = true;
  bool cut = false;  // by max_bytes, which is no error
  CacheVerdict verdict = CacheVerdict::bypass;
  Duration first_byte{};
  std::optional<OriginFailure> origin_failure;  // the origin was asked in vain; this is a stored answer

  bool from_store() const { return !error && (verdict == CacheVerdict::hit || verdict == CacheVerdict::stale); }
};

struct RobotIdentity {
  std::string user_agent;  // with a contact address
  std::string from;        // "" = none
};

// How sites are cached, and through which parent they are reached: rules that the program owns.
struct RobotRules {
  std::function<std::shared_ptr<const CacheRules>(std::string_view host, std::uint16_t port)> cache;
  std::function<ParentChoice(std::string_view host, std::uint16_t port)> parent;
  // The person does not want this site, or anything at the moment, remembered. Absent: no such wish.
  std::function<bool(std::string_view host, std::uint16_t port)> never_keep;
};

class Fetcher {
 public:
  Fetcher(Reactor& reactor, Exchange& exchange, RobotIdentity identity, RobotRules rules, ClientTimeouts timeouts)
      : reactor_(reactor),
        exchange_(exchange),
        identity_(std::move(identity)),
        rules_(std::move(rules)),
        timeouts_(timeouts) {}

  void set_rules(RobotRules rules) { rules_ = std::move(rules); }

  // The order stays alive until the end.
  Task<Fetched> fetch(const FetchOrder& order);

 private:
  void write_head(RequestHead& head, const FetchOrder& order) const;
  Task<> read_body(ExchangeResponse& response, const FetchOrder& order, Fetched& fetched);

  Reactor& reactor_;
  Exchange& exchange_;
  const RobotIdentity identity_;
  RobotRules rules_;
  const ClientTimeouts timeouts_;
};

// A rule of ours forbids to connect there.
inline bool is_refusal(const Error& error) {
  return error.kind == ErrorKind::address_denied || error.kind == ErrorKind::rule_denied ||
         error.kind == ErrorKind::not_stored;
}

// Whatever is asked for there, it cannot be had, by nobody.
bool is_of_host(const Error& error);

// Is it worth while to try again later?
bool may_pass(const Fetched& fetched);

}  // namespace outrider
