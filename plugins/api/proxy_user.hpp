// For plugins that start programs which are to go through this proxy: a plugin that derives from this, too, is told
// where that is, once, before start().
#pragma once

#include <string>

namespace outrider {

struct ProxyPlace {
  std::string address;    // "127.0.0.1:8282"
  std::string authority;  // whose certificates it may show: PEM; "" = of none
};

class ProxyUser {
 public:
  virtual ~ProxyUser() = default;
  virtual void use_proxy(ProxyPlace place) = 0;
};

}  // namespace outrider
