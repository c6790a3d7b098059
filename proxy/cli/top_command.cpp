// outrider top: what happens at this moment, on a terminal. Where there is none: a line a second.
#include "proxy/cli/api_client.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/top_screen.hpp"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <memory>

namespace outrider::cli {
namespace {

namespace json = boost::json;

struct Options {
  ApiClient api;
  std::size_t count = 0;  // 0 = no end
  bool json = false, lines = false;
};

// The terminal as it was, however this ends. Ctrl-C is fetched, not obeyed.
class Terminal {
 public:
  explicit Terminal(bool is_wanted) : is_wanted_(is_wanted) {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    if (is_wanted_) write("\x1b[?1049h\x1b[?25l");  // another screen, no cursor
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (is_wanted_) write("\x1b[?25h\x1b[?1049l");
  }
  bool is_asked_to_end() const {
    const timespec now{0, 0};
    return sigtimedwait(&signals_, nullptr, &now) > 0;
  }
  void draw(const TopScreen& screen) const {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) size = {24, 80, 0, 0};
    std::string text = "\x1b[H";
    for (const char c : screen.screen(size.ws_col, size.ws_row)) {
      if (c == '\n')
        text += "\x1b[K\r\n";  // the rest of the line before
      else
        text += c;
    }
    if (text.ends_with("\r\n")) text.resize(text.size() - 2);
    write(text + "\x1b[J");
  }

 private:
  static void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
      if (written <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  const bool is_wanted_;
  sigset_t signals_{};
};

// What runs already: events tell only what changes.
void learn_tasks(const ApiClient& api, TopScreen& screen) {
  const Result<json::value> list = api.ask("GET", "/api/v1/tasks?limit=100");
  if (!list) return;  // no robot here
  for (const json::value& task : list->at("tasks").as_array()) {
    json::object news = task.as_object();
    news["name"] = task.at("spec").at("name");
    const json::array& start = task.at("spec").at("start").as_array();
    news["start"] = start.empty() ? json::value("") : start.front();
    screen.take("task", news);
  }
}

int top(const Options& options) {
  const bool on_screen = !options.json && !options.lines && ::isatty(STDOUT_FILENO) == 1;
  TopScreen screen;
  learn_tasks(options.api, screen);
  Output out;
  std::size_t shown = 0;
  Result<void> ended;
  {
    const Terminal terminal{on_screen};
    const auto on_event = [&](std::string_view kind, const json::value& event) {
      if (!screen.take(kind, event)) return true;
      if (on_screen) {
        terminal.draw(screen);
      } else {
        out.line(options.json ? json::serialize(screen.json()) : screen.line());
        out.flush();
      }
      ++shown;
      return !out.closed() && (options.count == 0 || shown < options.count);
    };
    ended = options.api.follow("/api/v1/events?kinds=hello,stats,task,exchange", on_event,
                               [&terminal] { return !terminal.is_asked_to_end(); });
  }
  if (!ended) {
    complain(ended.error().detail);
    return kFailure;
  }
  return out.finish();
}

}  // namespace

void add_top(CommandLine& line) {
  const auto options = std::make_shared<Options>();
  const Command command =
      line.add_command(line.app(), "top", "What a running Outrider does at this moment",
                       "outrider top\n  outrider top --json --count 1", [options] { return top(*options); });
  options->api.add_to(command);
  command.add_flag("--json", options->json, "One JSON object a second");
  command.add_flag("--lines", options->lines, "One line a second, as without a terminal");
  command.add_option("--count", options->count, "End after so many seconds").option_text("N").at_least_one();
}

}  // namespace outrider::cli
