// The example as a part of the program.
#pragma once

#include <memory>

namespace outrider {

class Plugin;
std::shared_ptr<Plugin> make_example_plugin();

}  // namespace outrider
