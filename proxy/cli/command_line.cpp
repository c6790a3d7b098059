#include "proxy/cli/command_line.hpp"

#include "base/escape.hpp"
#include "base/nearest.hpp"
#include "proxy/cli/output.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

namespace outrider::cli {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "outrider config show"
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string wrong_count(const CLI::ParseError& error) {
  const std::string_view what = error.what();  // "--config: At Most 1 required but received 2"
  const std::string_view option = what.substr(0, what.find(':'));
  const bool too_many = what.find("received") != std::string_view::npos;
  return fmt::format("{} {}", option, too_many ? "may be given only once" : "needs a value");
}

// The command that was named last.
const CLI::App& deepest(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

std::string unknown_argument(const CLI::App& at, const std::string& argument) {
  const std::string shown = quoted(utf8_prefix(argument, 80));
  if (argument.starts_with("-") && argument != "-") {
    return fmt::format("unknown option {}{}", shown,
                       suggestion(argument.substr(0, argument.find('=')), option_names(at)));
  }
  const auto commands = command_names(at);
  if (commands.empty()) return fmt::format("unexpected argument {}", shown);
  return fmt::format("unknown command {}{}", shown, suggestion(argument, commands));
}

// "search red -house --limit 5" becomes "search --limit 5 -- red -house": CLI11 takes whatever begins with a dash for
// an option, but for what stands behind "--".
std::vector<std::string> words_last(const CLI::App& command, const std::vector<std::string>& line) {
  std::vector<std::string> options{line.front()}, words;
  for (auto at = line.begin() + 1; at != line.end(); ++at) {
    if (*at == "--") {
      words.insert(words.end(), at + 1, line.end());
      break;
    }
    const bool is_long = at->starts_with("--");
    const std::string name = at->substr(0, at->find('='));
    const CLI::Option* option = is_long ? command.get_option_no_throw(name) : nullptr;
    const bool may_be_option = words.empty() && (is_long || *at == "-h");
    if (option == nullptr && !may_be_option) {
      words.push_back(*at);
      continue;
    }
    options.push_back(*at);
    const bool value_follows = option != nullptr && option->get_items_expected_max() > 0 && name == *at;
    if (value_follows && at + 1 != line.end()) options.push_back(*++at);
  }
  if (words.empty()) return options;
  options.emplace_back("--");
  options.insert(options.end(), words.begin(), words.end());
  return options;
}

int explain(const CLI::App& app, const CLI::ParseError& error) {
  std::vector<std::string> unknown = app.remaining(true);
  std::erase(unknown, "--");  // only a mark
  std::string reason = error.what();
  if (!unknown.empty()) {
    reason = unknown_argument(deepest(app), unknown.front());
  } else if (error.get_name() == "ArgumentMismatch") {
    reason = wrong_count(error);
  }
  complain(fmt::format("{} (see {} --help)", reason, full_name(deepest(app))));
  return kUsage;
}

}  // namespace

CommandLine::CommandLine(std::string name, std::string description)
    : app_(std::make_unique<CLI::App>(std::move(description), std::move(name))) {
  app_->get_formatter()->column_width(28);
  app_->get_formatter()->label("SUBCOMMAND", "COMMAND");
  app_->get_formatter()->label("OPTIONS", "options");
  app_->set_help_flag("-h,--help", "Explain the command");
  app_->require_subcommand(0, 1);
  app_->footer(
      "Examples:\n"
      "  outrider serve                          start with the defaults, then set 127.0.0.1:8282 as the browser's "
      "proxy\n"
      "  outrider browser                        try it: a fresh browser that uses and trusts Outrider\n"
      "  outrider serve --config my.toml         start with a configuration\n"
      "  outrider config default > my.toml       write a configuration to edit\n"
      "  outrider COMMAND --help                 explain a command");
}

CommandLine::~CommandLine() = default;

Command CommandLine::app() const {
  return Command{*app_};
}

Command CommandLine::add_command(const Command& parent, const std::string& name, const std::string& description,
                                 const std::string& example, std::function<int()> action) {
  CLI::App* command = parent.app().add_subcommand(name, description);
  command->group("Commands");
  command->footer("Example:\n  " + example);
  command->final_callback([this, action = std::move(action)] { action_ = action; });
  return Command{*command};
}

Command CommandLine::add_group(const std::string& name, const std::string& description, const std::string& example) {
  CLI::App* group = app_->add_subcommand(name, description);
  group->group("Commands");
  group->footer("Example:\n  " + example);
  group->require_subcommand(0, 1);  // none is explained by run()
  return Command{*group};
}

void CommandLine::add_instead(std::string flag, const std::string& description, std::function<int()> action) {
  app_->add_flag_callback(
      std::move(flag), [this, action = std::move(action)] { action_ = action; }, description);
}

int CommandLine::run(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (with_dashed_words_ != nullptr && !words.empty() && words.front() == with_dashed_words_->get_name())
    words = words_last(*with_dashed_words_, words);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    Output out;
    const CLI::App* parent = deepest(*app_).get_parent();
    out.write(deepest(*app_).help(parent == nullptr ? "" : full_name(*parent)));
    return out.finish();
  } catch (const CLI::ParseError& error) {
    return explain(*app_, error);
  }
  if (action_) return action_();
  complain(fmt::format("a command is missing: {} (see {} --help)", fmt::join(command_names(deepest(*app_)), ", "),
                       full_name(deepest(*app_))));
  return kUsage;
}

}  // namespace outrider::cli
