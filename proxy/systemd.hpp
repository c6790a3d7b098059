// What a service manager expects of a service, without libsystemd: sockets that it opened for us (sd_listen_fds(3)),
// and messages about our state (sd_notify(3)). Without a service manager all of it does nothing.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// How a variable of the environment is read; std::nullopt: not set.
using EnvironmentReader = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> process_environment(const char* name);

// A listening stream socket that the service manager opened.
struct ActivatedSocket {
  int fd = -1;       // the receiver's to close; close-on-exec and non-blocking
  std::string name;  // FileDescriptorName= of the socket unit; "unknown" if it has none
};

inline constexpr int kFirstActivatedFd = 3;  // SD_LISTEN_FDS_START

// The descriptors that are announced to this process and their names, unchecked. Empty: none, or meant for another
// process.
Result<std::vector<ActivatedSocket>> parse_activation(const EnvironmentReader& environment, long own_pid);

// Marks the descriptors as ours and checks that each is what we can accept() on. A mistake in the unit files is an
// error that says which.
Result<void> check_activated(const std::vector<ActivatedSocket>& sockets);

// Both, from the environment of this process, whose variables are then removed so that no child takes them for its own.
// Call once, at start-up, before threads exist.
Result<std::vector<ActivatedSocket>> take_activated_sockets();

// Tells the service manager about us. Cheap to keep; sends nothing if nobody asked. Messages are rare and small; one
// that cannot be delivered within a second is given up.
class SystemdNotifier {
 public:
  SystemdNotifier() = default;  // nobody listens
  explicit SystemdNotifier(const EnvironmentReader& environment, long own_pid);
  // From the environment of this process; NOTIFY_SOCKET and the like are removed from it. Before threads exist.
  static SystemdNotifier from_process();

  bool active() const { return !socket_.empty(); }

  bool ready(std::string_view status) const;
  // Between a SIGHUP and the ready() that ends the reload.
  bool reloading(SteadyTime now) const;
  bool stopping(std::string_view status) const;
  bool status(std::string_view text) const;  // one line for `systemctl status`
  bool watchdog() const;                     // we are alive

  // How often watchdog() has to be called: half of what the unit demands. Absent: not demanded.
  std::optional<Duration> watchdog_interval() const { return watchdog_interval_; }

 private:
  bool send(const std::string& message) const;
  std::string socket_;  // path, or '@' and an abstract name
  std::optional<Duration> watchdog_interval_;
};

}  // namespace outrider
