// The port by which a person or a program looks at the plugins and switches them: at run time, everywhere or for one
// site; kept over a restart. Any thread; may wait for a disk.
#pragma once

#include "base/error.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace outrider {

class PluginControl {
 public:
  virtual ~PluginControl() = default;
  // [{"name","title","version","description","origin","on","sites":{HOST:bool},"state","problem","failures",…}]
  virtual boost::json::array list() const = 0;
  // `site` "" = everywhere. On also brings back one that was set aside. Failures: not_found, invalid_argument.
  virtual Result<void> turn(std::string_view plugin, std::string_view site, bool on) = 0;
  virtual Result<void> forget_site(std::string_view plugin, std::string_view site) = 0;  // as everywhere
  // What the plugin shows of itself; waits for it, for a while. Failures: not_found, busy.
  virtual Result<boost::json::object> card(std::string_view plugin) = 0;
  // What plugins published after `cursor`, oldest first: {"events":[{"cursor","plugin","kind","at","data"}],"next"}
  virtual boost::json::object events(std::uint64_t cursor) const = 0;
};

}  // namespace outrider
