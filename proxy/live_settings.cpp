#include "proxy/live_settings.hpp"

#include "base/log.hpp"
#include "proxy/secret_file.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>

namespace outrider {
namespace {

namespace json = boost::json;

Error wrong(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::client, std::move(detail)};
}

// What cannot be read is as good as not there, but it is said.
std::map<std::string, std::string> read_changes(const std::filesystem::path& file) {
  const Result<std::string> text = read_secret_file(file.string());
  if (!text) {
    if (text.error().kind != ErrorKind::not_found)
      log::warn(Room::proxy, "settings_left_out", {{"reason", text.error().detail}});
    return {};
  }
  boost::system::error_code failed;
  const json::value value = json::parse(*text, failed);
  std::map<std::string, std::string> changes;
  if (failed || !value.is_object()) return changes;
  for (const json::key_value_pair& change : value.get_object())
    if (change.value().is_string()) changes[change.key()] = change.value().get_string();
  return changes;
}

}  // namespace

std::unique_ptr<LiveSettings> LiveSettings::open(Config config, ConfigSources sources, std::filesystem::path file) {
  std::unique_ptr<LiveSettings> settings{new LiveSettings(std::move(config), std::move(sources), std::move(file))};
  for (const auto& [key, text] : read_changes(settings->file_)) {
    Changes with = settings->changes_;
    with[key] = text;
    const Result<Config> loaded = settings->load(with);
    if (!loaded) {
      log::warn(Room::proxy, "setting_left_out", {{"key", key}, {"reason", loaded.error().detail}});
      continue;
    }
    settings->changes_ = std::move(with);
    settings->config_ = *loaded;
  }
  return settings;
}

Config LiveSettings::current() const {
  const std::lock_guard lock{mutex_};
  return config_;
}

json::object LiveSettings::all() const {
  return to_json(current()).as_object();
}

// Those of the command line come last: they win.
Result<Config> LiveSettings::load(const Changes& changes) const {
  ConfigSources sources = sources_;
  std::vector<ConfigOverride> overrides;
  for (const auto& [key, text] : changes) overrides.push_back({key, text, std::string{kSource}});
  sources.overrides.insert(sources.overrides.begin(), overrides.begin(), overrides.end());
  ConfigResult loaded = load_config(config_.schema(), sources);
  if (loaded) return std::move(*loaded);
  std::string reasons;
  for (const ConfigProblem& problem : loaded.error()) {
    // Who changes a setting knows which; a mistake in the file is looked for.
    const bool in_file = problem.line > 0 || problem.key.empty();
    reasons += (reasons.empty() ? "" : "; ") + (in_file ? problem.to_string() : problem.key + ": " + problem.reason);
  }
  return wrong(std::move(reasons));
}

Result<std::vector<std::string>> LiveSettings::take(const Config& fresh) {
  if (apply_) {
    if (Result<void> applied = apply_(config_, fresh); !applied) return applied.error();
  }
  std::vector<std::string> keys;
  for (const ConfigChange& change : diff(config_, fresh)) {
    keys.push_back(change.key);
    log::info(Room::proxy, "setting_changed",
              {{"key", change.key},
               {"from", change.before},
               {"to", change.after},
               {"restart_needed", change.change == Change::needs_restart}});
  }
  config_ = fresh;
  return keys;
}

// Without the lock: who hears of a change may ask what it is.
void LiveSettings::tell(const std::vector<std::string>& keys) {
  if (keys.empty()) return;
  std::vector<std::weak_ptr<Listener>> listeners;
  {
    const std::lock_guard lock{hearing_};
    listeners = listeners_;
  }
  for (const auto& weak : listeners)
    if (const auto hear = weak.lock()) (*hear)(keys);
}

std::shared_ptr<void> LiveSettings::on_change(Listener hear) {
  auto listener = std::make_shared<Listener>(std::move(hear));
  const std::lock_guard lock{hearing_};
  std::erase_if(listeners_, [](const auto& weak) { return weak.expired(); });
  listeners_.push_back(listener);
  return listener;
}

Result<void> LiveSettings::reload() {
  Result<std::vector<std::string>> keys = [this]() -> Result<std::vector<std::string>> {
    const std::lock_guard lock{mutex_};
    const Result<Config> fresh = load(changes_);
    if (!fresh) return fresh.error();
    return take(*fresh);
  }();
  if (!keys) return keys.error();
  tell(*keys);
  return {};
}

Result<void> LiveSettings::write(const Changes& changes) const {
  json::object object;
  for (const auto& [key, text] : changes) object[key] = text;
  return edit_secret_file(file_.string(),
                          [&](const std::string&) -> Result<std::string> { return json::serialize(object) + "\n"; });
}

Result<void> LiveSettings::change(const json::object& values) {
  const Result<std::vector<std::string>> keys = changed(values);
  if (!keys) return keys.error();
  tell(*keys);
  return {};
}

// Which keys that concerns: also one whose value is what it was, but comes from here now.
Result<std::vector<std::string>> LiveSettings::changed(const json::object& values) {
  const std::lock_guard lock{mutex_};
  Changes with = changes_;
  for (const json::key_value_pair& value : values) {
    const std::string key{value.key()};
    const std::optional<ConfigSchema::Place> place = config_.schema().find(key);
    if (!place)
      return Error{ErrorKind::not_found, Side::client,
                   fmt::format("there is no setting \"{}\"{}", key, config_.schema().suggest_key(key))};
    if (config_.schema().at(*place).change != Change::live)
      return Error{ErrorKind::rule_denied, Side::self,
                   fmt::format("{} takes effect only by a restart: write it into the configuration file", key)};
    const ValueSource& source = config_.source(*place);
    if (source.kind == ValueSource::Kind::option && source.name != kSource)
      return Error{ErrorKind::rule_denied, Side::self,
                   fmt::format("{} is fixed by the command line ({})", key, source.to_string())};
    if (value.value().is_null()) {
      with.erase(key);
    } else {
      with[key] = json::serialize(value.value());  // strings, numbers, truth values and lists are written alike in TOML
    }
  }
  const Result<Config> fresh = load(with);
  if (!fresh) return fresh.error();
  if (Result<void> written = write(with); !written) return written.error();
  Result<std::vector<std::string>> keys = take(*fresh);
  if (!keys) {
    (void)write(changes_);
    return keys;
  }
  for (const json::key_value_pair& value : values)
    if (std::find(keys->begin(), keys->end(), value.key()) == keys->end()) keys->emplace_back(value.key());
  changes_ = std::move(with);
  return keys;
}

}  // namespace outrider
