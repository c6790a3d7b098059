#include "proxy/connection_logins.hpp"

#include "base/connection_login.hpp"

#include <algorithm>

namespace outrider {

std::string_view ConnectionLogins::look_closer(const HeaderMap& request, const std::string& host, std::string_view id) {
  const bool known = hosts_.size() >= kMostHosts || std::find(hosts_.begin(), hosts_.end(), host) != hosts_.end();
  if (known) return word_;
  if (!logs_in_connection(request)) return {};
  if (word_.empty()) word_.append("login ").append(id);
  hosts_.push_back(host);
  return word_;
}

}  // namespace outrider
