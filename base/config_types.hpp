// The values a setting can have, and how people write them: "10s", "64KiB", true, 8, ["a", "b"].
// Used by config_schema.hpp (typed members of settings structs) and config_loader.hpp (text of all sources).
#pragma once

#include "base/clock.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace outrider {

// A number of bytes, written with its unit: "64KiB" (1024), "10MB" (1000).
struct ByteSize {
  std::uint64_t bytes = 0;
  friend constexpr auto operator<=>(const ByteSize&, const ByteSize&) = default;
};

namespace size_literals {
constexpr ByteSize operator""_B(unsigned long long n) {
  return {n};
}
constexpr ByteSize operator""_KiB(unsigned long long n) {
  return {n << 10};
}
constexpr ByteSize operator""_MiB(unsigned long long n) {
  return {n << 20};
}
constexpr ByteSize operator""_GiB(unsigned long long n) {
  return {n << 30};
}
}  // namespace size_literals

// A setting's value without its C++ type: what sources deliver and what is shown. Durations, sizes and choices are
// strings.
using ConfigValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

enum class ConfigKind : std::uint8_t { boolean, integer, number, text, duration, size, choice, list };
std::string_view to_string(ConfigKind kind);

// On failure `problem` says what is wrong and what is expected, as the end of a sentence.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string problem;
};

// "250ms", "10s", "5m", "2h", "1d"; also us and ns. A bare number is refused, because nobody can tell its unit; 0 is
// fine.
Parsed<Duration> parse_duration(std::string_view text);
Parsed<ByteSize> parse_size(std::string_view text);

// The shortest exact spelling; parse_x(format_x(v)) is v for all that is not negative.
std::string format_duration(Duration value);
std::string format_size(ByteSize value);

// "expected a duration such as "10s", found a list": for a value of the wrong type.
std::string wrong_type(ConfigKind expected, std::string_view found);
std::string_view type_of(const ConfigValue& value);  // "a list"

// As it is written in a TOML file.
std::string to_toml(const ConfigValue& value);

}  // namespace outrider
