#include "proxy/cli/configuration.hpp"

#include "base/log.hpp"
#include "cache/memory_settings.hpp"
#include "cache/settings.hpp"
#include "proxy/access.hpp"
#include "proxy/access_log.hpp"
#include "proxy/cache_rules.hpp"
#include "proxy/cli/locations.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/plugin_set.hpp"
#include "proxy/destination_rules.hpp"
#include "proxy/parent_rules.hpp"
#include "proxy/plugin_settings.hpp"
#include "proxy/settings.hpp"
#include "robot/settings.hpp"

namespace outrider::cli {

ConfigSchema settings_schema() {
  PluginSet built_in;
  built_in.found = built_in_plugins();
  return settings_schema(built_in);
}

ConfigResult load_settings(const ConfigSources& sources) {
  return load_config(settings_schema(find_plugins(sources)), sources);
}

ConfigSchema settings_schema(const PluginSet& plugins) {
  ConfigSchema schema;
  schema.add<ProxySettings>();
  schema.add<AccessSettings>();
  schema.add<DestinationSettings>();
  schema.add<ParentSettings>();
  schema.add<CacheSettings>();
  schema.require<std::vector<std::string>>("cache.sites", SiteCacheRules::check);
  schema.add<MemorySettings>();
  schema.add<RobotSettings>();
  schema.add<LimitSettings>();
  schema.add<TimeoutSettings>();
  schema.add<TlsSettings>();
  schema.add<LogSettings>();
  schema.add<AccessLogSettings>();
  schema.add<PluginSettings>();
  for (const PluginHost::Source& source : plugins.found) (void)add_plugin_settings(*source.plugin, schema);
  return schema;
}

void ConfigOptions::add_to(const Command& command) {
  command
      .add_option("--config", file_,
                  "Configuration file (default: ~/.config/outrider/outrider.toml or /etc/outrider/…)")
      .option_text("FILE");
  command.add_option("--set", sets_, "Set one key of the configuration; may be given several times")
      .option_text("KEY=VALUE")
      .one_at_a_time();
}

std::optional<ConfigSources> ConfigOptions::sources(ConfigProblems& problems) const {
  ConfigSources sources;
  if (!file_) {
    sources.file = default_config_file(process_variables());
  } else if (file_->empty()) {
    problems.push_back({"--config", 0, 0, "", "the file name is empty"});
  } else {
    sources.file = *file_;
  }
  sources.environment = ConfigSources::process_environment();
  for (const std::string& argument : sets_) {
    Parsed<ConfigOverride> parsed = parse_override(argument);
    if (parsed.value) {
      sources.overrides.push_back(std::move(*parsed.value));
    } else {
      problems.push_back({"--set", 0, 0, "", std::move(parsed.problem)});
    }
  }
  sources.overrides.insert(sources.overrides.end(), extra_.begin(), extra_.end());
  if (!problems.empty()) return std::nullopt;
  return sources;
}

std::vector<std::string> ConfigOptions::arguments() const {
  std::vector<std::string> arguments;
  if (file_) arguments.insert(arguments.end(), {"--config", *file_});
  for (const std::string& set : sets_) arguments.insert(arguments.end(), {"--set", set});
  return arguments;
}

void complain(const ConfigProblems& problems) {
  for (const ConfigProblem& problem : problems) complain(problem.to_string());
}

}  // namespace outrider::cli
