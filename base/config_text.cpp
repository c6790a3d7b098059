// Values that come as text: environment variables and --set.
#include "base/config_sources.hpp"

#include "base/ascii.hpp"

#include <fmt/format.h>

#include <map>

namespace outrider::config_detail {
namespace {

constexpr std::string_view kPrefix = "outrider__";

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> items;
  if (trim(text).empty()) return items;
  while (true) {
    const std::size_t comma = text.find(',');
    items.emplace_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

// `quotes_are_syntax`: on the command line "…" is a TOML string; in the environment, text is taken as it is.
Parsed<ConfigValue> parse_text(const KeySchema& key, std::string_view text, bool quotes_are_syntax) {
  const std::string_view trimmed = trim(text);
  switch (key.kind) {
    case ConfigKind::boolean:
    case ConfigKind::integer:
    case ConfigKind::number:
      return parse_toml_value(trimmed, key.kind);
    case ConfigKind::list:
      if (trimmed.starts_with('[')) return parse_toml_value(trimmed, key.kind);
      return {split_at_commas(text), {}};
    default:
      break;
  }
  const bool is_quoted = trimmed.starts_with('"') || trimmed.starts_with('\'');
  if (quotes_are_syntax && is_quoted) return parse_toml_value(trimmed, key.kind);
  return {std::string(text), {}};
}

void read_text(std::string_view path, std::string_view text, bool quotes_are_syntax, ValueSource source,
               Harvest& harvest) {
  const ConfigSchema& schema = harvest.schema();
  const auto refuse = [&](std::string reason) {
    harvest.refuse(source.to_string(), {}, std::string(path), std::move(reason));
  };
  const auto place = schema.find(path);
  if (!place && schema.is_section(path)) return refuse("is a section; name one of its keys");
  if (!place) return refuse("unknown key" + (harvest.full() ? std::string{} : schema.suggest_key(path)));
  const KeySchema& key = schema.at(*place);
  const Parsed<ConfigValue> value = parse_text(key, text, quotes_are_syntax);
  if (!value.value) return refuse(key.secret ? std::string(kSecretRefusal) : value.problem);
  harvest.take(*place, *value.value, std::move(source));
}

}  // namespace

void read_environment(const std::vector<std::pair<std::string, std::string>>& variables, Harvest& harvest) {
  std::map<std::string, std::string> seen;  // path → name, since names are case-blind
  for (const auto& [name, text] : variables) {
    std::string path = ascii_lower(name);
    if (!path.starts_with(kPrefix)) continue;
    path.erase(0, kPrefix.size());
    for (std::size_t at = path.find("__"); at != std::string::npos; at = path.find("__", at)) path.replace(at, 2, ".");
    const ValueSource source{ValueSource::Kind::environment, name, 0};
    if (const auto [earlier, is_new] = seen.emplace(path, name); !is_new) {
      harvest.refuse(source.to_string(), {}, path, fmt::format("is also set by {}", earlier->second));
      continue;
    }
    read_text(path, text, false, source, harvest);
  }
}

void read_overrides(const std::vector<ConfigOverride>& overrides, Harvest& harvest) {
  for (const ConfigOverride& given : overrides) {
    read_text(given.key, given.text, true, {ValueSource::Kind::option, given.option, 0}, harvest);
  }
}

}  // namespace outrider::config_detail
