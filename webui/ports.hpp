// What the web interface stands on: the ports that the wiring has connected. A port that is not there is nullptr; its
// places in the API answer 503, and the monitor does not show its view.
#pragma once

#include "base/metrics.hpp"
#include "plugins/api/control.hpp"
#include "plugins/api/memory.hpp"
#include "plugins/api/page_watches.hpp"
#include "plugins/api/plugin_control.hpp"
#include "plugins/api/robot.hpp"
#include "plugins/api/robot_hosts.hpp"
#include "plugins/api/traffic.hpp"

namespace outrider::webui {

struct Ports {
  const Metrics* metrics = nullptr;
  Traffic* traffic = nullptr;
  SettingsControl* settings = nullptr;
  CacheControl* cache = nullptr;
  TlsControl* tls = nullptr;
  Memory* memory = nullptr;
  MemoryControl* memory_control = nullptr;
  Robot* robot = nullptr;
  RobotControl* robot_control = nullptr;
  RobotHosts* hosts = nullptr;
  PageWatches* watches = nullptr;
  PluginControl* plugins = nullptr;
};

}  // namespace outrider::webui
