#include "base/config.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace outrider {

std::string ValueSource::to_string() const {
  switch (kind) {
    case Kind::builtin:
      return "default";
    case Kind::file:
      return fmt::format("file {}:{}", one_line(name), line);
    case Kind::environment:
      return fmt::format("environment {}", one_line(name));
    case Kind::option:
      break;
  }
  return name;
}

std::shared_ptr<const void> Config::section(std::type_index type) const {
  const auto& known = state_->schema.sections();
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].type == type) return state_->sections[i];
  }
  throw std::logic_error(fmt::format("settings {} were never added to the schema", type.name()));
}

ConfigValue Config::value(ConfigSchema::Place place) const {
  return state_->schema.at(place).show(state_->sections[place.section].get());
}

ConfigBuilder::ConfigBuilder(const ConfigSchema& schema) : state_(std::make_shared<Config::State>()) {
  state_->schema = schema;
  for (const SectionInfo& section : schema.sections()) {
    state_->sections.push_back(section.make());
    state_->sources.emplace_back(section.keys.size());
  }
}

Refusal ConfigBuilder::assign(ConfigSchema::Place place, const ConfigValue& value, ValueSource source) {
  const KeySchema& key = state_->schema.at(place);
  if (auto refusal = key.assign(state_->sections[place.section].get(), value)) {
    if (key.secret) return std::string(kSecretRefusal);
    return refusal;
  }
  state_->sources[place.section][place.key] = std::move(source);
  return std::nullopt;
}

Refusal ConfigBuilder::check_section(std::size_t section) const {
  const auto& check = state_->schema.sections()[section].check;
  return check ? check(state_->sections[section].get()) : std::nullopt;
}

Config ConfigBuilder::finish() && {
  return Config(std::move(state_));
}

ConfigValue shown_value(const KeySchema& key, const ConfigValue& value) {
  if (!key.secret) return value;
  const auto* text = std::get_if<std::string>(&value);
  const auto* list = std::get_if<std::vector<std::string>>(&value);
  const bool is_set = text != nullptr ? !text->empty() : list == nullptr || !list->empty();
  if (!is_set) return value;  // that is worth knowing and no secret
  return std::string("***");
}

std::vector<ConfigChange> diff(const Config& before, const Config& after) {
  std::vector<ConfigChange> changes;
  const auto& sections = after.schema().sections();
  for (std::size_t s = 0; s < sections.size(); ++s) {
    for (std::size_t k = 0; k < sections[s].keys.size(); ++k) {
      const KeySchema& key = sections[s].keys[k];
      const auto old_place = before.schema().find(key.path);
      if (!old_place) continue;
      const ConfigValue old_value = before.value(*old_place);
      const ConfigValue new_value = after.value({s, k});
      if (old_value == new_value) continue;
      changes.push_back(
          {key.path, key.change, to_toml(shown_value(key, old_value)), to_toml(shown_value(key, new_value))});
    }
  }
  return changes;
}

}  // namespace outrider
