// Other programs that a command needs: found on the PATH, started without a shell in between.
#pragma once

#include "base/error.hpp"

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace outrider::cli {

// The first of these programs that exists.
std::optional<std::filesystem::path> find_program(const std::vector<std::string>& names);

struct Ended {
  int code = 0;        // of the exit; 128 + signal if a signal ended it
  std::string output;  // what it wrote to standard output and standard error, mixed
};
// Runs it to its end; it gets nothing on standard input.
Result<Ended> run_program(const std::vector<std::string>& command);
// The same with the terminal of the person: for programs that ask for a password (sudo). Returns the exit code.
Result<int> run_on_terminal(const std::vector<std::string>& command);

// Starts it and goes on. `environment`: variables that differ from ours; an empty value unsets one.
using EnvironmentChanges = std::map<std::string, std::string>;
Result<pid_t> start_program(const std::vector<std::string>& command, const EnvironmentChanges& environment);

int exit_code_of(int wait_status);

}  // namespace outrider::cli
