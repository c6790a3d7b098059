#include "tests/support/running_outrider.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace outrider::testing {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in{path};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

RunningOutrider::RunningOutrider(const std::vector<std::string>& arguments) : arguments_(arguments) {
  std::string pattern = (std::filesystem::temp_directory_path() / "outrider-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  directory_ = pattern;
  start();
}

void RunningOutrider::start_again() {
  start();
}

void RunningOutrider::start_again(std::vector<std::string> arguments) {
  arguments_ = std::move(arguments);
  start();
}

void RunningOutrider::start() {
  const std::string ready = directory_ + "/ready.json";
  std::filesystem::remove(ready);  // of one that was killed
  std::vector<std::string> all = {OUTRIDER_BINARY, "serve", "--data",   directory_ + "/data",
                                  "--ready-file",  ready,   "--config", "/dev/null"};
  all.insert(all.end(), {"--set", "proxy.listen=127.0.0.1:0"});  // unless a test says otherwise
  all.insert(all.end(), {"--set", "plugins.off=hyperscout"});    // pages as they come, unless a test says otherwise
  all.insert(all.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> argv;
  for (std::string& argument : all) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string log = directory_ + "/output";
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int failed = ::posix_spawn(&pid_, OUTRIDER_BINARY, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " OUTRIDER_BINARY);

  for (int i = 0; i < 3000 && !std::filesystem::exists(ready); ++i) {
    if (!alive()) throw std::runtime_error("outrider ended at once: " + output());
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  const std::string text = read_file(ready);
  if (text.empty()) throw std::runtime_error("outrider is not ready after 30 s: " + output());
  const std::string listen{boost::json::parse(text).at("listen").as_string()};
  port_ = static_cast<std::uint16_t>(std::stoi(listen.substr(listen.rfind(':') + 1)));
}

RunningOutrider::~RunningOutrider() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string RunningOutrider::output() const {
  return read_file(directory_ + "/output");
}

bool RunningOutrider::alive() const {
  if (pid_ <= 0) return false;
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

void RunningOutrider::signal(int number) const {
  ::kill(pid_, number);
}

int RunningOutrider::stop() {
  if (pid_ <= 0) return 0;
  ::kill(pid_, SIGTERM);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::size_t RunningOutrider::resident_kilobytes() const {
  std::ifstream in{"/proc/" + std::to_string(pid_) + "/status"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  return 0;
}

}  // namespace outrider::testing
