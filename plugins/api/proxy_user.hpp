// For plugins that start programs which are to go through this proxy: a plugin that derives from this, too, is told
// where that is, once, before start().
#pragma once

#include <string>
#include <string_view>

namespace outrider {

struct ProxyPlace {
  std::string address;    // "127.0.0.1:8282"
  std::string authority;  // whose certificates it may show: PEM; "" = of none
};

// A program that loads pages which nobody asked for says so: by Sec-Purpose with "preview" in its requests, and by this
// at the end of its User-Agent, which is all that is seen of a tunnel. Then the robot's rules for destinations hold.
inline constexpr std::string_view kPreviewAgent = "OutriderPreview";

class ProxyUser {
 public:
  virtual ~ProxyUser() = default;
  virtual void use_proxy(ProxyPlace place) = 0;
};

}  // namespace outrider
