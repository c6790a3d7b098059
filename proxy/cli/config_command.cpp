// config show, config check, config default.
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/configuration.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/plugin_set.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <memory>

namespace outrider::cli {
namespace {

struct Options {
  ConfigOptions config;
  bool json = false;
};

struct Loaded {
  std::optional<std::filesystem::path> file;
  PluginSet plugins;  // outlives the result, which knows of their settings
  ConfigResult result;
};

Loaded load(const Options& options) {
  ConfigProblems problems;
  const auto sources = options.config.sources(problems);
  if (!sources) return {std::nullopt, {}, std::move(problems)};
  PluginSet plugins = find_plugins(*sources);
  ConfigResult result = load_config(settings_schema(plugins), *sources);
  return {sources->file, std::move(plugins), std::move(result)};
}

void show_text(const Config& config, Output& out) {
  struct Line {
    std::string setting;
    std::string source;
  };
  std::vector<Line> lines;
  std::size_t width = 0;
  const auto& sections = config.schema().sections();
  for (std::size_t s = 0; s < sections.size(); ++s) {
    for (std::size_t k = 0; k < sections[s].keys.size(); ++k) {
      const KeySchema& key = sections[s].keys[k];
      const std::string value = to_toml(shown_value(key, config.value({s, k})));
      lines.push_back({fmt::format("{} = {}", key.path, value), config.source({s, k}).to_string()});
      width = std::max(width, std::min<std::size_t>(lines.back().setting.size(), 60));
    }
  }
  for (const Line& line : lines) out.line(fmt::format("{:<{}}  # {}", line.setting, width, line.source));
}

int show(const Options& options) {
  const Loaded loaded = load(options);
  if (loaded.result.has_error()) {
    complain(loaded.result.error());
    return kUsage;
  }
  Output out;
  if (options.json) {
    out.line(boost::json::serialize(to_json(*loaded.result)));
  } else {
    show_text(*loaded.result, out);
  }
  return out.finish();
}

boost::json::object json_of(const ConfigProblem& problem) {
  return {{"source", problem.source}, {"line", problem.line},     {"column", problem.column},
          {"key", problem.key},       {"reason", problem.reason}, {"message", problem.to_string()}};
}

int check(const Options& options) {
  Loaded loaded = load(options);
  if (!loaded.result.has_error()) {
    warn_of_misspelt_plugins(*loaded.result, loaded.plugins);
    if (ConfigProblems found = check_on_this_machine(*loaded.result); !found.empty()) loaded.result = std::move(found);
  }
  const std::string file = loaded.file ? loaded.file->string() : "";
  Output out;
  if (options.json) {
    boost::json::array problems;
    if (loaded.result.has_error()) {
      for (const ConfigProblem& problem : loaded.result.error()) problems.push_back(json_of(problem));
    }
    out.line(boost::json::serialize(boost::json::object{{"file", file}, {"problems", std::move(problems)}}));
  } else if (loaded.result.has_error()) {
    complain(loaded.result.error());
  } else {
    out.line(fmt::format("the configuration is correct ({})", file.empty() ? "no file was read" : one_line(file)));
  }
  return out.finish(loaded.result.has_error() ? kUsage : kSuccess);
}

int print_default(const Options& options) {
  Output out;
  if (options.json) {
    out.line(boost::json::serialize(to_json(load_config(settings_schema(), {}).value())));
  } else {
    out.write(describe_as_toml(settings_schema()));
  }
  return out.finish();
}

}  // namespace

void add_config(CommandLine& line) {
  const Command group = line.add_group("config", "Show, check or write the configuration", "outrider config show");
  const auto add = [&](const char* name, const char* description, const char* example, int (*action)(const Options&)) {
    const auto options = std::make_shared<Options>();
    const Command command =
        line.add_command(group, name, description, example, [options, action] { return action(*options); });
    if (action != print_default) options->config.add_to(command);
    command.add_flag("--json", options->json, "Print JSON");
  };
  add("show", "Print every setting that is in effect and where it comes from",
      "OUTRIDER__LOG__LEVEL=debug outrider config show --set log.format=json", show);
  add("check", "Say what is wrong with a configuration", "outrider config check --config my.toml", check);
  add("default", "Print the default configuration with an explanation of every setting",
      "outrider config default > ~/.config/outrider/outrider.toml", print_default);
}

}  // namespace outrider::cli
