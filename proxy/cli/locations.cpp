#include "proxy/cli/locations.hpp"

#include <cstdlib>

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

// The XDG specification: "all paths must be absolute"; others are to be ignored. Debian gives system users
// /nonexistent.
std::optional<fs::path> absolute(const std::optional<std::string>& text) {
  if (!text || !text->starts_with('/')) return std::nullopt;
  return fs::path(*text);
}

std::optional<fs::path> home(const Variables& variables) {
  const auto path = absolute(variables("HOME"));
  if (!path || *path == "/" || *path == "/nonexistent") return std::nullopt;
  return path;
}

std::optional<fs::path> user_directory(const Variables& variables, const char* name, const char* below_home) {
  if (const auto given = absolute(variables(name))) return *given / "outrider";
  if (const auto own = home(variables)) return *own / below_home / "outrider";
  return std::nullopt;
}

// A file that is there but cannot be read counts as there: using other settings silently would be worse than an error.
bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::exists(fs::status(path, failed));
}

}  // namespace

Variables process_variables() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return value;
  };
}

std::optional<fs::path> default_config_file(const Variables& variables) {
  if (const auto own = user_directory(variables, "XDG_CONFIG_HOME", ".config")) {
    if (is_there(*own / "outrider.toml")) return *own / "outrider.toml";
  }
  const fs::path of_system = "/etc/outrider/outrider.toml";
  if (is_there(of_system)) return of_system;
  return std::nullopt;
}

fs::path default_data_directory(const Variables& variables) {
  return user_directory(variables, "XDG_DATA_HOME", ".local/share").value_or("/var/lib/outrider");
}

}  // namespace outrider::cli
