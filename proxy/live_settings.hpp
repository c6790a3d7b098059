// The configuration of a running Outrider: read again on request, and changed by its owner while it runs. What is
// changed here is kept in DATA/settings.json and stands between the environment and the command line, which wins.
// Thread safe.
#pragma once

#include "base/config_loader.hpp"
#include "plugins/api/control.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace outrider {

class LiveSettings final : public SettingsControl {
 public:
  using Apply = std::function<Result<void>(const Config& before, const Config& after)>;
  // What it is shown as in "source".
  static constexpr std::string_view kSource = "the monitor";

  // The configuration with what was changed here in an earlier run. What does not fit any more is left out, and said in
  // the log.
  static std::unique_ptr<LiveSettings> open(Config config, ConfigSources sources, std::filesystem::path file);
  void set_apply(Apply apply) { apply_ = std::move(apply); }  // before anybody else knows this

  Config current() const;
  Result<void> reload();  // reads all sources again

  boost::json::object all() const override;
  Result<void> change(const boost::json::object& values) override;
  std::shared_ptr<void> on_change(Listener hear) override;

 private:
  using Changes = std::map<std::string, std::string>;  // key → TOML
  LiveSettings(Config config, ConfigSources sources, std::filesystem::path file)
      : config_(std::move(config)), sources_(std::move(sources)), file_(std::move(file)) {}
  Result<Config> load(const Changes& changes) const;
  Result<std::vector<std::string>> take(const Config& fresh);  // which keys have another value now
  Result<void> write(const Changes& changes) const;
  Result<std::vector<std::string>> changed(const boost::json::object& values);
  void tell(const std::vector<std::string>& keys);

  mutable std::mutex mutex_;
  Config config_;
  const ConfigSources sources_;
  const std::filesystem::path file_;
  Changes changes_;
  Apply apply_;
  std::mutex hearing_;
  std::vector<std::weak_ptr<Listener>> listeners_;  // guarded by hearing_
};

}  // namespace outrider
