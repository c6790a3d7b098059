#include "proxy/plugin_switches.hpp"

#include "base/log.hpp"
#include "base/url.hpp"
#include "proxy/plugin_store.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace outrider {

namespace json = boost::json;

std::string site_name(std::string_view text) {
  const Result<Url> url = Url::parse("http://" + std::string{text} + "/");
  if (!url || text.find_first_of("/?#@\\") != std::string_view::npos) return {};
  std::string host{url->hostname()};
  if (host.ends_with('.')) host.pop_back();
  return host;
}

PluginSwitches::PluginSwitches(std::filesystem::path file)
    : file_(std::move(file)), defaults_(std::make_shared<Table>()), chosen_(std::make_shared<Table>()) {
  std::ifstream in(file_, std::ios::binary);
  if (!in) return;
  std::stringstream text;
  text << in.rdbuf();
  boost::system::error_code error;
  const json::value read = json::parse(text.str(), error);
  if (error || !read.is_object()) {
    log::warn(Room::plugins, "plugin_switches_unreadable", {{"file", file_.string()}});
    return;
  }
  auto table = std::make_shared<Table>();
  for (const auto& [plugin, sites] : read.as_object()) {
    if (!sites.is_object()) continue;
    for (const auto& [site, on] : sites.as_object())
      if (on.is_bool()) (*table)[std::string{plugin}][std::string{site}] = on.as_bool();
  }
  chosen_ = std::move(table);
}

void PluginSwitches::set_defaults(const std::vector<std::string>& off, const std::vector<std::string>& off_sites) {
  auto table = std::make_shared<Table>();
  for (const std::string& name : off) (*table)[name][""] = false;
  for (const std::string& entry : off_sites) {
    const std::size_t space = entry.find(' ');
    if (space != std::string::npos) (*table)[entry.substr(0, space)][site_name(entry.substr(space + 1))] = false;
  }
  const std::lock_guard lock(mutex_);
  defaults_ = std::move(table);
}

const bool* PluginSwitches::find(const Table& table, std::string_view plugin, std::string_view site) {
  const auto of_plugin = table.find(plugin);
  if (of_plugin == table.end()) return nullptr;
  const auto at = of_plugin->second.find(site);
  return at == of_plugin->second.end() ? nullptr : &at->second;
}

bool PluginSwitches::is_on(std::string_view plugin, std::string_view host) const {
  std::shared_ptr<const Table> defaults;
  std::shared_ptr<const Table> chosen;
  {
    const std::lock_guard lock(mutex_);
    defaults = defaults_;
    chosen = chosen_;
  }
  if (host.ends_with('.')) host.remove_suffix(1);  // the same host, as in site_name()
  for (;;) {                                       // the host, then what it lies under, then everywhere
    if (const bool* on = find(*chosen, plugin, host)) return *on;
    if (const bool* on = find(*defaults, plugin, host)) return *on;
    if (host.empty()) return true;
    const std::size_t dot = host.find('.');
    host = dot == std::string_view::npos ? std::string_view{} : host.substr(dot + 1);
  }
}

bool PluginSwitches::is_on_somewhere(std::string_view plugin) const {
  if (is_on(plugin, "")) return true;
  const json::object at = sites(plugin);
  return std::any_of(at.begin(), at.end(), [](const auto& site) { return site.value().as_bool(); });
}

std::shared_ptr<const PluginSwitches::Table> PluginSwitches::chosen() const {
  const std::lock_guard lock(mutex_);
  return chosen_;
}

Result<void> PluginSwitches::save(const Table& chosen) const {
  json::object all;
  for (const auto& [plugin, sites] : chosen) {
    json::object of_plugin;
    for (const auto& [site, on] : sites) of_plugin[site] = on;
    all[plugin] = std::move(of_plugin);
  }
  if (Result<void> made = ensure_private_folder(file_.parent_path()); !made) return made;
  return replace_file(file_, json::serialize(all) + "\n");
}

Result<void> PluginSwitches::turn(std::string_view plugin, std::string_view site, bool on) {
  const std::string name = site.empty() ? std::string{} : site_name(site);
  if (!site.empty() && name.empty())
    return Error{ErrorKind::invalid_argument, Side::client, "the site is not a host name"};
  const std::lock_guard one_by_one(writing_);
  auto table = std::make_shared<Table>(*chosen());
  (*table)[std::string{plugin}][name] = on;
  if (Result<void> saved = save(*table); !saved) return saved;
  const std::lock_guard lock(mutex_);
  chosen_ = std::move(table);
  return {};
}

Result<void> PluginSwitches::forget_site(std::string_view plugin, std::string_view site) {
  const std::lock_guard one_by_one(writing_);
  auto table = std::make_shared<Table>(*chosen());
  const auto of_plugin = table->find(plugin);
  if (of_plugin == table->end() || of_plugin->second.erase(site_name(site)) == 0) return {};
  if (Result<void> saved = save(*table); !saved) return saved;
  const std::lock_guard lock(mutex_);
  chosen_ = std::move(table);
  return {};
}

json::object PluginSwitches::sites(std::string_view plugin) const {
  json::object found;
  std::shared_ptr<const Table> defaults;
  {
    const std::lock_guard lock(mutex_);
    defaults = defaults_;
  }
  for (const std::shared_ptr<const Table>& table : {defaults, chosen()}) {
    const auto of_plugin = table->find(plugin);
    if (of_plugin == table->end()) continue;
    for (const auto& [site, on] : of_plugin->second)
      if (!site.empty()) found[site] = on;
  }
  return found;
}

}  // namespace outrider
