// The effective configuration: an immutable snapshot that remembers where each value came from. A reload makes a new
// one (config_loader.hpp); whoever keeps a section beyond the call holds share<S>() and is not disturbed by it.
#pragma once

#include "base/config_schema.hpp"

#include <boost/json/value.hpp>

#include <memory>
#include <string>
#include <vector>

namespace outrider {

// Where a value was found. Later ones win over earlier ones, in this order.
struct ValueSource {
  enum class Kind : std::uint8_t { builtin, file, environment, option };
  Kind kind = Kind::builtin;
  std::string name;   // path of the file, name of the variable, the option ("--set")
  unsigned line = 0;  // of the file

  std::string to_string()
      const;  // "default", "file /etc/outrider/outrider.toml:12", "environment OUTRIDER__…", "--set"
};

class Config {
 public:
  // A section that was not added to the schema is a bug: std::logic_error.
  template <class S>
  const S& get() const {
    return *static_cast<const S*>(section(typeid(S)).get());
  }
  template <class S>
  std::shared_ptr<const S> share() const {
    return std::static_pointer_cast<const S>(section(typeid(S)));
  }

  const ConfigSchema& schema() const { return state_->schema; }
  ConfigValue value(ConfigSchema::Place place) const;
  const ValueSource& source(ConfigSchema::Place place) const { return state_->sources[place.section][place.key]; }

 private:
  friend class ConfigBuilder;
  struct State {
    ConfigSchema schema;
    std::vector<std::shared_ptr<void>> sections;    // one per section of the schema
    std::vector<std::vector<ValueSource>> sources;  // one per key
  };
  explicit Config(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const void> section(std::type_index type) const;

  std::shared_ptr<const State> state_;
};

// Starts with the defaults, is given values in rising order of precedence, ends as a Config. Used by the loader.
class ConfigBuilder {
 public:
  explicit ConfigBuilder(const ConfigSchema& schema);
  const ConfigSchema& schema() const { return state_->schema; }

  Refusal assign(ConfigSchema::Place place, const ConfigValue& value, ValueSource source);
  Refusal check_section(std::size_t section) const;  // conditions between its keys
  Config finish() &&;

 private:
  std::shared_ptr<Config::State> state_;
};

// Stands for every reason to refuse the value of a secret.
inline constexpr std::string_view kSecretRefusal = "the value is not valid (not shown: it is a secret)";

// What a reload changed. Values are shown as in a file, secrets as "***".
struct ConfigChange {
  std::string key;
  Change change = Change::live;
  std::string before;
  std::string after;
};
std::vector<ConfigChange> diff(const Config& before, const Config& after);

// A value for people and documents; a secret that is set is "***".
ConfigValue shown_value(const KeySchema& key, const ConfigValue& value);

// {"proxy.listen": {"value", "default", "source", "description", "type", "change", "environment", …}, …}
boost::json::value to_json(const Config& config);

}  // namespace outrider
