// browser: the trial in one command. A fresh browser that uses and trusts Outrider; if none is running, one is started
// for as long as the browser is open.
#include "base/escape.hpp"
#include "base/parent_proxy.hpp"
#include "proxy/cli/authority_source.hpp"
#include "proxy/cli/browser_profile.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/plain_request.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  AuthoritySource source;
  std::optional<std::string> address;
  std::vector<std::string> words;  // kind of browser, then addresses
  std::vector<std::string> with;
  bool keep = false;
};

Error failure(std::string detail) {
  return Error{ErrorKind::io, Side::self, std::move(detail)};
}

// Signals and the ends of children are fetched, so that whatever happens, what was started is ended and removed.
class Children {
 public:
  Children() {
    sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  // Until `process` has ended; asked to stop, it is asked in turn. The exit code.
  int wait_for(pid_t process) const {
    for (;;) {
      int status = 0;
      const pid_t ended = ::waitpid(process, &status, WNOHANG);
      if (ended == process || ended < 0) return exit_code_of(status);
      int signal = 0;
      if (sigwait(&set_, &signal) == 0 && signal != SIGCHLD) ::kill(process, SIGTERM);
    }
  }
  // True: it has ended before the file was there.
  static bool ended_before(pid_t process, const fs::path& file) {
    const timespec pause{0, 20'000'000};
    for (int i = 0; i < 1500; ++i) {  // 30 s
      std::error_code ignored;
      if (fs::exists(file, ignored)) return false;
      if (::waitpid(process, nullptr, WNOHANG) == process) return true;
      ::nanosleep(&pause, nullptr);
    }
    ::kill(process, SIGTERM);
    ::waitpid(process, nullptr, 0);
    return true;
  }

 private:
  sigset_t set_{};
};

// A folder for the profile, for its owner only; gone with this object unless it is to be kept.
class Scratch {
 public:
  static Result<Scratch> make(const fs::path& parent, bool keep) {
    std::error_code problem;
    fs::create_directory(parent, problem);
    fs::permissions(parent, fs::perms::owner_all, problem);
    std::string name = (parent / "XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      return failure(
          fmt::format("cannot create a profile in {}: {}", parent.string(), std::generic_category().message(errno)));
    return Scratch{name, keep};
  }
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, {})), keep_(other.keep_) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty() && !keep_) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  Scratch(fs::path path, bool keep) : path_(std::move(path)), keep_(keep) {}
  fs::path path_;
  bool keep_;
};

// An Outrider of our own, asked to stop when this object goes.
struct OwnServer {
  pid_t process = -1;
  ListenAddress address;
  OwnServer() = default;
  OwnServer(OwnServer&& other) noexcept
      : process(std::exchange(other.process, -1)), address(std::move(other.address)) {}
  OwnServer& operator=(OwnServer&&) = delete;
  ~OwnServer() {
    if (process < 0) return;
    ::kill(process, SIGTERM);
    ::kill(process, SIGTERM);  // at once: nobody is left to wait for
    ::waitpid(process, nullptr, 0);
  }
};

Result<OwnServer> start_server(const Options& options, const ListenAddress& address, const fs::path& scratch) {
  const fs::path ready_file = scratch / "ready.json";
  std::vector<std::string> command = {"/proc/self/exe", "serve",
                                      "--listen",       outrider::authority(address.host, address.port),
                                      "--ready-file",   ready_file.string()};
  for (std::string& argument : options.source.arguments()) command.push_back(std::move(argument));
  OwnServer server;
  const Result<pid_t> process = start_program(command, {});
  if (!process) return process.error();
  if (Children::ended_before(*process, ready_file)) return failure("outrider serve did not start");
  server.process = *process;
  std::ifstream in{ready_file};
  boost::system::error_code wrong;
  const boost::json::value ready = boost::json::parse(in, wrong);
  if (wrong) return failure("outrider serve did not say where it listens");
  Result<ListenAddress> listens = parse_listen_address(std::string_view{ready.at("listen").as_string()});
  if (!listens) return listens.error();
  server.address = reachable(*listens);
  return server;
}

// Nobody but the Outrider of this data directory: to trust another one would be to trust whoever runs it.
Result<void> check_same(const ListenAddress& address, const Authority& authority) {
  const Result<PlainAnswer> answer = plain_get(address, "/ca.pem");
  if (!answer) return answer.error();
  if (answer->status == 200 && answer->body == authority.pem()) return {};
  return failure(
      fmt::format("what runs at {} is not the Outrider of this data directory; say which is, with --data, or "
                  "where it listens, with --address",
                  outrider::authority(address.host, address.port)));
}

struct Wanted {
  BrowserKind kind;
  fs::path program;
  std::vector<std::string> urls;
};

Result<Wanted> wanted_browser(const std::vector<std::string>& words) {
  const auto found = [&](BrowserKind kind, std::size_t used) -> Result<Wanted> {
    const auto program = find_browser(kind);
    if (!program)
      return failure(fmt::format("{} is not installed", kind == BrowserKind::firefox ? "Firefox" : "Chromium"));
    Wanted wanted{kind, *program, {words.begin() + static_cast<std::ptrdiff_t>(used), words.end()}};
    if (wanted.urls.empty()) wanted.urls.emplace_back("http://outrider.internal/");
    return wanted;
  };
  for (const std::string& word : words)
    if (word.starts_with('-'))
      return Error{ErrorKind::invalid_argument, Side::self,
                   fmt::format("{} is not an address; options for the browser are given as --with={}",
                               outrider::quoted(word), word)};
  if (!words.empty() && words.front() == "chromium") return found(BrowserKind::chromium, 1);
  if (!words.empty() && words.front() == "firefox") return found(BrowserKind::firefox, 1);
  if (!words.empty() && words.front().find_first_of(".:/") == std::string::npos)
    return Error{ErrorKind::invalid_argument, Side::self,
                 fmt::format("{} is neither chromium nor firefox, nor an address", outrider::quoted(words.front()))};
  if (find_browser(BrowserKind::chromium)) return found(BrowserKind::chromium, 0);
  if (find_browser(BrowserKind::firefox)) return found(BrowserKind::firefox, 0);
  return failure("neither Chromium nor Firefox is installed");
}

int failed(const Error& error) {
  complain(error.detail);
  return error.kind == ErrorKind::invalid_argument ? kUsage : kFailure;
}

// Chromium needs an ordinary account for its sandbox. To do without it is for the person to decide, not for us.
void explain_root(const Options& options, BrowserKind kind) {
  if (kind != BrowserKind::chromium || ::geteuid() != 0) return;
  if (std::find(options.with.begin(), options.with.end(), "--no-sandbox") != options.with.end()) return;
  complain(
      "Chromium does not run as root with its sandbox: use another account, or, for pages that you trust: outrider "
      "browser chromium --with=--no-sandbox");
}

int browse(Options& options) {
  if (const std::optional<int> wrong = options.source.load()) return *wrong;
  const Result<Wanted> wanted = wanted_browser(options.words);
  if (!wanted) return failed(wanted.error());
  Result<ListenAddress> address =
      parse_listen_address(options.address.value_or(options.source.config().get<ProxySettings>().listen.front()));
  if (!address) return failed(address.error());
  *address = reachable(*address);
  const Result<std::shared_ptr<const Authority>> authority = options.source.open();
  if (!authority) return failed(authority.error());
  if (const Result<void> ready = options.source.ensure_data_directory(); !ready) return failed(ready.error());

  const Children children;
  const Result<Scratch> scratch = Scratch::make(options.source.data_directory() / "browser-profiles", options.keep);
  if (!scratch) return failed(scratch.error());
  std::optional<OwnServer> own;
  const Result<PlainAnswer> alive = plain_get(*address, "/healthz");
  if (!alive && alive.error().kind == ErrorKind::connect_refused) {
    if (options.address) return failed(alive.error());
    Result<OwnServer> server = start_server(options, *address, scratch->path());
    if (!server) return failed(server.error());
    own.emplace(std::move(*server));
    *address = own->address;
  }
  if (const Result<void> same = check_same(*address, **authority); !same) return failed(same.error());
  Result<BrowserLaunch> launch = prepare_browser(wanted->kind, wanted->program, scratch->path(), *address, **authority);
  if (!launch) return failed(launch.error());
  launch->command.insert(launch->command.end(), options.with.begin(), options.with.end());
  launch->command.insert(launch->command.end(), wanted->urls.begin(), wanted->urls.end());
  const Result<pid_t> browser = start_program(launch->command, launch->environment);
  if (!browser) return failed(browser.error());
  const int code = children.wait_for(*browser);
  if (options.keep) {
    Output out;
    out.line(fmt::format("the profile is kept in {}", one_line(scratch->path().string())));
    out.finish();
  }
  if (code == 0) return kSuccess;
  complain(fmt::format("{} ended with exit code {}", wanted->program.filename().string(), code));
  explain_root(options, wanted->kind);
  return kFailure;
}

}  // namespace

void add_browser(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  const Command command = line.add_command(
      line.app(), "browser", "Open a fresh browser that uses and trusts Outrider, and leaves nothing behind",
      "outrider browser firefox https://example.com/", [options] { return browse(*options); });
  command.add_footer("\n\nIf no Outrider is running, one is started for as long as the browser is open.");
  options->source.add_to(command);
  command.add_option("what", options->words, "chromium or firefox (default: what is installed), and addresses to open")
      .option_text("[chromium|firefox] [URL...]");
  command.add_option("--address", options->address, "Where Outrider runs (default: what the configuration says)")
      .option_text("HOST:PORT");
  command.add_option("--with", options->with, "Further option for the browser, such as --with=--incognito")
      .option_text("OPTION")
      .one_at_a_time();
  command.add_flag("--keep", options->keep, "Keep the profile afterwards");
}

}  // namespace outrider::cli
