#include "proxy/cli/plugin_set.hpp"

#include "plugins/hyperscout/hyperscout.hpp"
#include "plugins/linkcheck/linkcheck.hpp"
#include "plugins/rearmirror/rearmirror.hpp"
#include "proxy/plugin_loader.hpp"
#include "proxy/plugin_settings.hpp"

#include <toml++/toml.h>

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

PluginSet find_plugins(const ConfigSources& sources) {
  PluginSet set;
  set.found = built_in_plugins();
  for (const std::string& file : files_named_by(sources)) {
    Result<std::shared_ptr<Plugin>> plugin = load_plugin(file);
    if (plugin) {
      set.found.push_back({std::move(*plugin), file, true});
    } else {
      set.refused.push_back({file, plugin.error().detail});
    }
  }
  return set;
}

}  // namespace outrider::cli
