#include "tests/support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace outrider::testing_support {
namespace {

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (std::string& text : strings) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  void open(int fd, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&actions_, fd, path.c_str(), flags, 0600);
  }
  void use(int from, int as) { posix_spawn_file_actions_adddup2(&actions_, from, as); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

int spawn(const std::string& program, const std::vector<std::string>& arguments, FileActions& actions,
          char** environment) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv = pointers(words);
  pid_t pid = -1;
  if (posix_spawn(&pid, program.c_str(), actions.get(), nullptr, argv.data(), environment) != 0) {
    throw std::runtime_error("cannot start " + program);
  }
  return pid;
}

int wait_for(int pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const ProcessOptions& options) {
  // Files instead of pipes: nothing can block, however much is said.
  const TemporaryDirectory files;
  const std::string in = files.write("in", options.input);
  const std::string out = options.stdout_path.empty() ? (files.path() / "out").string() : options.stdout_path;
  const std::string err = files.path() / "err";
  FileActions actions;
  actions.open(0, in, O_RDONLY);
  actions.open(1, out, O_WRONLY | O_CREAT);
  actions.open(2, err, O_WRONLY | O_CREAT);

  std::vector<std::string> variables;
  for (const auto& [name, value] : options.environment) variables.push_back(name + "=" + value);
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  std::vector<char*> environment = pointers(variables);

  ProcessResult result;
  result.exit_code = wait_for(spawn(program, arguments, actions, environment.data()));
  if (options.stdout_path.empty()) result.out = read_text(out);
  result.err = read_text(err);
  return result;
}

CoProcess::CoProcess(const std::string& program, const std::vector<std::string>& arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  FileActions actions;
  actions.use(in[0], 0);
  actions.use(out[1], 1);
  pid_ = spawn(program, arguments, actions, environ);
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

CoProcess::~CoProcess() {
  close_input();
  close_output();
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait_for(pid_);
  }
}

void CoProcess::write(std::string_view text) {
  if (::write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("cannot write");
}

std::string CoProcess::read_line() {
  std::string line;
  while (true) {
    pollfd waiting{from_, POLLIN, 0};
    char c = 0;
    if (poll(&waiting, 1, 10'000) <= 0 || ::read(from_, &c, 1) != 1) return {};
    if (c == '\n') return line;
    line += c;
  }
}

void CoProcess::close_input() {
  if (to_ >= 0) ::close(to_);
  to_ = -1;
}

void CoProcess::close_output() {
  if (from_ >= 0) ::close(from_);
  from_ = -1;
}

int CoProcess::wait() {
  const int code = wait_for(pid_);
  pid_ = -1;
  return code;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "outrider-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryDirectory::write(const std::string& name, std::string_view content) const {
  const auto file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace outrider::testing_support
