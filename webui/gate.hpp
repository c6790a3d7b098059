// Who may use the API: the one place where that is decided. Two secrets that are made at the first start, one for
// everything and one for looking only. A program sends one of them as "Authorization: Bearer"; a browser sends it once
// and then has a cookie that is derived from it.
//
// Whatever the secret, refused is: a name that is not ours (DNS rebinding), a proxy request under an alias of our
// address, another machine, another page. The token alone would be enough against most of these; a browser that sends a
// cookie by itself is why it is not enough against all.
#pragma once

#include "webui/problem.hpp"
#include "webui/router.hpp"

#include <optional>
#include <string>

namespace outrider::webui {

struct Tokens {
  std::string admin;   // "" = nobody
  std::string reader;  // "" = nobody
};

class Gate {
 public:
  explicit Gate(Tokens tokens);

  Role role_of(const WebRequest& request) const;
  Role role_of_token(std::string_view token) const;
  // Nothing: come in.
  std::optional<ApiReply> refusal(const WebRequest& request, Role needed) const;

  // Values of Set-Cookie.
  std::string cookie_of(Role role) const;
  static std::string no_cookie();
  // What the page sends along with changes, as X-Outrider-Session. It is kept where only pages of our own port can read
  // it, which cannot be said of a cookie.
  std::string key_of(Role role) const;

 private:
  struct Credentials {
    Role role = Role::nobody;
    bool by_cookie = false;  // sent by the browser, whoever made it do so
  };
  Credentials credentials_of(const WebRequest& request) const;

  Tokens tokens_;
  Tokens cookies_;  // a copy that leaks is good for this installation's API only, and does not tell the token
  Tokens keys_;
};

// Everything but the token: a page that shows nothing secret needs no more.
std::optional<ApiReply> refuse_strangers(const WebRequest& request);

}  // namespace outrider::webui
