#include "proxy/cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

extern char** environ;

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& program, int code) {
  return Error{ErrorKind::io, Side::self,
               fmt::format("cannot run {}: {}", program, std::generic_category().message(code))};
}

std::vector<std::string> environment_with(const EnvironmentChanges& changes) {
  std::vector<std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    if (!changes.contains(std::string{variable.substr(0, variable.find('='))})) variables.emplace_back(variable);
  }
  for (const auto& [name, value] : changes)
    if (!value.empty()) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// `input` and `output` become the standard streams of the program; -1: ours.
Result<pid_t> spawn(std::vector<std::string> command, const EnvironmentChanges& changes, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input >= 0) posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output >= 0) {
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  }
  // What we have blocked or ignored for ourselves is not for others.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> variables = environment_with(changes);
  pid_t process = -1;
  const int code = posix_spawnp(&process, command.front().c_str(), &actions, &attributes, pointers(command).data(),
                                pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return failed(command.front(), code);
  return process;
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_code_of(status);
}

}  // namespace

int exit_code_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

std::optional<fs::path> find_program(const std::vector<std::string>& names) {
  const char* variable = std::getenv("PATH");
  const std::string_view path = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  for (const std::string& name : names) {
    for (std::size_t at = 0; at <= path.size();) {
      const std::size_t end = std::min(path.find(':', at), path.size());
      const fs::path file = fs::path{path.substr(at, end - at)} / name;
      std::error_code ignored;
      if (end > at && ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, ignored)) return file;
      at = end + 1;
    }
  }
  return std::nullopt;
}

Result<Ended> run_program(const std::vector<std::string>& command) {
  std::array<int, 2> output{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return failed(command.front(), errno);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const Result<pid_t> process = spawn(command, {}, nothing, output[1]);
  ::close(output[1]);
  if (nothing >= 0) ::close(nothing);
  Ended ended;
  std::array<char, 4096> buffer;
  while (process) {
    const ssize_t got = ::read(output[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    ended.output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(output[0]);
  if (!process) return process.error();
  ended.code = wait_for(*process);
  return ended;
}

Result<int> run_on_terminal(const std::vector<std::string>& command) {
  const Result<pid_t> process = spawn(command, {}, -1, -1);
  if (!process) return process.error();
  return wait_for(*process);
}

Result<pid_t> start_program(const std::vector<std::string>& command, const EnvironmentChanges& environment) {
  return spawn(command, environment, -1, -1);
}

}  // namespace outrider::cli
