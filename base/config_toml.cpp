// The TOML source. The only file that knows toml++.
#include "base/config_sources.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

namespace outrider::config_detail {
namespace {

constexpr std::size_t kMostSyntaxErrors = 10;

// toml++ builds and destroys nested tables by recursion, and only brackets count towards its own limit: half a megabyte
// of "a.a.a.…=1" would overflow the stack. So the depth of dotted keys is bounded before it sees the text.
constexpr std::size_t kDeepestKey = 16;

Position position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto lines = std::count(before.begin(), before.end(), '\n');
  return {static_cast<unsigned>(lines + 1), static_cast<unsigned>(offset - line_start + 1)};
}

// The offset behind the string that begins at `at`. An unterminated one ends where the line or the text ends.
std::size_t skip_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view three = text.substr(at, 3);
  const bool multi_line = three.size() == 3 && three[1] == quote && three[2] == quote;
  for (at += multi_line ? 3 : 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (multi_line && text.substr(at).starts_with(three)) {
      return at + 3;
    } else if (!multi_line && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    }
  }
  return text.size();
}

// Where a key is nested too deeply, if anywhere.
std::optional<std::size_t> find_too_deep_key(std::string_view text) {
  std::size_t dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = skip_string(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.' && ++dots >= kDeepestKey) return at;
    if (c == '\n' || c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') dots = 0;
    ++at;
  }
  return std::nullopt;
}

Parsed<ConfigValue> value_of(const toml::node& node, ConfigKind expected) {
  switch (node.type()) {
    case toml::node_type::boolean:
      return {ConfigValue(**node.as_boolean()), {}};
    case toml::node_type::integer:
      return {ConfigValue(**node.as_integer()), {}};
    case toml::node_type::floating_point:
      return {ConfigValue(**node.as_floating_point()), {}};
    case toml::node_type::string:
      return {ConfigValue(**node.as_string()), {}};
    case toml::node_type::array:
      break;
    case toml::node_type::table:
      return {std::nullopt, wrong_type(expected, "a table")};
    default:
      return {std::nullopt, wrong_type(expected, "a date or time")};
  }
  if (expected != ConfigKind::list) return {std::nullopt, wrong_type(expected, "a list")};
  std::vector<std::string> items;
  for (const toml::node& item : *node.as_array()) {
    if (!item.is_string()) {
      return {std::nullopt, fmt::format("expected a list of strings, but item {} is not a string", items.size() + 1)};
    }
    items.push_back(**item.as_string());
  }
  return {std::move(items), {}};
}

// Walks the tables of one parsed text. Recursion is bounded: it only descends into sections of the schema.
class Walker {
 public:
  Walker(const std::string& name, unsigned lines_before, Harvest& harvest)
      : schema_(harvest.schema()), name_(name), lines_before_(lines_before), harvest_(harvest) {}

  void walk(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string path = prefix + name_part(key.str());
      if (const auto place = schema_.find(path)) {
        take(*place, path, node);
      } else if (schema_.is_section(path)) {
        enter(path, key, node);
      } else if (node.is_table() || node.is_array_of_tables()) {
        refuse(key.source(), path, "unknown section" + (harvest_.full() ? "" : schema_.suggest_section(path)));
      } else {
        refuse(key.source(), path, "unknown key" + (harvest_.full() ? "" : schema_.suggest_key(path)));
      }
    }
  }

 private:
  // A quoted name with a dot inside is not a path; in quotes it can never equal one.
  static std::string name_part(std::string_view name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    return plain && !name.empty() && name.size() <= 80 ? std::string(name) : quoted(utf8_prefix(name, 80));
  }

  Position position(const toml::source_region& region) const {
    return {region.begin.line + lines_before_, region.begin.column};
  }

  void refuse(const toml::source_region& region, const std::string& path, std::string reason) {
    harvest_.refuse(name_, position(region), path, std::move(reason));
  }

  void enter(const std::string& path, const toml::key& key, const toml::node& node) {
    if (const toml::table* inner = node.as_table()) return walk(*inner, path + ".");
    if (node.is_array_of_tables()) return refuse(key.source(), path, fmt::format("is one section: write [{}]", path));
    refuse(key.source(), path, fmt::format("is a section: write [{}] and its keys below", path));
  }

  void take(ConfigSchema::Place place, const std::string& path, const toml::node& node) {
    const Parsed<ConfigValue> value = value_of(node, schema_.at(place).kind);
    if (!value.value) return refuse(node.source(), path, value.problem);
    const Position at = position(node.source());
    harvest_.take(place, *value.value, {ValueSource::Kind::file, name_, at.line}, at);
  }

  const ConfigSchema& schema_;
  const std::string& name_;
  unsigned lines_before_;
  Harvest& harvest_;
};

struct SyntaxError {
  Position at;
  std::string reason;
};

std::optional<SyntaxError> find_unreadable(std::string_view text) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return SyntaxError{position_of(text, nul), "contains a NUL byte: this is not a text file"};
  }
  if (const auto deep = find_too_deep_key(text)) {
    return SyntaxError{position_of(text, *deep), fmt::format("key with more than {} parts", kDeepestKey)};
  }
  return std::nullopt;
}

std::string explain(const toml::parse_error& error) {
  std::string reason(error.description());
  constexpr std::string_view kUsual = "Error while parsing ";
  if (reason.starts_with(kUsual)) reason = "not valid TOML: " + reason.substr(kUsual.size());
  if (reason.find("integer: expected digit") != std::string::npos) {
    reason += " (durations and sizes are written in quotes, like \"10s\")";
  }
  return reason;
}

// Parses and walks `text`; a syntax error leaves the harvest as it was.
std::optional<SyntaxError> read_piece(std::string_view text, unsigned lines_before, const std::string& name,
                                      Harvest& harvest) {
  try {
    const toml::table table = toml::parse(text);
    Walker(name, lines_before, harvest).walk(table, "");
    return std::nullopt;
  } catch (const toml::parse_error& error) {
    const auto begin = error.source().begin;
    return SyntaxError{{begin.line, begin.column}, explain(error)};
  }
}

std::size_t offset_of_line(std::string_view text, std::size_t line) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < line && at < text.size(); ++i) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return at;
}

// The next line that is a section header: the place to go on after a syntax error without follow-up errors.
std::size_t next_header(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t first = line.find_first_not_of(" \t");
    const bool header = first != std::string_view::npos && line[first] == '[' &&
                        line.find(']') != std::string_view::npos &&
                        line.find_first_of(",\"'") == std::string_view::npos;
    if (header) return at;
    at = std::min(end, text.size() - 1) + 1;
  }
  return text.size();
}

}  // namespace

void read_toml(std::string_view text, const std::string& name, Harvest& harvest) {
  const auto report = [&](const SyntaxError& error, unsigned lines_before) {
    harvest.refuse(name, {error.at.line + lines_before, error.at.column}, "", error.reason);
  };
  if (const auto unreadable = find_unreadable(text)) return report(*unreadable, 0);

  // toml++ stops at the first syntax error. So that people see all mistakes at once, what stands before it and what
  // follows from the next section header are read on their own.
  unsigned lines_before = 0;
  for (std::size_t errors = 0; errors < kMostSyntaxErrors; ++errors) {
    const auto error = read_piece(text, lines_before, name, harvest);
    if (!error) break;
    read_piece(text.substr(0, offset_of_line(text, error->at.line)), lines_before, name, harvest);
    report(*error, lines_before);
    const std::size_t next = next_header(text, offset_of_line(text, error->at.line + 1));
    if (next >= text.size()) break;
    lines_before += position_of(text, next).line - 1;
    text.remove_prefix(next);
  }
  harvest.sort_by_position();
}

Parsed<ConfigValue> parse_toml_value(std::string_view text, ConfigKind expected) {
  const auto fail = [&] {
    return Parsed<ConfigValue>{std::nullopt, wrong_type(expected, quoted(utf8_prefix(text, 80)))};
  };
  const std::string document = fmt::format("value = {}", text);
  if (find_unreadable(document)) return fail();
  try {
    const toml::table table = toml::parse(document);
    const toml::node* node = table.get("value");
    if (table.size() != 1 || node == nullptr) return fail();
    return value_of(*node, expected);
  } catch (const toml::parse_error&) {
    return fail();
  }
}

}  // namespace outrider::config_detail
