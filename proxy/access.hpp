// Who may use the proxy: by address, and by logging in. Made once per configuration, then shared by all threads; a
// reload makes a new one, so a removed user is out with the next request. Neighbours: Logins (checking what is
// presented), user_file (the users), DestinationRules (where to).
#pragma once

#include "base/address_rules.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/http_headers.hpp"
#include "proxy/logins.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

template <class S>
class SectionSchema;

enum class LoginRule : std::uint8_t { automatic, everyone, remote, optional };
constexpr auto enum_names(LoginRule) {
  return std::to_array<std::pair<LoginRule, std::string_view>>({{LoginRule::automatic, "auto"},
                                                                {LoginRule::everyone, "everyone"},
                                                                {LoginRule::remote, "remote"},
                                                                {LoginRule::optional, "optional"}});
}

// Whom of this machine we take for the person whose Outrider this is, where nobody logs in.
enum class LocalUsers : std::uint8_t { same, all };
constexpr auto enum_names(LocalUsers) {
  return std::to_array<std::pair<LocalUsers, std::string_view>>({{LocalUsers::same, "same"}, {LocalUsers::all, "all"}});
}

struct AccessSettings {
  std::vector<std::string> allow;
  std::string users_file;
  LoginRule require_login = LoginRule::automatic;
  LocalUsers local_users = LocalUsers::same;
  std::string realm = "Outrider";
  Duration remember_login = std::chrono::minutes{10};

  static constexpr std::string_view kSection = "access";
  static constexpr std::string_view kComment =
      "Who may use the proxy. Without a word here: programs on this machine only.";
  static void describe(SectionSchema<AccessSettings>& s);
};

struct Admission {
  enum class Kind : std::uint8_t {
    allowed,
    denied,     // 403
    challenge,  // 407 with Access::add_challenges()
    later,      // 429 with Retry-After: too many wrong passwords from this address, or too many logins at once
  };
  Kind kind = Kind::allowed;
  UserName user;       // allowed: who it is, nullptr if nobody asked
  std::string reason;  // otherwise: for people
  std::chrono::seconds retry_after{0};

  explicit operator bool() const { return kind == Kind::allowed; }
};

class Access {
 public:
  static Result<std::shared_ptr<const Access>> create(const AccessSettings& settings,
                                                      const Clock& clock = Clock::system());

  // May we listen there? Not on an address that other machines reach, unless there is something to tell friend from
  // foe.
  Result<void> check_bind(const IpAddress& listen_address) const;

  // Whatever it says about itself.
  bool may_connect(const IpAddress& client) const;
  // Somebody who was let in by other rules, or before a reload, and by whose word they go on. `user` as it was then.
  bool still_admits(const IpAddress& client, const UserName& user) const;

  // The verdict, if it needs no slow password check (then: nothing, ask admit()). Neither suspends nor, for who is let
  // in, allocates.
  std::optional<Admission> admit_now(const IpAddress& client, const HeaderMap& headers) const;
  // This object, `headers` and `workers` must stay alive until the task is done.
  Task<Admission> admit(IpAddress client, const HeaderMap& headers, WorkerPool& workers) const;

  // Is this somebody of this machine who sees what is personal, and switches things, without a login? Asks the kernel:
  // not for every request.
  bool is_own_person(const tcp::endpoint& client, const tcp::endpoint& ours) const;

  // Proxy-Authenticate fields for a 407.
  void add_challenges(HeaderMap& response) const;
  // For a warning at start-up: anybody who can reach us may use us.
  bool open_to_everyone() const;

 private:
  Access() = default;
  bool must_log_in(const IpAddress& client) const;
  Admission translate(LoginVerdict verdict) const;

  LocalUsers local_users_ = LocalUsers::same;
  bool listed_ = false;  // access.allow is not empty
  AddressRules allow_;
  LoginRule rule_ = LoginRule::optional;  // never `automatic` once created
  std::unique_ptr<Logins> logins_;        // nullptr: nobody logs in
  std::vector<std::string> challenges_;
};

}  // namespace outrider
