// Where things are when nobody says: the configuration file and the data directory (XDG base directories, or the
// system's).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace outrider::cli {

// Gives the value of an environment variable; nothing if it is unset or empty.
using Variables = std::function<std::optional<std::string>(const char* name)>;
Variables process_variables();

// The first that exists of $XDG_CONFIG_HOME/outrider/outrider.toml (or ~/.config/…) and /etc/outrider/outrider.toml.
std::optional<std::filesystem::path> default_config_file(const Variables& variables);

// $XDG_DATA_HOME/outrider or ~/.local/share/outrider; for a system user without a home /var/lib/outrider.
std::filesystem::path default_data_directory(const Variables& variables);

}  // namespace outrider::cli
