#include "proxy/cli/configuration.hpp"

#include "base/escape.hpp"
#include "base/log.hpp"
#include "base/nearest.hpp"
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
#include "proxy/server.hpp"
#include "proxy/settings.hpp"
#include "robot/settings.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

// Why nothing could be appended to the file; "" if it could. Asks without opening, because a pipe may have a
// reader.
std::string append_problem(const std::string& file) {
  const fs::path path{file}, folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return std::generic_category().message(EISDIR);
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0) return {};
  const bool to_be_made = errno == ENOENT;
  if (to_be_made && ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  return std::generic_category().message(errno);
}

void check_file(const Config& config, const std::string& key, const std::string& file, ConfigProblems& problems) {
  const std::string why = append_problem(file);
  if (why.empty()) return;
  const ValueSource& source = config.source(*config.schema().find(key));
  const bool in_file = source.kind == ValueSource::Kind::file;
  problems.push_back({in_file ? fmt::format("{}:{}", source.name, source.line) : source.to_string(), 0, 0, key,
                      fmt::format("cannot write to {}: {}", file, why)});
}

}  // namespace

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

ConfigProblems check_on_this_machine(const Config& config) {
  ConfigProblems problems;
  if (const Result<void> checked = Server::check(config); !checked)
    problems.push_back({"", 0, 0, "", checked.error().detail});
  const auto& log = config.get<LogSettings>();
  if (!log.file.empty()) check_file(config, "log.file", log.file, problems);
  const auto& access_log = config.get<AccessLogSettings>();
  const bool is_file = access_log.format != AccessLogFormat::off && access_log.file != "-";
  if (is_file) check_file(config, "access_log.file", access_log.file, problems);
  return problems;
}

void warn_of_misspelt_plugins(const Config& config, const PluginSet& plugins) {
  std::vector<std::string> names;
  for (const PluginHost::Source& source : plugins.found) names.push_back(source.plugin->info().name);
  for (const std::string& name : config.get<PluginSettings>().off) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (const std::string meant = suggestion(name, names); !meant.empty())
      complain(fmt::format("warning: plugins.off: there is no plugin {}{}", outrider::quoted(name), meant));
  }
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
