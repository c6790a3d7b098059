// The finished reports: in the plugin's private data, the oldest thrown away when there are too many. The plugin's
// thread alone calls it.
#pragma once

#include "plugins/api/plugin_ports.hpp"
#include "plugins/linkcheck/link_report.hpp"

#include <map>
#include <optional>

namespace outrider {

class ReportShelf {
 public:
  explicit ReportShelf(PluginStore& store) : store_(store) {}

  // What was running when the program ended is called interrupted. Returns the greatest number given so far.
  std::uint64_t load(WallTime now);
  Result<void> put(const LinkReport& report, std::size_t keep);
  std::optional<LinkReport> get(std::uint64_t id) const;
  void remove(std::uint64_t id);

  struct Entry {
    std::string user;
    boost::json::object summary;
  };
  const std::map<std::uint64_t, Entry>& entries() const { return entries_; }

 private:
  static std::string key_of(std::uint64_t id);

  PluginStore& store_;
  std::map<std::uint64_t, Entry> entries_;
};

}  // namespace outrider
