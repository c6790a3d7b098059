// Link previews: plugins/hyperscout/README.md.
#pragma once

#include <memory>

namespace outrider {

class Plugin;
std::shared_ptr<Plugin> make_hyperscout_plugin();

}  // namespace outrider
