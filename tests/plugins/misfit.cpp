// A plugin whose section has a name that no section can have.
#include "plugins/api/plugin_library.hpp"

namespace outrider {
namespace {

struct MisfitSettings {
  bool on = true;
  static constexpr std::string_view kSection = "plugins.mis-fit";
  static void describe(SectionSchema<MisfitSettings>& s) { s.key("on", &MisfitSettings::on, "On.", Change::live); }
};

class MisfitPlugin final : public Plugin {
 public:
  PluginInfo info() const override { return {"mis-fit", "Misfit", "1.0", "Has no section.", {}}; }
  void describe_settings(ConfigSchema& schema) const override { schema.add<MisfitSettings>(); }
};

}  // namespace
}  // namespace outrider

OUTRIDER_PLUGIN(outrider::MisfitPlugin, make_misfit_plugin)
