// What the commands that read the configuration have in common: its schema, the options --config and --set, and
// loading.
#pragma once

#include "base/config_loader.hpp"

#include "proxy/cli/command.hpp"

#include <optional>
#include <string>
#include <vector>

namespace outrider::cli {

// Every section of the program. A room that has settings adds them here.
struct PluginSet;
ConfigSchema settings_schema();                          // with the sections of the plugins that are built in
ConfigSchema settings_schema(const PluginSet& plugins);  // and of those that were loaded
// Loads the plugins that the sources name, to know their sections, and then the configuration.
ConfigResult load_settings(const ConfigSources& sources);

// What only a look at this machine shows: certificates, ports, who may connect, files to be written. Nothing is made.
ConfigProblems check_on_this_machine(const Config& config);
// Switching off what is not there does no harm, and a plugin may be away for a while: a warning for a name that is
// nearly one of these.
void warn_of_misspelt_plugins(const Config& config, const PluginSet& plugins);

class ConfigOptions {
 public:
  void add_to(const Command& command);
  void override_key(ConfigOverride value) {
    extra_.push_back(std::move(value));
  }  // for an option that is short for a key

  // Where the configuration comes from. Nothing: an argument is malformed, `problems` says which.
  std::optional<ConfigSources> sources(ConfigProblems& problems) const;
  // The options as they were given: for a command that starts another one.
  std::vector<std::string> arguments() const;

 private:
  std::optional<std::string> file_;
  std::vector<std::string> sets_;
  std::vector<ConfigOverride> extra_;
};

void complain(const ConfigProblems& problems);

}  // namespace outrider::cli
