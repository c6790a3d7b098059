#include "proxy/logins.hpp"

#include "proxy/password_hash.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace outrider {
namespace {

LoginVerdict verdict(LoginVerdict::Kind kind, Duration wait = {}) {
  return {kind, nullptr, wait};
}

}  // namespace

std::size_t Logins::TokenHash::operator()(const Sha256& digest) const {
  std::size_t word = 0;  // any part of a cryptographic digest is a hash
  std::memcpy(&word, digest.data(), sizeof word);
  return word;
}

Logins::Logins(const std::vector<UserEntry>& users, Duration remember, const Clock& clock)
    : remember_(remember), clock_(clock) {
  for (const UserEntry& entry : users) {
    const auto [place, is_new] = by_name_.try_emplace(entry.name, static_cast<std::uint32_t>(users_.size()));
    if (is_new) users_.push_back({std::make_shared<const std::string>(entry.name)});
    if (entry.is_token()) {
      tokens_.emplace(entry.token, place->second);
    } else {
      users_[place->second].hash = static_cast<std::uint32_t>(hashes_.size());
      hashes_.push_back(entry.hash);
    }
  }
}

std::optional<LoginVerdict> Logins::remembered(const Digest128& key, SteadyTime now) const {
  if (const auto user = right_.find(key, now)) return LoginVerdict{LoginVerdict::Kind::right, users_[*user].name, {}};
  if (wrong_.find(key, now)) return verdict(LoginVerdict::Kind::wrong);
  return std::nullopt;
}

std::uint32_t Logins::user_with_token(std::string_view token) const {
  if (tokens_.empty()) return kNobody;
  const auto found = tokens_.find(sha256(token));
  return found == tokens_.end() ? kNobody : found->second;
}

LoginVerdict Logins::accept(const Digest128& key, std::uint32_t user, SteadyTime now) {
  right_.store(key, user, now + remember_);
  return {LoginVerdict::Kind::right, users_[user].name, {}};
}

std::optional<LoginVerdict> Logins::verify_now(const IpAddress& client, std::string_view authorization) {
  const SteadyTime now = clock_.steady();
  const Digest128 key = siphash128(key_, authorization);
  if (auto known = remembered(key, now)) return known;
  const std::optional<Credentials> given = parse_authorization(authorization);
  if (!given) return verdict(LoginVerdict::Kind::malformed);
  return verify_at_once(client, key, *given, now);
}

// All that needs no slow hash. Nothing: it does.
std::optional<LoginVerdict> Logins::verify_at_once(const IpAddress& client, const Digest128& key,
                                                   const Credentials& given, SteadyTime now) {
  // A token cannot be guessed, so it is neither slow nor throttled. It may be the password of a program that knows
  // Basic only.
  const std::uint32_t owner = user_with_token(given.secret.view());
  const bool named = given.kind == Credentials::Kind::basic;
  if (owner != kNobody && (!named || *users_[owner].name == given.user)) return accept(key, owner, now);
  if (!named || hashes_.empty() || given.secret.view().size() > kMaxPassword) return verdict(LoginVerdict::Kind::wrong);
  if (const Duration wait = throttle_.wait_for(client, now); wait > Duration::zero())
    return verdict(LoginVerdict::Kind::wait, wait);
  return std::nullopt;
}

Task<LoginVerdict> Logins::verify(IpAddress client, std::string authorization, WorkerPool& workers) {
  const Digest128 key = siphash128(key_, authorization);
  if (auto known = remembered(key, clock_.steady())) co_return std::move(*known);
  std::optional<Credentials> given = parse_authorization(authorization);
  OPENSSL_cleanse(authorization.data(), authorization.size());
  if (!given) co_return verdict(LoginVerdict::Kind::malformed);
  if (auto quick = verify_at_once(client, key, *given, clock_.steady())) co_return std::move(*quick);

  const auto shared = std::make_shared<const Credentials>(std::move(*given));
  LoginLane::Check check = [this, client, key, shared] { return check_password(client, key, *shared); };
  const LoginLane::Verdict checked = co_await lane_.run(key, std::move(check), workers);
  if (checked == LoginLane::Verdict::wrong) co_return verdict(LoginVerdict::Kind::wrong);
  if (checked == LoginLane::Verdict::right) co_return accept(key, by_name_.find(shared->user)->second, clock_.steady());
  const Duration wait = throttle_.wait_for(client, clock_.steady());
  co_return verdict(LoginVerdict::Kind::wait, std::max<Duration>(wait, std::chrono::seconds{1}));
}

// On a worker thread, at most kParallelChecks at a time.
LoginLane::Verdict Logins::check_password(const IpAddress& client, const Digest128& key, const Credentials& given) {
  // Guesses that came together are not all free: the first ones may have failed while this one waited.
  if (throttle_.wait_for(client, clock_.steady()) > Duration::zero()) return LoginLane::Verdict::busy;
  const auto found = by_name_.find(given.user);
  const bool known = found != by_name_.end() && users_[found->second].hash != kNobody;
  // Who is unknown is compared with the hash of somebody known, always the same one: it takes as long, and never fits.
  const std::size_t stand_in = siphash128(key_, given.user).low % hashes_.size();
  const bool fits = verify_password(given.secret.view(), hashes_[known ? users_[found->second].hash : stand_in]);
  if (fits && known) return LoginLane::Verdict::right;
  const SteadyTime now = clock_.steady();
  wrong_.store(key, kNobody, now + kRememberWrong);
  throttle_.failed(client, now);
  return LoginLane::Verdict::wrong;
}

}  // namespace outrider
