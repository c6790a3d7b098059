// outrider man: the manual page, for man(1).
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/command_tree.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/version.hpp"

#include <fmt/format.h>

namespace outrider::cli {
namespace {

// Text for roff: a backslash, a dot at the beginning of a line, and dashes that are to stay as they are.
std::string roff(std::string_view text) {
  std::string out;
  bool at_begin = true;
  for (const char c : text) {
    if (at_begin && (c == '.' || c == '\'')) out += "\\&";
    at_begin = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string usage(const CommandInfo& command) {
  std::string text = fmt::format(".B outrider{}{}\n", command.path.empty() ? "" : " ", roff(command.path));
  if (!command.commands.empty()) text += ".I COMMAND\n";
  for (const OptionInfo& option : command.options)
    if (option.names.empty())
      text += option.is_required ? fmt::format(".I {}\n", roff(option.value))
                                 : fmt::format("[\\fI{}\\fR]\n", roff(option.value));
  text += "[\\fIoptions\\fR]\n";
  return text;
}

std::string options_of(const CommandInfo& command) {
  std::string text;
  for (const OptionInfo& option : command.options) {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
    if (!option.value.empty()) names += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", roff(option.value));
    text += fmt::format(".TP\n{}\n{}\n", names, roff(option.description));
  }
  return text;
}

// "Example:\n  outrider …": as it is.
std::string examples_of(const CommandInfo& command) {
  if (command.footer.empty()) return {};
  return ".PP\n.nf\n" + roff(command.footer) + "\n.fi\n";
}

std::string page(const CommandInfo& root) {
  std::string text = fmt::format(
      ".TH OUTRIDER 1 \"\" \"Outrider {}\" \"User Commands\"\n"
      ".SH NAME\noutrider \\- {}\n"
      ".SH SYNOPSIS\n{}"
      ".SH DESCRIPTION\n"
      "Outrider is a forward proxy that a browser is pointed at, a memory of what passed through it, and a robot that "
      "loads "
      "pages before the reader asks. \\fBoutrider serve\\fR starts it; the address that it prints opens the monitor. "
      "The other "
      "commands ask a running Outrider, or look at what it has stored.\n"
      ".SH OPTIONS\n{}{}"
      ".SH COMMANDS\n",
      version(), roff("caching forward proxy with a robot inside"), usage(root), options_of(root), examples_of(root));
  for (const CommandInfo* command : flattened(root)) {
    if (command->path.empty() || !command->commands.empty()) continue;
    text += fmt::format(".SS outrider {}\n{}\n.PP\n{}{}{}", roff(command->path), roff(command->description) + ".",
                        usage(*command), options_of(*command), examples_of(*command));
  }
  text +=
      ".SH EXIT STATUS\n0: it worked. 1: it was meant well, but did not work. 2: a wrong option, key or value.\n"
      ".SH FILES\n.TP\n\\fI~/.local/share/outrider\\fR\nEverything that Outrider remembers, and the tokens of its "
      "API.\n";
  return text;
}

}  // namespace

void add_man(CommandLine& line) {
  line.add_command(line.app(), "man", "Print the manual page", "outrider man | man -l -", [program = line.app()] {
    Output out;
    out.write(page(command_tree(program)));
    return out.finish();
  });
}

}  // namespace outrider::cli
