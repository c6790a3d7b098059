// The users of one configuration and the checking of what they present. Immutable but for its memory of recent checks,
// which is safe to use from every thread.
#pragma once

#include "base/async.hpp"
#include "base/clock.hpp"
#include "base/ip_address.hpp"
#include "base/worker_pool.hpp"
#include "proxy/credentials.hpp"
#include "proxy/login_cache.hpp"
#include "proxy/login_lane.hpp"
#include "proxy/login_throttle.hpp"
#include "proxy/user_file.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace outrider {

using UserName = std::shared_ptr<const std::string>;  // nullptr = nobody in particular

struct LoginVerdict {
  enum class Kind : std::uint8_t { right, wrong, malformed, wait };
  Kind kind = Kind::wrong;
  UserName user;    // right
  Duration wait{};  // wait: not looked at, try again after this time
};

class Logins {
 public:
  static constexpr std::size_t kParallelChecks = 2;
  static constexpr std::size_t kWaitingChecks = 256;
  static constexpr std::size_t kRemembered = 4096;
  static constexpr Duration kRememberWrong = std::chrono::minutes{1};

  Logins(const std::vector<UserEntry>& users, Duration remember, const Clock& clock);

  // `authorization` is the value of Proxy-Authorization. Nothing: the password has to be verified, which takes its
  // time.
  std::optional<LoginVerdict> verify_now(const IpAddress& client, std::string_view authorization);
  Task<LoginVerdict> verify(IpAddress client, std::string authorization, WorkerPool& workers);

  bool knows(const std::string& user) const { return by_name_.contains(user); }
  bool have_passwords() const { return !hashes_.empty(); }
  bool have_tokens() const { return !tokens_.empty(); }

 private:
  static constexpr std::uint32_t kNobody = 0xffffffff;
  struct User {
    UserName name;
    std::uint32_t hash = kNobody;  // index; kNobody = has no password
  };
  struct TokenHash {
    std::size_t operator()(const Sha256& digest) const;
  };
  std::optional<LoginVerdict> remembered(const Digest128& key, SteadyTime now) const;
  std::uint32_t user_with_token(std::string_view token) const;
  LoginVerdict accept(const Digest128& key, std::uint32_t user, SteadyTime now);
  LoginLane::Verdict check_password(const IpAddress& client, const Digest128& key, const Credentials& given);
  std::optional<LoginVerdict> verify_at_once(const IpAddress& client, const Digest128& key, const Credentials& given,
                                             SteadyTime now);

  const Duration remember_;
  const Clock& clock_;
  const SipKey key_ = SipKey::random();
  std::vector<User> users_;
  std::vector<std::string> hashes_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::unordered_map<Sha256, std::uint32_t, TokenHash> tokens_;
  LoginCache right_{kRemembered};
  LoginCache wrong_{256};  // of its own, so that guesses do not push out those who are logged in
  LoginThrottle throttle_;
  LoginLane lane_{kParallelChecks, kWaitingChecks};
};

}  // namespace outrider
