// One command of the command line, and its options: all of CLI11 that commands need, without CLI11. Its header compiles
// for ten seconds in every file that includes it; behind this one it does so once.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace outrider::cli {

class CommandOption {
 public:
  explicit CommandOption(CLI::Option& option) : option_(&option) {}
  CommandOption option_text(std::string text) const;  // what stands for the value in --help: FILE
  CommandOption required() const;
  CommandOption among(std::vector<std::string> values) const;  // one of these
  CommandOption one_at_a_time() const;                         // each value needs the name of the option before it
  CommandOption separated_by(char separator) const;            // several values in one
  CommandOption at_least_one() const;                          // a number
  // `problem` says what is wrong with a value; "" if nothing is.
  CommandOption checked(std::string (*problem)(const std::string& value)) const;
  bool given() const;  // once the line has been read

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}
  // `name` without dashes: by its place. T is one of those at the end of command.cpp.
  template <class T>
  CommandOption add_option(const std::string& name, T& into, const std::string& description) const;
  CommandOption add_flag(const std::string& name, bool& into, const std::string& description) const;
  void add_footer(const std::string& text) const;  // behind the example
  CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

}  // namespace outrider::cli
