#include "base/config_types.hpp"

#include "base/ascii.hpp"
#include "base/escape.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

namespace outrider {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Largest first: formatting takes the first unit that divides the value.
constexpr std::array<Unit, 7> kDurationUnits = {{{"d", 86'400'000'000'000},
                                                 {"h", 3'600'000'000'000},
                                                 {"m", 60'000'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"ms", 1'000'000},
                                                 {"us", 1'000},
                                                 {"ns", 1}}};
constexpr std::array<Unit, 9> kSizeUnits = {{{"TiB", 1ull << 40},
                                             {"TB", 1'000'000'000'000},
                                             {"GiB", 1ull << 30},
                                             {"GB", 1'000'000'000},
                                             {"MiB", 1ull << 20},
                                             {"MB", 1'000'000},
                                             {"KiB", 1ull << 10},
                                             {"kB", 1'000},
                                             {"B", 1}}};

// digits [space] unit. `expected` describes the whole form, for messages.
Parsed<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units, std::uint64_t largest,
                                      bool case_blind, std::string_view expected) {
  const auto fail = [&](std::string_view why) {
    return Parsed<std::uint64_t>{std::nullopt,
                                 fmt::format("{} {}, expected {}", quoted(utf8_prefix(text, 80)), why, expected)};
  };
  if (text == "0") return {0, {}};
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range) return fail("is too large");
  if (error != std::errc{}) return fail("does not begin with a whole number");
  std::string_view unit(after, static_cast<std::size_t>(end - after));
  if (unit.empty()) return fail("has no unit");
  if (unit.starts_with('.')) return fail("is not a whole number (use a smaller unit)");
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& known : units) {
    if (unit != known.name && !(case_blind && equal_ignoring_case(unit, known.name))) continue;
    if (number > largest / known.factor) return fail("is too large");
    return {number * known.factor, {}};
  }
  return fail("has an unknown unit");
}

std::string format_with_unit(std::uint64_t value, std::span<const Unit> units) {
  if (value == 0) return "0";
  const Unit* best = &units.back();
  for (const Unit& unit : units) {
    if (value % unit.factor == 0) {
      best = &unit;
      break;
    }
  }
  return fmt::format("{}{}", value / best->factor, best->name);
}

}  // namespace

std::string_view to_string(ConfigKind kind) {
  static constexpr std::array<std::string_view, 8> kNames = {"boolean",  "integer", "number", "text",
                                                             "duration", "size",    "choice", "list"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string wrong_type(ConfigKind expected, std::string_view found) {
  static constexpr std::array<std::string_view, 8> kExpected = {"true or false",
                                                                "a whole number",
                                                                "a number",
                                                                "a string",
                                                                "a duration such as \"10s\"",
                                                                "a size such as \"64KiB\"",
                                                                "one of its names as a string",
                                                                "a list of strings such as [\"a\", \"b\"]"};
  return fmt::format("expected {}, found {}", kExpected[static_cast<std::size_t>(expected)], found);
}

std::string_view type_of(const ConfigValue& value) {
  static constexpr std::array<std::string_view, 5> kFound = {"true or false", "a whole number",
                                                             "a number with a fraction", "a string", "a list"};
  return kFound[value.index()];
}

Parsed<Duration> parse_duration(std::string_view text) {
  const auto nanoseconds = parse_with_unit(text, kDurationUnits, std::numeric_limits<std::int64_t>::max(), false,
                                           "a duration such as \"250ms\", \"10s\", \"5m\", \"2h\" or \"1d\"");
  if (!nanoseconds.value) return {std::nullopt, nanoseconds.problem};
  return {std::chrono::nanoseconds{static_cast<std::int64_t>(*nanoseconds.value)}, {}};
}

Parsed<ByteSize> parse_size(std::string_view text) {
  const auto bytes = parse_with_unit(text, kSizeUnits, std::numeric_limits<std::uint64_t>::max(), true,
                                     "a size such as \"512B\", \"64KiB\", \"10MB\" or \"1GiB\"");
  if (!bytes.value) return {std::nullopt, bytes.problem};
  return {ByteSize{*bytes.value}, {}};
}

std::string format_duration(Duration value) {
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(value).count();
  if (nanoseconds < 0) return fmt::format("{}ns", nanoseconds);
  return format_with_unit(static_cast<std::uint64_t>(nanoseconds), kDurationUnits);
}

std::string format_size(ByteSize value) {
  return format_with_unit(value.bytes, kSizeUnits);
}

std::string to_toml(const ConfigValue& value) {
  struct Writer {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t n) const { return fmt::format("{}", n); }
    std::string operator()(double d) const {
      std::string text = fmt::format("{}", d);
      if (text.find_first_of(".en") == std::string::npos) text += ".0";  // TOML tells 1.0 from 1
      return text;
    }
    // Settings hold plain text only (is_plain_text), and for that JSON and TOML agree on the escapes.
    std::string operator()(const std::string& s) const {
      std::string out;
      append_json_string(out, s);
      return out;
    }
    std::string operator()(const std::vector<std::string>& list) const {
      std::string out = "[";
      for (const std::string& item : list) {
        if (out.size() > 1) out += ", ";
        append_json_string(out, item);
      }
      return out += "]";
    }
  };
  return std::visit(Writer{}, value);
}

}  // namespace outrider
