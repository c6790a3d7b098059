// What a plugin is given to work with. The ports are there from start() until stop() has returned; nullptr = this
// installation does not have it.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <boost/json/object.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class Memory;        // plugins/api/memory.hpp
class Robot;         // plugins/api/robot.hpp
class StoredCopies;  // plugins/api/stored_copies.hpp

// Private data of one plugin: small values that survive a restart, in files under DATA/plugins/NAME. Blocks on a disk:
// not for hooks that I/O threads call. Any number of threads.
class PluginStore {
 public:
  virtual ~PluginStore() = default;
  virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;
  virtual Result<void> put(std::string_view key, std::string_view value) = 0;  // whole or not at all
  virtual Result<void> remove(std::string_view key) = 0;                       // also if there is none
  virtual Result<std::vector<std::string>> keys() const = 0;                   // sorted
};

// Tells the monitor, and whoever listens to the event stream. Returns at once. Any thread.
class PluginEvents {
 public:
  virtual ~PluginEvents() = default;
  virtual void publish(std::string_view kind, boost::json::object data) = 0;
};

// The switches of the plugin itself, as a person sets them: for a button of its own. Waits for a disk.
class PluginSwitch {
 public:
  virtual ~PluginSwitch() = default;
  virtual bool is_on(std::string_view site) const = 0;  // "" = everywhere
  virtual Result<void> turn(std::string_view site, bool on) = 0;
};

// The thread that calls the hooks which no request waits for. What an I/O thread must not do (ask the memory, send the
// robot) is done there, behind what is in line already. Returns at once; false: too much is in line. Any thread.
class PluginThread {
 public:
  virtual ~PluginThread() = default;
  virtual bool post(std::function<void()> work) = 0;
};

struct PluginPorts {
  const Clock* clock = nullptr;
  Memory* memory = nullptr;
  Robot* robot = nullptr;  // its tasks belong to the plugin, and it sees no others
  PluginStore* store = nullptr;
  PluginEvents* events = nullptr;
  PluginSwitch* own_switch = nullptr;
  StoredCopies* copies = nullptr;
  PluginThread* own_thread = nullptr;
};

}  // namespace outrider
