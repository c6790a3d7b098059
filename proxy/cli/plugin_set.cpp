#include "proxy/cli/plugin_set.hpp"

#include "plugins/hyperscout/hyperscout.hpp"
#include "plugins/linkcheck/linkcheck.hpp"
#include "plugins/rearmirror/rearmirror.hpp"
#include "proxy/cli/configuration.hpp"
#include "proxy/plugin_loader.hpp"
#include "proxy/plugin_settings.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

namespace outrider::cli {
namespace {

// plugins.load of a file that may be wrong in every other respect.
std::vector<std::string> files_named_in(const std::filesystem::path& path) {
  std::vector<std::string> files;
  try {
    const toml::table table = toml::parse_file(path.string());
    if (const toml::array* list = table["plugins"]["load"].as_array())
      for (const toml::node& each : *list)
        if (const auto text = each.value<std::string>()) files.push_back(*text);
  } catch (const std::exception&) {  // reported when the configuration is loaded
  }
  return files;
}

std::vector<std::string> files_named_by(const ConfigSources& sources) {
  std::vector<std::string> files;
  if (sources.file) files = files_named_in(*sources.file);
  // The same rules of precedence as for everything else, for this one key alone.
  ConfigSources others;
  for (const auto& variable : sources.environment)
    if (variable.first == "OUTRIDER__PLUGINS__LOAD") others.environment.push_back(variable);
  for (const ConfigOverride& given : sources.overrides)
    if (given.key == "plugins.load") others.overrides.push_back(given);
  if (others.environment.empty() && others.overrides.empty()) return files;
  ConfigSchema schema;
  schema.add<PluginSettings>();
  const ConfigResult loaded = load_config(schema, others);
  if (!loaded.has_error()) files = loaded->get<PluginSettings>().load;
  return files;
}

}  // namespace

std::vector<PluginHost::Source> built_in_plugins() {
  return {{make_hyperscout_plugin(), "built in", false},
          {make_rearmirror_plugin(), "built in", false},
          {make_linkcheck_plugin(), "built in", false}};
}

Result<void> add_plugin_settings(const Plugin& plugin, ConfigSchema& schema) {
  ConfigSchema with = schema;  // what fails half-way has not happened
  try {
    plugin.describe_settings(with);
  } catch (const std::exception& failure) {
    return Error{ErrorKind::rule_denied, Side::self, fmt::format("its settings cannot be used: {}", failure.what())};
  } catch (...) {
    return Error{ErrorKind::rule_denied, Side::self, "its settings cannot be used"};
  }
  schema = std::move(with);
  return {};
}

PluginSet find_plugins(const ConfigSources& sources) {
  PluginSet set;
  set.found = built_in_plugins();
  ConfigSchema schema = settings_schema(set);
  std::vector<std::string> names;
  for (const PluginHost::Source& source : set.found) names.push_back(source.plugin->info().name);
  for (const std::string& file : files_named_by(sources)) {
    const auto refuse = [&](std::string_view why) {
      set.refused.push_back({file, fmt::format("the plugin {} is not loaded: {}", file, why)});
    };
    Result<std::shared_ptr<Plugin>> plugin = load_plugin(file);
    if (!plugin) {
      set.refused.push_back({file, plugin.error().detail});
      continue;
    }
    const std::string name = (*plugin)->info().name;  // load_plugin() has seen it
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      refuse("there is another plugin of the name " + name);
    } else if (const Result<void> added = add_plugin_settings(**plugin, schema); !added) {
      refuse(added.error().detail);
    } else {
      names.push_back(name);
      set.found.push_back({std::move(*plugin), file, true});
    }
  }
  return set;
}

}  // namespace outrider::cli
