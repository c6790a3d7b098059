// The rear mirror, as a part of the program: docs/rearmirror.md.
#pragma once

#include <memory>

namespace outrider {

class Plugin;
std::shared_ptr<Plugin> make_rearmirror_plugin();

}  // namespace outrider
