// Reads the configuration from all its sources: built-in defaults, a TOML file, the environment, the command line.
// Later sources win. Every mistake in every source is reported, not only the first.
#pragma once

#include "base/config.hpp"

#include <boost/system/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace outrider {

struct ConfigProblem {
  std::string source;  // path of the file, "environment OUTRIDER__LOG__LEVEL", "--set"; empty: all of them together
  unsigned line = 0;   // of a file, from 1
  unsigned column = 0;
  std::string key;  // "log.level"; may be empty
  std::string reason;

  std::string to_string() const;  // "conf/outrider.toml:3:9: log.level: …"; one line, whatever the source contained
};

using ConfigProblems = std::vector<ConfigProblem>;
[[noreturn]] void throw_exception_from_error(const ConfigProblems& problems, const boost::source_location& where);

// A value from the command line. `option` is shown as its source: "--set", or an option that is short for a key.
struct ConfigOverride {
  std::string key;
  std::string text;  // TOML, or bare text for strings, durations, sizes, choices; lists may be comma-separated
  std::string option = "--set";
};

struct ConfigSources {
  std::optional<std::filesystem::path> file;                     // must exist if given
  std::vector<std::pair<std::string, std::string>> environment;  // all variables; others than OUTRIDER__… are ignored
  std::vector<ConfigOverride> overrides;

  static std::vector<std::pair<std::string, std::string>> process_environment();
};

using ConfigResult = boost::system::result<Config, ConfigProblems>;

// Blocking file I/O: at start-up, or through the thread-pool hop.
ConfigResult load_config(const ConfigSchema& schema, const ConfigSources& sources);

// The same for text that is at hand instead of a file; `name` stands in messages.
ConfigResult load_config_text(const ConfigSchema& schema, std::string_view toml, const std::string& name);

// Splits "log.level=debug" at the first equals sign.
Parsed<ConfigOverride> parse_override(std::string_view argument);

inline constexpr std::size_t kLargestConfigFile = 1 << 20;
inline constexpr std::size_t kMostConfigProblems = 100;  // more are only counted

}  // namespace outrider
