// A plugin that throws what is no exception as soon as it is asked for its files.
#include "plugins/api/plugin_library.hpp"

namespace outrider {
namespace {

class ThrowerPlugin final : public Plugin {
 public:
  PluginInfo info() const override { return {"thrower", "Thrower", "1.0", "Throws.", {}}; }
  std::vector<PluginResource> resources() const override { throw 1; }
};

}  // namespace
}  // namespace outrider

OUTRIDER_PLUGIN(outrider::ThrowerPlugin, make_thrower_plugin)
