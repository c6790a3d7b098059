// Which plugin works for which site. The configuration says how it begins; what a person switches at run time is kept
// in one small file. A switch for "example.com" holds for what is below it, too. The most specific one decides; of two
// for the same site, that of the person. Thread safe; reading takes no lock that a writer holds for long.
#pragma once

#include "base/error.hpp"

#include <boost/json/object.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

class PluginSwitches {
 public:
  // Reads the file, if there is one. One that cannot be read is as good as none.
  explicit PluginSwitches(std::filesystem::path file);

  // Of the configuration: names that are off, and "NAME HOST" for those that are off at a site.
  void set_defaults(const std::vector<std::string>& off, const std::vector<std::string>& off_sites);
  bool is_on(std::string_view plugin, std::string_view host) const;  // `host` "" = everywhere
  bool is_on_somewhere(std::string_view plugin) const;               // … or at one site at least
  Result<void> turn(std::string_view plugin, std::string_view site, bool on);
  Result<void> forget_site(std::string_view plugin, std::string_view site);
  boost::json::object sites(std::string_view plugin) const;  // {HOST: bool}

 private:
  using Sites = std::map<std::string, bool, std::less<>>;  // "" = everywhere
  using Table = std::map<std::string, Sites, std::less<>>;
  static const bool* find(const Table& table, std::string_view plugin, std::string_view site);
  Result<void> save(const Table& chosen) const;
  std::shared_ptr<const Table> chosen() const;

  const std::filesystem::path file_;
  mutable std::mutex mutex_;  // for the pointers
  std::mutex writing_;
  std::shared_ptr<const Table> defaults_, chosen_;
};

// A host name as it is compared: lower case, without port and final dot; "" if it cannot be one.
std::string site_name(std::string_view text);

}  // namespace outrider
