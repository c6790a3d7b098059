// user add, remove, list, token: the file that access.users_file names.
#include "base/escape.hpp"
#include "proxy/access.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/configuration.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/user_file.hpp"

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <iostream>
#include <memory>
#include <optional>

namespace outrider::cli {
namespace {

struct Options {
  ConfigOptions config;
  std::optional<std::string> file;
  std::string name;
  bool json = false;
  bool is_new = false;
};

// The file given, or the one of the configuration. Nothing: said why.
std::optional<std::string> users_file(const Options& options) {
  if (options.file && !options.file->empty()) return options.file;
  ConfigProblems problems;
  const auto sources = options.config.sources(problems);
  if (!sources) {
    complain(problems);
    return std::nullopt;
  }
  const ConfigResult config = load_settings(*sources);
  if (config.has_error()) {
    complain(config.error());
    return std::nullopt;
  }
  if (std::string file = config->get<AccessSettings>().users_file; !file.empty()) return file;
  complain("which file? Give --file, or set access.users_file in the configuration");
  return std::nullopt;
}

int failed(const Error& error) {
  complain(error.detail);
  return error.kind == ErrorKind::invalid_argument ? kUsage : kFailure;
}

// Switches off what a terminal shows while a password is typed.
class WithoutEcho {
 public:
  WithoutEcho() : changed_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (changed_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  ~WithoutEcho() {
    if (changed_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  WithoutEcho(const WithoutEcho&) = delete;
  WithoutEcho& operator=(const WithoutEcho&) = delete;

 private:
  termios before_{};
  bool changed_;
};

std::optional<std::string> read_line(const char* prompt) {
  if (prompt != nullptr) std::cerr << prompt << std::flush;
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  if (prompt != nullptr) std::cerr << '\n';
  return line;
}

// From a terminal twice and unseen, otherwise the first line of standard input. Never an argument: those everybody can
// see.
std::optional<std::string> read_password() {
  if (isatty(STDIN_FILENO) == 0) return read_line(nullptr);
  const WithoutEcho quiet;
  std::optional<std::string> first = read_line("Password: ");
  const std::optional<std::string> second = first ? read_line("Again: ") : std::nullopt;
  if (!second || *first != *second) return std::nullopt;
  return first;
}

constexpr std::string_view kReload =
    "running proxies learn of it by a reload (systemctl reload outrider, or kill -HUP)";

int add(const Options& options) {
  const auto file = users_file(options);
  if (!file) return kUsage;
  const std::optional<std::string> password = read_password();
  if (!password) {
    complain("no password was given, or not the same one twice");
    return kUsage;
  }
  const Result<Added> added = add_user(*file, options.name, *password);
  if (!added) return failed(added.error());
  Output out;
  out.line(fmt::format("{} {} {}; {}", outrider::quoted(options.name),
                       *added == Added::created ? "added to" : "has a new password in", one_line(*file), kReload));
  return out.finish();
}

int remove(const Options& options) {
  const auto file = users_file(options);
  if (!file) return kUsage;
  if (const Result<void> removed = remove_user(*file, options.name); !removed) return failed(removed.error());
  Output out;
  out.line(fmt::format("{} removed from {}; {}", outrider::quoted(options.name), one_line(*file), kReload));
  return out.finish();
}

int list(const Options& options) {
  const auto file = users_file(options);
  if (!file) return kUsage;
  const Result<std::vector<UserSummary>> users = list_users(*file);
  if (!users) return failed(users.error());
  Output out;
  for (const UserSummary& user : *users) {
    if (options.json) {
      out.line(boost::json::serialize(
          boost::json::object{{"name", user.name}, {"has_password", user.has_password}, {"tokens", user.tokens}}));
      continue;
    }
    out.line(fmt::format("{:<24}  {}, {} token{}", one_line(user.name), user.has_password ? "password" : "no password",
                         user.tokens, user.tokens == 1 ? "" : "s"));
  }
  return out.finish();
}

// A misspelt name would be a user whom nobody knows of.
Result<void> check_known(const std::string& file, const std::string& name) {
  const Result<std::vector<UserSummary>> users = list_users(file);
  if (!users) return users.error();
  for (const UserSummary& user : *users)
    if (user.name == name) return {};
  return Error{ErrorKind::not_found, Side::self,
               fmt::format("{}: there is no user {}; outrider user add makes one, or --new one who has tokens alone",
                           file, outrider::quoted(name))};
}

// The token alone on standard output, so that a script can take it.
int token(const Options& options) {
  const auto file = users_file(options);
  if (!file) return kUsage;
  if (!options.is_new)
    if (const Result<void> known = check_known(*file, options.name); !known) return failed(known.error());
  const Result<std::string> made = add_token(*file, options.name);
  if (!made) return failed(made.error());
  Output out;
  out.line(*made);
  return out.finish();
}

}  // namespace

void add_user_commands(CommandLine& line) {
  const Command group =
      line.add_group("user", "Say who may log in to the proxy", "outrider user add ann --file /etc/outrider/users");
  const auto add_one = [&](const char* name, const char* description, const char* example,
                           int (*action)(const Options&)) {
    const auto options = std::make_shared<Options>();
    const Command command =
        line.add_command(group, name, description, example, [options, action] { return action(*options); });
    if (action != list) command.add_option("name", options->name, "Name of the user").option_text("NAME").required();
    command.add_option("--file", options->file, "The file with the users; else access.users_file of the configuration")
        .option_text("FILE");
    options->config.add_to(command);
    if (action == token)
      command.add_flag("--new", options->is_new, "Also for a name that is new: a user with no password");
    if (action == list) command.add_flag("--json", options->json, "Print one JSON object a user");
  };
  add_one("add", "Add a user or change a password, which is asked for or read from standard input",
          "pwgen 20 1 | tee /dev/tty | outrider user add ann --file users", add);
  add_one("remove", "Remove a user with password and tokens", "outrider user remove ann --file users", remove);
  add_one("list", "List the users", "outrider user list --file users", list);
  add_one("token", "Make a token for a program and print it; it is shown this once",
          "curl --proxy http://127.0.0.1:8282 --proxy-header \"Proxy-Authorization: Bearer $(outrider user token ann "
          "--file users)\" "
          "https://example.com/",
          token);
}

}  // namespace outrider::cli
