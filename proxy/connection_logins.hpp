// To whom a client has logged in for its whole connection (base/connection_login), and under which word its requests
// are kept apart from then on: the connections to the origin are its own, and the cache has no part in them
// (docs/decisions/0113-logins-that-hold-for-a-connection.md). One per client connection.
#pragma once

#include "base/http_headers.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class ConnectionLogins {
 public:
  // ExchangeRequest::apart for this request to `host`, good as long as this object; "" = an ordinary one. `id` is the
  // exchange's: nobody else has it.
  std::string_view word_for(const HeaderMap& request, const std::string& host, std::string_view id) {
    if (hosts_.empty() && !request.has(HeaderId::authorization)) return {};
    return look_closer(request, host, id);
  }

 private:
  static constexpr std::size_t kMostHosts = 64;  // then all are
  std::string_view look_closer(const HeaderMap& request, const std::string& host, std::string_view id);

  std::string word_;
  std::vector<std::string> hosts_;
};

}  // namespace outrider
