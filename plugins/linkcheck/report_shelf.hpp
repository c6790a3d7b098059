// The reports: in the plugin's private data. Of the finished ones the oldest is thrown away when there are too many;
// those of checks that are running do not count. The plugin's thread alone calls it.
#pragma once

#include "plugins/api/plugin_ports.hpp"
#include "plugins/linkcheck/link_report.hpp"

#include <functional>
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

  // Looks at a few more each time. A report whose page the memory knew, and does not know any more because somebody
  // wants it forgotten, goes with it. True: one went.
  using IsKnown = std::function<bool(const std::string& user, const std::string& url)>;
  bool sweep(const IsKnown& is_known, std::size_t at_once);

  struct Entry {
    std::string user, url;
    boost::json::object summary;
    bool remembered = false;
    bool running = false;
  };
  const std::map<std::uint64_t, Entry>& entries() const { return entries_; }

 private:
  Result<void> store(const LinkReport& report);
  static std::string key_of(std::uint64_t id);
  static Entry entry_of(const LinkReport& report);

  PluginStore& store_;
  std::map<std::uint64_t, Entry> entries_;
  std::uint64_t swept_ = 0;  // up to this one
};

}  // namespace outrider
