#include "proxy/access.hpp"

#include "base/config_schema.hpp"
#include "base/peer_user.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

Error wrong(std::string_view key, std::string_view why) {
  return Error{ErrorKind::invalid_argument, Side::self, fmt::format("access.{}: {}", key, why)};
}

Admission answer(Admission::Kind kind, std::string reason, std::chrono::seconds retry_after = {}) {
  return {kind, nullptr, std::move(reason), retry_after};
}

std::string quoted_string(std::string_view text) {  // RFC 9110 section 5.6.4
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

constexpr std::string_view kWrongLogin = "wrong user name, password or token";

}  // namespace

void AccessSettings::describe(SectionSchema<AccessSettings>& s) {
  using Self = AccessSettings;
  s.key("allow", &Self::allow,
        "Addresses and networks that may use the proxy, such as \"192.168.1.0/24\" (and \"127.0.0.0/8\", \"::1\" for "
        "this machine "
        "itself). Empty: this machine only; where everybody has to log in: everywhere.",
        Change::live);
  s.key("users_file", &Self::users_file,
        "File with the users, their password hashes and tokens; see `outrider user --help`. htpasswd -B makes it too. "
        "Others may "
        "not be able to read it (chmod 640). Empty: nobody logs in.",
        Change::live);
  s.key("require_login", &Self::require_login,
        "Who has to log in: everyone; remote (all but programs on this machine); optional (nobody, but whoever does is "
        "known by "
        "name); auto (everyone if there is a users_file).",
        Change::live);
  s.key("local_users", &Self::local_users,
        "Which accounts of this machine see what is personal (pages of plugins about what was read) and switch things "
        "on the proxy's own pages without a login: same (the one that runs Outrider, and root); all. Say all if "
        "Outrider runs as a service under an account of its own and this machine is yours alone. Using the proxy is "
        "not restricted by this.",
        Change::live);
  s.key("realm", &Self::realm, "What the browser shows when it asks for the password.", Change::live);
  s.key("remember_login", &Self::remember_login,
        "How long a verified password is good for before it is verified again.", Change::live,
        in_range(std::chrono::seconds{1}, std::chrono::hours{24}));
}

Result<std::shared_ptr<const Access>> Access::create(const AccessSettings& settings, const Clock& clock) {
  std::shared_ptr<Access> access{new Access};
  for (const std::string& text : settings.allow) {
    const Result<IpPrefix> prefix = IpPrefix::parse(text);
    if (!prefix) return wrong("allow", prefix.error().detail);
    access->allow_.add(*prefix, PortRange{}, 0);
  }
  access->local_users_ = settings.local_users;
  access->listed_ = !settings.allow.empty();
  access->rule_ = settings.require_login;
  if (settings.users_file.empty()) {
    if (settings.require_login == LoginRule::everyone || settings.require_login == LoginRule::remote)
      return wrong("require_login",
                   "nobody could log in: set access.users_file (outrider user add NAME --file FILE makes one)");
    access->rule_ = LoginRule::optional;
    return std::shared_ptr<const Access>{std::move(access)};
  }

  const Result<std::vector<UserEntry>> users = load_users(settings.users_file);
  if (!users) return wrong("users_file", users.error().detail);
  if (users->empty())
    return wrong("users_file", fmt::format("{0}: there are no users in it; add one: outrider user add NAME --file {0}",
                                           settings.users_file));
  if (access->rule_ == LoginRule::automatic) access->rule_ = LoginRule::everyone;
  access->logins_ = std::make_unique<Logins>(*users, settings.remember_login, clock);
  const std::string realm = quoted_string(settings.realm);
  // Basic is always offered: a token may be given as its password.
  access->challenges_.push_back(fmt::format("Basic realm={}, charset=\"UTF-8\"", realm));
  if (access->logins_->have_tokens()) access->challenges_.push_back(fmt::format("Bearer realm={}", realm));
  return std::shared_ptr<const Access>{std::move(access)};
}

bool Access::must_log_in(const IpAddress& client) const {
  return rule_ == LoginRule::everyone || (rule_ == LoginRule::remote && !is_loopback(client));
}

bool Access::may_connect(const IpAddress& client) const {
  if (listed_) return allow_.find_peer(client) != nullptr;
  return is_loopback(client) || rule_ == LoginRule::everyone || rule_ == LoginRule::remote;
}

bool Access::still_admits(const IpAddress& client, const UserName& user) const {
  if (!may_connect(client)) return false;
  return user ? logins_ && logins_->knows(*user) : !must_log_in(client);
}

Result<void> Access::check_bind(const IpAddress& listen_address) const {
  const bool guarded = listed_ || rule_ == LoginRule::everyone || rule_ == LoginRule::remote;
  if (guarded || is_loopback(listen_address)) return {};
  return Error{
      ErrorKind::invalid_argument, Side::self,
      fmt::format(
          "refusing to listen on {}, where other machines reach it, as an open proxy: list the networks that may use "
          "it (access.allow = [\"192.168.1.0/24\"]), or let people log in (access.users_file), or listen on 127.0.0.1",
          listen_address.to_string())};
}

bool Access::open_to_everyone() const {
  if (rule_ != LoginRule::optional || !listed_) return false;
  for (std::uint32_t i = 0; i < allow_.size(); ++i)
    if (allow_.at(i).prefix.length() == 0) return true;
  return false;
}

std::optional<Admission> Access::admit_now(const IpAddress& client, const HeaderMap& headers) const {
  if (!may_connect(client))
    return answer(Admission::Kind::denied, fmt::format("{} may not use this proxy (access.allow)", client.to_string()));
  if (!logins_) return Admission{};
  const std::optional<std::string_view> given = headers.find(HeaderId::proxy_authorization);
  if (!given) {
    if (!must_log_in(client)) return Admission{};
    return answer(Admission::Kind::challenge, "this proxy wants to know who you are");
  }
  if (headers.count(HeaderId::proxy_authorization) > 1)
    return answer(Admission::Kind::challenge, "there is more than one Proxy-Authorization field");
  std::optional<LoginVerdict> verdict = logins_->verify_now(client, *given);
  if (!verdict) return std::nullopt;
  return translate(std::move(*verdict));
}

Task<Admission> Access::admit(IpAddress client, const HeaderMap& headers, WorkerPool& workers) const {
  std::optional<Admission> now = admit_now(client, headers);
  if (now) co_return std::move(*now);
  std::string authorization{*headers.find(HeaderId::proxy_authorization)};
  LoginVerdict verdict = co_await logins_->verify(client, std::move(authorization), workers);
  co_return translate(std::move(verdict));
}

Admission Access::translate(LoginVerdict verdict) const {
  switch (verdict.kind) {
    case LoginVerdict::Kind::right:
      return {Admission::Kind::allowed, std::move(verdict.user), {}, {}};
    case LoginVerdict::Kind::malformed:
      return answer(Admission::Kind::challenge,
                    "the Proxy-Authorization field is neither Basic nor Bearer, or is damaged");
    case LoginVerdict::Kind::wait: {
      const auto seconds = std::chrono::ceil<std::chrono::seconds>(verdict.wait);
      return answer(Admission::Kind::later, fmt::format("too many logins; try again in {} s", seconds.count()),
                    seconds);
    }
    case LoginVerdict::Kind::wrong:
      break;
  }
  return answer(Admission::Kind::challenge, std::string{kWrongLogin});
}

bool Access::is_own_person(const tcp::endpoint& client, const tcp::endpoint& ours) const {
  return is_loopback(client.address()) && (local_users_ == LocalUsers::all || is_our_user(client, ours));
}

void Access::add_challenges(HeaderMap& response) const {
  for (const std::string& challenge : challenges_) response.add(HeaderId::proxy_authenticate, challenge);
}

}  // namespace outrider
