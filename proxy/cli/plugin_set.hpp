// The plugins of this program: those that are built in, and those that the configuration names. Loaded before the
// configuration is read as a whole, because they say which settings there are. One that cannot be used is refused; the
// program starts without it.
#pragma once

#include "base/config_loader.hpp"
#include "proxy/plugin_host.hpp"

#include <vector>

namespace outrider::cli {

struct PluginSet {
  std::vector<PluginHost::Source> found;
  std::vector<PluginHost::Refused> refused;
};

std::vector<PluginHost::Source> built_in_plugins();

// The plugin's section; an error says why it cannot be had, and then the schema is as it was.
Result<void> add_plugin_settings(const Plugin& plugin, ConfigSchema& schema);

// What is wrong with the sources is left to load_config().
PluginSet find_plugins(const ConfigSources& sources);

}  // namespace outrider::cli
