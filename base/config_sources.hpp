// Inside of config_loader: each source turned into entries for the builder. Nothing else includes this.
#pragma once

#include "base/config_loader.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider::config_detail {

// Line and column in a file, from 1; both 0 for sources that have none.
struct Position {
  unsigned line = 0;
  unsigned column = 0;
};

// Takes what the sources deliver, in rising order of precedence. Problems are bounded, because a hostile or binary file
// can have a mistake in every byte.
class Harvest {
 public:
  explicit Harvest(const ConfigSchema& schema) : builder_(schema) {}
  const ConfigSchema& schema() const { return builder_.schema(); }

  void take(ConfigSchema::Place place, const ConfigValue& value, ValueSource source, Position at = {});
  // `source` as it is shown: a path, or ValueSource::to_string().
  void refuse(std::string source, Position at, std::string key, std::string reason);
  bool full() const { return problems_.size() >= kMostConfigProblems; }  // further reasons are not worth composing
  void sort_by_position();  // tables are walked by name, people read by line

  ConfigResult finish() &&;

 private:
  ConfigBuilder builder_;
  ConfigProblems problems_;
  std::size_t uncounted_ = 0;
};

void read_toml(std::string_view text, const std::string& name, Harvest& harvest);
void read_environment(const std::vector<std::pair<std::string, std::string>>& variables, Harvest& harvest);
void read_overrides(const std::vector<ConfigOverride>& overrides, Harvest& harvest);

// A single value in TOML syntax: `"a"`, `[1, 2]`, `true`.
Parsed<ConfigValue> parse_toml_value(std::string_view text, ConfigKind expected);

}  // namespace outrider::config_detail
