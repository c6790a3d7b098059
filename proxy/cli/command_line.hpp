// The command line on CLI11: commands register themselves with their options and an action; mistakes become one clear
// line with the nearest command or option, and exit code 2.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace outrider::cli {

class CommandLine {
 public:
  CommandLine(std::string name, std::string description);

  CLI::App& app() { return app_; }

  // `example` stands at the end of the command's --help. The action returns the exit code.
  CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& description,
                        const std::string& example, std::function<int()> action);
  // A command that only groups others ("config show").
  CLI::App& add_group(const std::string& name, const std::string& description, const std::string& example);
  // Takes the place of a command: --version.
  void add_instead(std::string flag, const std::string& description, std::function<int()> action);

  int run(int argc, const char* const* argv);

 private:
  int explain(const CLI::ParseError& error) const;
  std::string unknown_argument(const std::string& argument) const;
  const CLI::App& deepest() const;

  CLI::App app_;
  std::function<int()> action_;
};

}  // namespace outrider::cli
