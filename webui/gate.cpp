#include "webui/gate.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>

namespace outrider::webui {
namespace {

constexpr std::string_view kCookieName = "outrider-session";
// Cookies do not know ports: another server on this machine would be sent this one too if it lay at "/".
constexpr std::string_view kCookieAttributes = "; Path=/api/v1; SameSite=Strict; HttpOnly";

constexpr std::string_view kCookiePurpose = "outrider session cookie";
constexpr std::string_view kKeyPurpose = "outrider session key";
constexpr std::string_view kKeyField = "X-Outrider-Session";

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return !b.empty() && a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), b.size()) == 0;
}

std::string to_hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  if (text.empty() || text.size() % 2 != 0 || text.size() > 512) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

std::string derived(const std::string& token, std::string_view purpose) {
  if (token.empty()) return {};
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), token.data(), static_cast<int>(token.size()),
       reinterpret_cast<const unsigned char*>(purpose.data()), purpose.size(), digest.data(), &size);
  return to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

Role matching(const Tokens& tokens, std::string_view given) {
  if (equal_in_constant_time(given, tokens.admin)) return Role::admin;
  if (equal_in_constant_time(given, tokens.reader)) return Role::reader;
  return Role::nobody;
}

// Not on this machine, but let in by the proxy under a name.
bool is_guest(const WebRequest& request) {
  return !request.from_this_machine && request.through_proxy && request.by_own_name && !request.login.empty();
}

// Who somebody is counts on this machine; elsewhere only if the proxy knows him by the same name.
Identity believed(Identity who, const WebRequest& request) {
  if (request.from_this_machine) return who;
  return is_guest(request) && who.role == Role::user && who.user == request.login ? who : Identity{};
}

ApiReply forbidden(std::string_view kind, std::string_view detail) {
  return problem(403, kind, "Not allowed", detail);
}

}  // namespace

Gate::Gate(Tokens tokens, std::shared_ptr<const UserBook> users)
    : tokens_(std::move(tokens)),
      cookies_{derived(tokens_.admin, kCookiePurpose), derived(tokens_.reader, kCookiePurpose)},
      users_(std::move(users)) {}

Identity Gate::identity_of_token(std::string_view token) const {
  if (const Role role = matching(tokens_, token); role != Role::nobody) return {role, ""};
  if (users_ == nullptr || token.empty()) return {};
  const std::optional<std::string> user = users_->user_with_token(token);
  return user ? Identity{Role::user, *user} : Identity{};
}

Identity Gate::identity_of_token(std::string_view token, const WebRequest& request) const {
  return believed(identity_of_token(token), request);
}

// Of a user's own token nothing is known but a hash, so what is given to them is derived from ours; and from their
// mark, so that a new token is the end of what was given for the old one. "" = there is no such user.
std::string Gate::secret_of(const Identity& who, std::string_view purpose) const {
  if (who.role == Role::user) {
    const std::optional<std::string> mark = users_ == nullptr ? std::nullopt : users_->mark_of(who.user);
    return mark ? derived(tokens_.admin, fmt::format("{} of user {}\n{}", purpose, who.user, *mark)) : std::string{};
  }
  return derived(who.role == Role::admin ? tokens_.admin : tokens_.reader, purpose);
}

// Of a user: "NAME.SECRET", the name in hexadecimal.
Identity Gate::identity_of_cookie(std::string_view value) const {
  if (const Role role = matching(cookies_, value); role != Role::nobody) return {role, ""};
  const std::size_t dot = value.find('.');
  if (users_ == nullptr || dot == std::string_view::npos) return {};
  const std::optional<std::string> name = from_hex(value.substr(0, dot));
  if (!name) return {};
  Identity who{Role::user, *name};
  return equal_in_constant_time(value.substr(dot + 1), secret_of(who, kCookiePurpose)) ? who : Identity{};
}

// An Authorization field is what counts if there is one: a program that sends a wrong token wants to know.
Gate::Credentials Gate::credentials_of(const WebRequest& request) const {
  if (const auto given = request.headers.find(HeaderId::authorization)) {
    static constexpr std::string_view kScheme = "Bearer ";
    if (!given->starts_with(kScheme)) return {};
    return {identity_of_token(given->substr(kScheme.size()), request), false};
  }
  Credentials best;
  request.headers.each(HeaderId::cookie, [&](const HeaderField& field) {
    std::string_view rest = field.value;
    while (!rest.empty()) {
      std::string_view pair = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
      while (pair.starts_with(' ')) pair.remove_prefix(1);
      if (!pair.starts_with(kCookieName) || pair.substr(kCookieName.size(), 1) != "=") continue;
      Identity found = believed(identity_of_cookie(pair.substr(kCookieName.size() + 1)), request);
      best.by_cookie = true;
      if (found.role > best.who.role) best.who = std::move(found);
    }
  });
  return best;
}

Identity Gate::identity_of(const WebRequest& request) const {
  return credentials_of(request).who;
}

std::optional<ApiReply> refuse_strangers(const WebRequest& request) {
  if (!request.host_is_ours) return forbidden("foreign-host", "This is not a name of this Outrider.");
  if (request.through_proxy && !request.by_own_name)
    return forbidden("alias", "Through the proxy this is only at outrider.internal.");
  if (!request.from_this_machine && !is_guest(request))
    return forbidden("local-only",
                     "This is for the machine on which Outrider runs, and for those who have logged in to the proxy.");
  return std::nullopt;
}

std::optional<ApiReply> Gate::refusal(const WebRequest& request, Role needed) const {
  if (std::optional<ApiReply> stranger = refuse_strangers(request)) return stranger;
  if (request.sender == WebSender::foreign_page)
    return forbidden("foreign-page", "This is for programs and for the proxy's own page.");
  if (needed == Role::nobody) return std::nullopt;
  const Credentials credentials = credentials_of(request);
  if (credentials.who.role == Role::nobody)
    return forbidden("token-needed",
                     request.from_this_machine
                         ? "A token is needed: Authorization: Bearer …, from DATA/admin-token or DATA/read-token."
                         : "A token is needed: your own (outrider user token), and the login of the same user.");
  // Who comes by a cookie and changes something must be known to be our page: SameSite is the browser's promise, this
  // is our own look.
  if (credentials.by_cookie && !is_safe(request.method) && request.sender != WebSender::own_page)
    return forbidden("foreign-page", "With a cookie this can be changed only on the proxy's own page.");
  // A program that listens at another port of this machine can be sent the cookie, and can claim to be any page.
  if (credentials.by_cookie && !is_safe(request.method) &&
      !equal_in_constant_time(request.headers.find(kKeyField).value_or(""), key_of(credentials.who)))
    return forbidden("session-needed", "Log in on this page: it does not have the key of the session.");
  if (credentials.who.role == Role::user && needed > Role::user)
    return forbidden("own-only", "A user's token shows what this user has read, nothing else.");
  if (credentials.who.role < needed) return forbidden("read-only", "This token is for looking only.");
  return std::nullopt;
}

std::string Gate::key_of(const Identity& who) const {
  return secret_of(who, kKeyPurpose);
}

std::string Gate::cookie_of(const Identity& who) const {
  const std::string name = who.role == Role::user ? to_hex(who.user) + "." : "";
  return fmt::format("{}={}{}; Max-Age=31536000{}", kCookieName, name, secret_of(who, kCookiePurpose),
                     kCookieAttributes);  // a year
}

std::string Gate::no_cookie() {
  return fmt::format("{}=; Max-Age=0{}", kCookieName, kCookieAttributes);
}

}  // namespace outrider::webui
