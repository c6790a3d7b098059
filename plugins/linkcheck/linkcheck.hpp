// Link check, as a part of the program: docs/linkcheck.md.
#pragma once

#include <memory>

namespace outrider {

class Plugin;
std::shared_ptr<Plugin> make_linkcheck_plugin();

}  // namespace outrider
