// Who may use the API: the one place where that is decided. Two secrets that are made at the first start, one for
// everything and one for looking only. A program sends one of them as "Authorization: Bearer"; a browser sends it once
// and then has a cookie that is derived from it.
//
// Whatever the secret, refused is: a name that is not ours (DNS rebinding), a proxy request under an alias of our
// address, another page, another machine. But somebody who has logged in to the proxy may come through it from
// elsewhere, with a token of his own: to him the two secrets are no more than wrong tokens. The token alone would be
// enough against most of these; a browser that sends a cookie by itself is why it is not enough against all.
#pragma once

#include "webui/problem.hpp"
#include "webui/router.hpp"

#include <memory>
#include <optional>
#include <string>

namespace outrider::webui {

struct Tokens {
  std::string admin;   // "" = nobody
  std::string reader;  // "" = nobody
};

// Those who log in to the proxy, as far as the API must know them. Any thread.
class UserBook {
 public:
  virtual ~UserBook() = default;
  virtual std::optional<std::string> user_with_token(std::string_view token) const = 0;
  // Another one whenever tokens or password of this user change; nothing = there is no such user.
  virtual std::optional<std::string> mark_of(std::string_view user) const = 0;
};

struct Identity {
  Role role = Role::nobody;
  std::string user;  // of Role::user
};

class Gate {
 public:
  explicit Gate(Tokens tokens, std::shared_ptr<const UserBook> users = nullptr);

  Identity identity_of(const WebRequest& request) const;
  // What this token is worth where the request comes from.
  Identity identity_of_token(std::string_view token, const WebRequest& request) const;
  // Nothing: come in.
  std::optional<ApiReply> refusal(const WebRequest& request, Role needed) const;

  // Values of Set-Cookie.
  std::string cookie_of(const Identity& who) const;
  static std::string no_cookie();
  // What the page sends along with changes, as X-Outrider-Session. It is kept where only pages of our own port can read
  // it, which cannot be said of a cookie.
  std::string key_of(const Identity& who) const;

 private:
  struct Credentials {
    Identity who;
    bool by_cookie = false;  // sent by the browser, whoever made it do so
  };
  Credentials credentials_of(const WebRequest& request) const;
  Identity identity_of_token(std::string_view token) const;
  std::string secret_of(const Identity& who, std::string_view purpose) const;
  Identity identity_of_cookie(std::string_view value) const;

  Tokens tokens_;
  Tokens cookies_;  // a copy that leaks is good for this installation's API only, and does not tell the token
  const std::shared_ptr<const UserBook> users_;  // nullptr: nobody logs in
};

// Everything but the token: a page that shows nothing secret needs no more.
std::optional<ApiReply> refuse_strangers(const WebRequest& request);

}  // namespace outrider::webui
