#include "base/config_schema.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace outrider {
namespace {

[[noreturn]] void bug(const std::string& what) {
  throw std::logic_error("configuration schema: " + what);
}

// [a-z][a-z0-9_]*, without "__" and a final "_": these would be ambiguous in the name of an environment variable.
bool is_name(std::string_view name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z' || name.back() == '_') return false;
  for (const char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return name.find("__") == std::string_view::npos;
}

bool is_section_path(std::string_view path) {
  while (true) {
    const std::size_t dot = path.find('.');
    if (!is_name(path.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    path.remove_prefix(dot + 1);
  }
}

bool is_below(std::string_view path, std::string_view parent) {
  return path.size() > parent.size() && path.starts_with(parent) && path[parent.size()] == '.';
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

}  // namespace

std::string KeySchema::environment_name() const {
  std::string variable = "OUTRIDER__";
  for (const char c : path) {
    if (c == '.') {
      variable += "__";
    } else {
      variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return variable;
}

void ConfigSchema::add(SectionInfo info) {
  if (!is_section_path(info.path)) bug(fmt::format("bad section name {}", info.path));
  for (const SectionInfo& other : sections_) {
    if (other.path == info.path || other.type == info.type) bug(fmt::format("section {} added twice", info.path));
    for (const KeySchema& key : other.keys) {
      if (key.path == info.path || is_below(info.path, key.path))
        bug(fmt::format("{} is a key and a section", key.path));
    }
  }
  const std::shared_ptr<void> defaults = info.make();
  for (std::size_t i = 0; i < info.keys.size(); ++i) {
    const KeySchema& key = info.keys[i];
    if (!is_name(key.name)) bug(fmt::format("bad key name {}", key.path));
    if (is_section(key.path)) bug(fmt::format("{} is a key and a section", key.path));
    if (!is_plain_text(key.comment) || key.comment.empty()) bug(fmt::format("{} needs a one-line comment", key.path));
    for (std::size_t j = 0; j < i; ++j) {
      if (info.keys[j].name == key.name) bug(fmt::format("key {} described twice", key.path));
    }
    if (const auto refusal = key.assign(defaults.get(), key.show(defaults.get()))) {
      bug(fmt::format("default of {}: {}", key.path, *refusal));
    }
  }
  if (info.check) {
    if (const auto refusal = info.check(defaults.get())) bug(fmt::format("defaults of {}: {}", info.path, *refusal));
  }
  sections_.push_back(std::move(info));
}

KeySchema& ConfigSchema::key_at(std::string_view path) {
  const auto place = find(path);
  if (!place) bug(fmt::format("there is no key {}", path));
  return sections_[place->section].keys[place->key];
}

std::optional<ConfigSchema::Place> ConfigSchema::find(std::string_view path) const {
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    if (!is_below(path, sections_[s].path)) continue;
    for (std::size_t k = 0; k < sections_[s].keys.size(); ++k) {
      if (sections_[s].keys[k].path == path) return Place{s, k};
    }
  }
  return std::nullopt;
}

bool ConfigSchema::is_section(std::string_view path) const {
  for (const SectionInfo& section : sections_) {
    if (section.path == path || is_below(section.path, path)) return true;
  }
  return false;
}

std::string ConfigSchema::suggest_key(std::string_view path) const {
  constexpr std::size_t kLongest = 128;  // the distance is quadratic
  std::vector<std::string> known;
  const std::string* same_name =
      nullptr;  // the right name in the wrong section is a likelier slip than any misspelling
  for (const SectionInfo& section : sections_) {
    for (const KeySchema& key : section.keys) {
      known.push_back(key.path);
      if (path.size() > kLongest || key.name != last_part(path)) continue;
      if (same_name == nullptr || edit_distance(path, key.path) < edit_distance(path, *same_name))
        same_name = &key.path;
    }
  }
  if (same_name != nullptr) return fmt::format(", did you mean \"{}\"?", *same_name);
  return suggestion(path, known);
}

std::string ConfigSchema::suggest_section(std::string_view path) const {
  std::vector<std::string> known;
  for (const SectionInfo& section : sections_) known.push_back(section.path);
  return suggestion(path, known);
}

}  // namespace outrider
