// Plugins from files. A file is program code that runs with all our rights, so one that anybody else could have changed
// is refused, and one that was built for another interface is refused before anything of it is called.
#pragma once

#include "base/error.hpp"
#include "plugins/api/plugin.hpp"

#include <memory>
#include <string>

namespace outrider {

// Refuses what others may write or own; its folder counts as well. Failures say what to do.
Result<void> check_plugin_file(const std::string& path);

// The file stays loaded for the rest of the process, whatever becomes of the plugin.
Result<std::shared_ptr<Plugin>> load_plugin(const std::string& path);

bool is_plugin_name(std::string_view name);

}  // namespace outrider
