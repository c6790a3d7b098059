// The commands and options of the program as values: what completion and the manual page are made from, so that these
// never say anything else than --help.
#pragma once

#include "proxy/cli/command.hpp"

#include <string>
#include <vector>

namespace outrider::cli {

struct OptionInfo {
  std::vector<std::string> names;  // "--config", "-c"; empty: an argument by its place
  std::string value;               // what stands for it: FILE; "" = a flag
  std::string description;
  bool is_required = false;
};

struct CommandInfo {
  std::string name;
  std::string path;  // "config show"; "" of the program itself
  std::string description;
  std::string footer;  // with its examples
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> commands;
};

CommandInfo command_tree(const Command& program);

// All of them, the parents first.
std::vector<const CommandInfo*> flattened(const CommandInfo& root);

}  // namespace outrider::cli
