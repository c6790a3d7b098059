// serve: what the command line says to the running proxy.
#pragma once

#include "base/config_loader.hpp"
#include "proxy/plugin_host.hpp"

#include <filesystem>
#include <optional>
#include <vector>

namespace outrider::cli {

struct ServeOptions {
  std::filesystem::path data_directory;             // exists, is writable and locked while run_server runs
  std::optional<std::filesystem::path> ready_file;  // to be written when connections are accepted
  std::vector<PluginHost::Source> plugins;
  std::vector<PluginHost::Refused> refused_plugins;
  ConfigSources sources;  // for a reload: load_config(config.schema(), sources)
};

// Runs until it is told to stop; returns the exit code. The log is configured. `config` is replaced by a reload.
int run_server(const ServeOptions& options, Config& config);  // run_server.cpp

}  // namespace outrider::cli
