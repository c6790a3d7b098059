// The ports by which a person or a program steers the house: settings, the cache, HTTPS. All of them may wait for a
// disk: call them from a worker thread. Any number of threads.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// What a failure of these means to whoever asked: ErrorKind::invalid_argument = the question was wrong, not_found =
// there is no such thing, rule_denied = not now, not in this installation.

class SettingsControl {
 public:
  virtual ~SettingsControl() = default;
  // {"proxy.listen": {"value","default","source","description","type","change",…}, …}, in the order of the
  // documentation.
  virtual boost::json::object all() const = 0;
  // Key → new value; null = as if it had never been changed here. All of them or none. Kept over a restart.
  virtual Result<void> change(const boost::json::object& values) = 0;
  // Called with the keys that have changed, whoever changed them, on the thread that did; as long as what is returned
  // is kept.
  using Listener = std::function<void(const std::vector<std::string>& keys)>;
  virtual std::shared_ptr<void> on_change(Listener hear) = 0;
};

class CacheControl {
 public:
  virtual ~CacheControl() = default;
  virtual Result<boost::json::object> stats() const = 0;
  // {"url"|"prefix"|"site"|"all", "older_than", "forget"} → {"entries","bytes"}
  virtual Result<boost::json::object> purge(std::string_view question, WallTime now) = 0;
  // What is kept for everybody under this address: {"url","variants":[…]}.
  virtual Result<boost::json::object> lookup(std::string_view url, WallTime now) = 0;
};

// Removing from the memory of pages: nodes, text, links, visits, search.
class MemoryControl {
 public:
  virtual ~MemoryControl() = default;
  // {"url"|"prefix"|"site"|"last"|"user"|"all": …} → what was removed, as numbers. In no file any more when it returns.
  virtual Result<boost::json::object> forget(const boost::json::object& question) = 0;
};

// Removing from what the robot knows: tasks, their queues, what was learnt of hosts.
class RobotControl {
 public:
  virtual ~RobotControl() = default;
  // As MemoryControl; → {"tasks","urls","hosts"}.
  virtual Result<boost::json::object> forget(const boost::json::object& question) = 0;
};

struct TlsState {
  std::string mode;       // tls.intercept
  bool fixed = false;     // by the configuration: nothing to accept here
  bool accepted = false;  // HTTPS is opened
  std::string authority, fingerprint, warning;
  std::vector<std::string> addresses;  // where browsers reach the proxy: "127.0.0.1:8282"
};

struct PinnedHost {
  std::string host, client, reason;
  WallTime since{}, until{};
};

class TlsControl {
 public:
  virtual ~TlsControl() = default;
  virtual TlsState state(WallTime now) const = 0;
  virtual Result<void> accept(bool accepted) = 0;
  virtual std::vector<PinnedHost> pinned(WallTime now) const = 0;
  virtual std::size_t unpin(std::string_view host) = 0;  // "" = all; how many entries that were
};

}  // namespace outrider
