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

std::string derived(const std::string& token, std::string_view purpose) {
  if (token.empty()) return {};
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), token.data(), static_cast<int>(token.size()),
       reinterpret_cast<const unsigned char*>(purpose.data()), purpose.size(), digest.data(), &size);
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

Role matching(const Tokens& tokens, std::string_view given) {
  if (equal_in_constant_time(given, tokens.admin)) return Role::admin;
  if (equal_in_constant_time(given, tokens.reader)) return Role::reader;
  return Role::nobody;
}

ApiReply forbidden(std::string_view kind, std::string_view detail) {
  return problem(403, kind, "Not allowed", detail);
}

}  // namespace

Gate::Gate(Tokens tokens)
    : tokens_(std::move(tokens)),
      cookies_{derived(tokens_.admin, kCookiePurpose), derived(tokens_.reader, kCookiePurpose)},
      keys_{derived(tokens_.admin, kKeyPurpose), derived(tokens_.reader, kKeyPurpose)} {}

Role Gate::role_of_token(std::string_view token) const {
  return matching(tokens_, token);
}

// An Authorization field is what counts if there is one: a program that sends a wrong token wants to know.
Gate::Credentials Gate::credentials_of(const WebRequest& request) const {
  if (const auto given = request.headers.find(HeaderId::authorization)) {
    static constexpr std::string_view kScheme = "Bearer ";
    if (!given->starts_with(kScheme)) return {};
    return {matching(tokens_, given->substr(kScheme.size())), false};
  }
  Credentials best;
  request.headers.each(HeaderId::cookie, [&](const HeaderField& field) {
    std::string_view rest = field.value;
    while (!rest.empty()) {
      std::string_view pair = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
      while (pair.starts_with(' ')) pair.remove_prefix(1);
      if (!pair.starts_with(kCookieName) || pair.substr(kCookieName.size(), 1) != "=") continue;
      best = {std::max(best.role, matching(cookies_, pair.substr(kCookieName.size() + 1))), true};
    }
  });
  return best;
}

Role Gate::role_of(const WebRequest& request) const {
  return credentials_of(request).role;
}

std::optional<ApiReply> refuse_strangers(const WebRequest& request) {
  if (!request.host_is_ours) return forbidden("foreign-host", "This is not a name of this Outrider.");
  if (request.through_proxy && !request.by_own_name)
    return forbidden("alias", "Through the proxy this is only at outrider.internal.");
  if (!request.from_this_machine) return forbidden("local-only", "This is for the machine on which Outrider runs.");
  return std::nullopt;
}

std::optional<ApiReply> Gate::refusal(const WebRequest& request, Role needed) const {
  if (std::optional<ApiReply> stranger = refuse_strangers(request)) return stranger;
  if (request.sender == WebSender::foreign_page)
    return forbidden("foreign-page", "This is for programs and for the proxy's own page.");
  if (needed == Role::nobody) return std::nullopt;
  const Credentials credentials = credentials_of(request);
  if (credentials.role == Role::nobody)
    return forbidden("token-needed",
                     "A token is needed: Authorization: Bearer …, from DATA/admin-token or DATA/read-token.");
  // Who comes by a cookie and changes something must be known to be our page: SameSite is the browser's promise, this
  // is our own look.
  if (credentials.by_cookie && !is_safe(request.method) && request.sender != WebSender::own_page)
    return forbidden("foreign-page", "With a cookie this can be changed only on the proxy's own page.");
  // A program that listens at another port of this machine can be sent the cookie, and can claim to be any page.
  if (credentials.by_cookie && !is_safe(request.method) &&
      matching(keys_, request.headers.find(kKeyField).value_or("")) < credentials.role)
    return forbidden("session-needed", "Log in on this page: it does not have the key of the session.");
  if (credentials.role < needed) return forbidden("read-only", "This token is for looking only.");
  return std::nullopt;
}

std::string Gate::key_of(Role role) const {
  return role == Role::admin ? keys_.admin : keys_.reader;
}

std::string Gate::cookie_of(Role role) const {
  const std::string& value = role == Role::admin ? cookies_.admin : cookies_.reader;
  return fmt::format("{}={}; Max-Age=31536000{}", kCookieName, value, kCookieAttributes);  // a year
}

std::string Gate::no_cookie() {
  return fmt::format("{}=; Max-Age=0{}", kCookieName, kCookieAttributes);
}

}  // namespace outrider::webui
