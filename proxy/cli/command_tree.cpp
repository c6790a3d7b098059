#include "proxy/cli/command_tree.hpp"

#include <CLI/CLI.hpp>

namespace outrider::cli {
namespace {

OptionInfo info_of(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  info.description = option.get_description();
  info.is_required = option.get_required();
  if (option.get_items_expected_max() > 0) info.value = option.get_option_text();
  if (option.get_items_expected_max() > 0 && info.value.empty())
    info.value = option.get_positional() ? option.get_name() : "VALUE";
  return info;
}

CommandInfo info_of(const CLI::App& app, const std::string& path) {
  CommandInfo info;
  info.name = app.get_name();
  info.path = path;
  info.description = app.get_description();
  info.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) info.options.push_back(info_of(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    info.commands.push_back(info_of(*command, path.empty() ? command->get_name() : path + " " + command->get_name()));
  return info;
}

void flatten(const CommandInfo& info, std::vector<const CommandInfo*>& all) {
  all.push_back(&info);
  for (const CommandInfo& command : info.commands) flatten(command, all);
}

}  // namespace

CommandInfo command_tree(const Command& program) {
  return info_of(program.app(), "");
}

std::vector<const CommandInfo*> flattened(const CommandInfo& root) {
  std::vector<const CommandInfo*> all;
  flatten(root, all);
  return all;
}

}  // namespace outrider::cli
