// completion bash, zsh, fish: what a shell needs to finish a word of ours.
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/command_tree.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace outrider::cli {
namespace {

bool names_a_file(const OptionInfo& option) {
  return option.value == "FILE" || option.value == "DIR";
}

std::string words_of(const CommandInfo& command) {
  std::string words;
  for (const CommandInfo& below : command.commands) words += below.name + " ";
  for (const OptionInfo& option : command.options)
    for (const std::string& name : option.names) words += name + " ";
  if (!words.empty()) words.pop_back();
  return words;
}

std::string file_options(const CommandInfo& root) {
  std::vector<std::string> names;
  for (const CommandInfo* command : flattened(root))
    for (const OptionInfo& option : command->options)
      if (names_a_file(option)) names.insert(names.end(), option.names.begin(), option.names.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("{}", fmt::join(names, "|"));
}

// The words before the one that is typed are walked down the tree of commands.
std::string bash(const CommandInfo& root) {
  std::string groups, cases;
  for (const CommandInfo* command : flattened(root)) {
    for (const CommandInfo& below : command->commands)
      groups += fmt::format("      \"{}{}\") path=\"{}\" ;;\n", command->path.empty() ? "" : command->path + " ",
                            below.name, below.path);
    cases += fmt::format("    \"{}\") words=\"{}\" ;;\n", command->path, words_of(*command));
  }
  return fmt::format(
      "# Completion of outrider for bash: outrider completion bash > "
      "~/.local/share/bash-completion/completions/outrider\n"
      "_outrider() {{\n"
      "  local path=\"\" words=\"\" word i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    word=\"${{COMP_WORDS[i]}}\"\n"
      "    case \"${{path:+$path }}$word\" in\n"
      "{}"
      "    esac\n"
      "  done\n"
      "  case \"${{COMP_WORDS[COMP_CWORD-1]}}\" in\n"
      "    {}) mapfile -t COMPREPLY < <(compgen -f -- \"${{COMP_WORDS[COMP_CWORD]}}\"); return ;;\n"
      "  esac\n"
      "  case \"$path\" in\n"
      "{}"
      "  esac\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\")\n"
      "}}\n"
      "complete -F _outrider outrider\n",
      groups, file_options(root), cases);
}

// For text between single quotes.
std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// _describe wants "word:what it is"; a colon inside is escaped.
std::string described(std::string_view word, std::string_view description) {
  std::string text;
  for (const char c : description) {
    if (c == ':') text += '\\';
    text += c;
  }
  return single_quoted(std::string{word} + ":" + text);
}

std::string zsh(const CommandInfo& root) {
  std::string groups, cases;
  for (const CommandInfo* command : flattened(root)) {
    std::string list;
    for (const CommandInfo& below : command->commands) {
      groups += fmt::format("      {}) path_so_far={} ;;\n",
                            single_quoted((command->path.empty() ? "" : command->path + " ") + below.name),
                            single_quoted(below.path));
      list += " " + described(below.name, below.description);
    }
    for (const OptionInfo& option : command->options)
      for (const std::string& name : option.names) list += " " + described(name, option.description);
    cases += fmt::format("    {}) entries=({} ) ;;\n", single_quoted(command->path), list);
  }
  return fmt::format(
      "#compdef outrider\n"
      "# Completion of outrider for zsh: outrider completion zsh > a folder of $fpath, as _outrider\n"
      "_outrider() {{\n"
      "  local path_so_far='' word\n"
      "  local -a entries\n"
      "  for word in \"${{words[@]:1:$((CURRENT-2))}}\"; do\n"
      "    case \"${{path_so_far:+$path_so_far }}$word\" in\n"
      "{}"
      "    esac\n"
      "  done\n"
      "  case \"${{words[CURRENT-1]}}\" in\n"
      "    {}) _files; return ;;\n"
      "  esac\n"
      "  case \"$path_so_far\" in\n"
      "{}"
      "  esac\n"
      "  _describe 'outrider' entries\n"
      "}}\n"
      "_outrider \"$@\"\n",
      groups, file_options(root), cases);
}

std::string fish(const CommandInfo& root) {
  std::string lines =
      "# Completion of outrider for fish: outrider completion fish > ~/.config/fish/completions/outrider.fish\n"
      "function __outrider_at\n"
      "  set -l words (commandline -opc)[2..-1]\n"
      "  set -l named (string match -v -- '-*' $words)\n"
      "  set -l path (string split ' ' -- $argv[1])\n"
      "  test \"$argv[1]\" = '' && test (count $named) -eq 0 && return 0\n"
      "  test \"$argv[1]\" != '' || return 1\n"
      "  test (count $named) -ge (count $path) && test \"$named[1..\"(count $path)\"]\" = \"$argv[1]\"\n"
      "end\n"
      "complete -c outrider -f\n";
  for (const CommandInfo* command : flattened(root)) {
    const std::string condition = single_quoted("__outrider_at " + single_quoted(command->path));
    for (const CommandInfo& below : command->commands)
      lines += fmt::format("complete -c outrider -n {} -a {} -d {}\n", condition, below.name,
                           single_quoted(below.description));
    for (const OptionInfo& option : command->options) {
      if (option.names.empty()) continue;
      std::string names;
      for (const std::string& name : option.names)
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      lines +=
          fmt::format("complete -c outrider -n {}{}{}{} -d {}\n", condition, names, option.value.empty() ? "" : " -r",
                      names_a_file(option) ? " -F" : "", single_quoted(option.description));
    }
  }
  return lines;
}

}  // namespace

void add_completion(CommandLine& line) {
  const Command group =
      line.add_group("completion", "Print what a shell needs to finish words of ours",
                     "outrider completion bash > ~/.local/share/bash-completion/completions/outrider");
  const auto add = [&](const char* shell, std::string (*made)(const CommandInfo&)) {
    line.add_command(group, shell, fmt::format("For {}", shell), fmt::format("outrider completion {}", shell),
                     [program = line.app(), made] {
                       Output out;
                       out.write(made(command_tree(program)));
                       return out.finish();
                     });
  };
  add("bash", bash);
  add("zsh", zsh);
  add("fish", fish);
}

}  // namespace outrider::cli
