#include "proxy/plugin_settings.hpp"

#include "proxy/plugin_loader.hpp"
#include "proxy/plugin_switches.hpp"

namespace outrider {

void PluginSettings::describe(SectionSchema<PluginSettings>& s) {
  using namespace std::chrono_literals;
  s.key(
      "load", &PluginSettings::load,
      "Plugins to load: paths of .so files. A file that others may change is refused, and so is one that was built for "
      "another version of Outrider or by another compiler.",
      Change::needs_restart);
  s.key("off", &PluginSettings::off, "Names of plugins that are switched off until somebody switches them on.",
        Change::live);
  s.key("off_sites", &PluginSettings::off_sites,
        "Plugins that are off at some site and what is below it, as \"NAME HOST\": \"hyperscout bank.example\".",
        Change::live, [](const std::vector<std::string>& entries) -> Refusal {
          for (const std::string& entry : entries) {
            const std::size_t space = entry.find(' ');
            if (space == std::string::npos || !is_plugin_name(entry.substr(0, space)) ||
                site_name(entry.substr(space + 1)).empty())
              return "\"" + entry + "\" is not \"NAME HOST\"";
          }
          return std::nullopt;
        });
  s.key("isolate", &PluginSettings::isolate,
        "Which plugins run in a thread of their own, so that one that hangs holds up nobody: those that were loaded "
        "from a file, or all. It costs some 20 microseconds for each piece of a page.",
        Change::needs_restart);
  s.key("budget", &PluginSettings::budget,
        "CPU time that a plugin may take for one call. The third call that takes longer, or fails, is the last one.",
        Change::needs_restart, in_range(1ms, 10s));
  s.key("patience", &PluginSettings::patience,
        "How long a call may last before the plugin counts as hanging. Pages go on without it then.",
        Change::needs_restart, in_range(100ms, 60s));
}

}  // namespace outrider
