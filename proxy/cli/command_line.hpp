// The command line on CLI11: commands register themselves with their options and an action; mistakes become one clear
// line with the nearest command or option, and exit code 2.
#pragma once

#include "proxy/cli/command.hpp"

#include <functional>
#include <memory>
#include <string>

namespace outrider::cli {

class CommandLine {
 public:
  CommandLine(std::string name, std::string description);
  ~CommandLine();

  Command app() const;  // the program itself

  // `example` stands at the end of the command's --help. The action returns the exit code.
  Command add_command(const Command& parent, const std::string& name, const std::string& description,
                      const std::string& example, std::function<int()> action);
  // A command that only groups others ("config show").
  Command add_group(const std::string& name, const std::string& description, const std::string& example);
  // From its first word on, this command takes for a word what is none of its long options: search red -house.
  void take_dashed_words(const Command& command) { with_dashed_words_ = &command.app(); }
  // Takes the place of a command: --version.
  void add_instead(std::string flag, const std::string& description, std::function<int()> action);

  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
  const CLI::App* with_dashed_words_ = nullptr;  // a command, not one of a group
  std::function<int()> action_;
};

}  // namespace outrider::cli
