// The configuration explained: the annotated default file and the JSON form.
#include "base/config.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

constexpr std::size_t kWidth = 100;

// "# " before each line, broken between words.
void append_comment(std::string& out, std::string_view text) {
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (word.empty()) continue;
    if (column > 0 && column + 1 + word.size() > kWidth) {
      out += '\n';
      column = 0;
    }
    out += column == 0 ? "# " : " ";
    column += (column == 0 ? 2 : 1) + word.size();
    out += word;
  }
  if (column > 0) out += '\n';
}

std::string facts(const KeySchema& key) {
  std::string text;
  const auto add = [&](std::string_view fact) { text += (text.empty() ? "" : "; ") + std::string(fact); };
  if (!key.choices.empty()) add(fmt::format("One of {}", fmt::join(key.choices, ", ")));
  if (!key.rule.empty()) add(fmt::format("{}{}", key.choices.empty() ? "Allowed: " : "allowed: ", key.rule));
  if (key.change == Change::needs_restart)
    add(text.empty() ? "Takes effect after a restart" : "takes effect after a restart");
  return text.empty() ? text : text + ".";
}

boost::json::value json_of(const ConfigValue& value) {
  struct Writer {
    boost::json::value operator()(bool v) const { return v; }
    boost::json::value operator()(std::int64_t v) const { return v; }
    boost::json::value operator()(double v) const { return v; }
    boost::json::value operator()(const std::string& v) const { return boost::json::string(v); }
    boost::json::value operator()(const std::vector<std::string>& v) const {
      return boost::json::array(v.begin(), v.end());
    }
  };
  return std::visit(Writer{}, value);
}

}  // namespace

std::string describe_as_toml(const ConfigSchema& schema) {
  std::string out =
      "# Outrider: every setting with its default. Remove the # before a line to change it.\n"
      "#\n"
      "# Durations are written \"250ms\", \"10s\", \"5m\", \"2h\", \"1d\"; sizes \"64KiB\", \"10MB\", \"1GiB\".\n"
      "# A setting can also come from the environment (OUTRIDER__LOG__LEVEL=debug) or from the command\n"
      "# line (--set log.level=debug); the command line wins over the environment, that over this file.\n"
      "# `outrider config show` prints what is in effect and where it comes from.\n";
  for (const SectionInfo& section : schema.sections()) {
    out += '\n';
    append_comment(out, section.comment);
    out += fmt::format("[{}]\n", section.path);
    const std::shared_ptr<void> defaults = section.make();
    for (const KeySchema& key : section.keys) {
      out += '\n';
      append_comment(out, key.comment);
      append_comment(out, facts(key));
      out += fmt::format("#{} = {}\n", key.name, to_toml(key.show(defaults.get())));
    }
  }
  return out;
}

boost::json::value to_json(const Config& config) {
  boost::json::object all;
  const auto& sections = config.schema().sections();
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const std::shared_ptr<void> defaults = sections[s].make();
    for (std::size_t k = 0; k < sections[s].keys.size(); ++k) {
      const KeySchema& key = sections[s].keys[k];
      boost::json::object entry;
      entry["value"] = json_of(shown_value(key, config.value({s, k})));
      entry["default"] = json_of(shown_value(key, key.show(defaults.get())));
      entry["source"] = config.source({s, k}).to_string();
      entry["description"] = key.comment;
      entry["type"] = to_string(key.kind);
      entry["change"] = key.change == Change::live ? "live" : "restart";
      entry["environment"] = key.environment_name();
      entry["secret"] = key.secret;
      if (!key.rule.empty()) entry["allowed"] = key.rule;
      if (!key.choices.empty()) entry["choices"] = boost::json::array(key.choices.begin(), key.choices.end());
      all[key.path] = std::move(entry);
    }
  }
  return all;
}

}  // namespace outrider
