// From a C++ type to the setting it is written as: ConfigType<T> for every T that a settings struct may have as a
// member. Neighbours: config_types.hpp (the untyped value), config_schema.hpp (which calls this for each key).
#pragma once

#include "base/config_types.hpp"
#include "base/escape.hpp"
#include "base/nearest.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace outrider {

// Why a value is refused, as the end of a sentence; nothing: accepted.
using Refusal = std::optional<std::string>;

// An enum becomes a choice by a function in its namespace that names its values:
//   constexpr auto enum_names(Format) { return std::to_array<std::pair<Format, std::string_view>>({{Format::text,
//   "text"}, …}); }
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  enum_names(e).begin()->second;
};

template <NamedEnum E>
constexpr std::string_view name_of(E value) {
  for (const auto& [candidate, name] : enum_names(E{})) {
    if (candidate == value) return name;
  }
  return "?";
}

template <NamedEnum E>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& entry : enum_names(E{})) names.emplace_back(entry.second);
  return names;
}

template <NamedEnum E>
constexpr std::optional<E> value_named(std::string_view text) {
  for (const auto& [value, name] : enum_names(E{})) {
    if (name == text) return value;
  }
  return std::nullopt;
}

template <class T>
struct ConfigType;  // a type without a specialisation cannot be a setting

template <>
struct ConfigType<bool> {
  static constexpr ConfigKind kKind = ConfigKind::boolean;
  static ConfigValue show(bool value) { return value; }
  static Refusal assign(const ConfigValue& from, bool& to) {
    const bool* value = std::get_if<bool>(&from);
    if (value == nullptr) return wrong_type(kKind, type_of(from));
    to = *value;
    return std::nullopt;
  }
};

template <std::integral T>
struct ConfigType<T> {
  static_assert(sizeof(T) < sizeof(std::int64_t) || std::is_signed_v<T>, "TOML has no integers above 2^63-1");
  static constexpr ConfigKind kKind = ConfigKind::integer;
  static ConfigValue show(T value) { return static_cast<std::int64_t>(value); }
  static Refusal assign(const ConfigValue& from, T& to) {
    const std::int64_t* value = std::get_if<std::int64_t>(&from);
    if (value == nullptr) return wrong_type(kKind, type_of(from));
    constexpr auto kLow = std::numeric_limits<T>::min();
    constexpr auto kHigh = std::numeric_limits<T>::max();
    if (!std::in_range<T>(*value)) return fmt::format("{} is not between {} and {}", *value, kLow, kHigh);
    to = static_cast<T>(*value);
    return std::nullopt;
  }
};

template <>
struct ConfigType<double> {
  static constexpr ConfigKind kKind = ConfigKind::number;
  static ConfigValue show(double value) { return value; }
  static Refusal assign(const ConfigValue& from, double& to) {
    if (const auto* whole = std::get_if<std::int64_t>(&from)) {
      to = static_cast<double>(*whole);
      return std::nullopt;
    }
    const double* value = std::get_if<double>(&from);
    if (value == nullptr) return wrong_type(kKind, type_of(from));
    if (!std::isfinite(*value)) return "must be a finite number";
    to = *value;
    return std::nullopt;
  }
};

// Control characters have no business in any setting, and would travel from there into headers, paths and logs.
inline Refusal refuse_unprintable(std::string_view text) {
  if (is_plain_text(text)) return std::nullopt;
  return fmt::format("{} contains a control or invisible character", quoted(utf8_prefix(text, 80)));
}

template <>
struct ConfigType<std::string> {
  static constexpr ConfigKind kKind = ConfigKind::text;
  static ConfigValue show(const std::string& value) { return value; }
  static Refusal assign(const ConfigValue& from, std::string& to) {
    const auto* value = std::get_if<std::string>(&from);
    if (value == nullptr) return wrong_type(kKind, type_of(from));
    if (auto refusal = refuse_unprintable(*value)) return refusal;
    to = *value;
    return std::nullopt;
  }
};

template <>
struct ConfigType<std::vector<std::string>> {
  static constexpr ConfigKind kKind = ConfigKind::list;
  static ConfigValue show(const std::vector<std::string>& value) { return value; }
  static Refusal assign(const ConfigValue& from, std::vector<std::string>& to) {
    const auto* value = std::get_if<std::vector<std::string>>(&from);
    if (value == nullptr) return wrong_type(kKind, type_of(from));
    for (const std::string& item : *value) {
      if (auto refusal = refuse_unprintable(item)) return refusal;
    }
    to = *value;
    return std::nullopt;
  }
};

// Durations and sizes: a string with a unit, or the number 0.
template <class T, ConfigKind kind, Parsed<T> (*parse)(std::string_view), std::string (*format)(T)>
struct ConfigUnitType {
  static constexpr ConfigKind kKind = kind;
  static ConfigValue show(T value) { return format(value); }
  static Refusal assign(const ConfigValue& from, T& to) {
    std::string text;
    if (const auto* written = std::get_if<std::string>(&from)) {
      text = *written;
    } else if (const auto* bare = std::get_if<std::int64_t>(&from)) {
      text = fmt::format("{}", *bare);
    } else {
      return wrong_type(kind, type_of(from));
    }
    const Parsed<T> parsed = parse(text);
    if (!parsed.value) return parsed.problem;
    to = *parsed.value;
    return std::nullopt;
  }
};
template <>
struct ConfigType<Duration> : ConfigUnitType<Duration, ConfigKind::duration, parse_duration, format_duration> {};
template <>
struct ConfigType<ByteSize> : ConfigUnitType<ByteSize, ConfigKind::size, parse_size, format_size> {};

template <NamedEnum E>
struct ConfigType<E> {
  static constexpr ConfigKind kKind = ConfigKind::choice;
  static ConfigValue show(E value) { return std::string(name_of(value)); }
  static Refusal assign(const ConfigValue& from, E& to) {
    const auto names = names_of<E>();
    const std::string expected = fmt::format("expected one of {}", fmt::join(names, ", "));
    const auto* text = std::get_if<std::string>(&from);
    if (text == nullptr) return fmt::format("{}, found {}", expected, type_of(from));
    const auto value = value_named<E>(*text);
    if (!value)
      return fmt::format("{} is unknown, {}{}", quoted(utf8_prefix(*text, 80)), expected, suggestion(*text, names));
    to = *value;
    return std::nullopt;
  }
};

}  // namespace outrider
