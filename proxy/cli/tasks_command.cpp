// tasks list, show, add, change, pause, resume, stop, remove, urls, why, follow: the robot of a running Outrider.
#include "base/clock.hpp"
#include "base/escape.hpp"
#include "plugins/api/robot_task_json.hpp"
#include "proxy/cli/api_client.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/typed_url.hpp"

#include <fmt/format.h>

#include <memory>

namespace outrider::cli {
namespace {

namespace json = boost::json;

struct Options {
  ApiClient api;
  std::string id, url;
  std::vector<std::string> start;
  std::optional<std::string> name, restriction, state, task;
  std::optional<int> depth;
  std::optional<std::size_t> max_documents;
  std::size_t limit = 100;
  bool json = false, follow = false;
};

int failed(const Error& error) {
  complain(error.detail);
  return error.kind == ErrorKind::invalid_argument ? kUsage : kFailure;
}

std::string text(const json::value& object, std::string_view name) {
  const json::value* value = object.as_object().if_contains(name);
  if (value == nullptr || value->is_null()) return {};
  return value->is_string() ? one_line(value->get_string()) : json::serialize(*value);
}

std::string no_task_number(const std::string& text) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "" : fmt::format("{} is no task number; outrider tasks list shows them", outrider::quoted(text));
}

std::uint64_t number(const json::value& statistics, std::string_view name) {
  return statistics.at(name).to_number<std::uint64_t>();
}

std::string start_of(const json::value& task) {
  const json::array& start = task.at("spec").at("start").as_array();
  return start.empty() ? "" : one_line(start.front().as_string());
}

// "  7  running   42 loaded, 3 failed, 120 open  https://example.com/"
std::string line_of(const json::value& task) {
  const json::value& counts = task.at("statistics");
  return fmt::format("{:>4}  {:<9} {} loaded, {} failed, {} open  {}", text(task, "id"), text(task, "state"),
                     number(counts, "downloaded") + number(counts, "cache_hits"), number(counts, "failed"),
                     number(counts, "pending"), start_of(task));
}

template <class Show>
int print(const Options& options, const Result<json::value>& answer, Show show) {
  if (!answer) return failed(answer.error());
  Output out;
  if (options.json) {
    out.line(json::serialize(*answer));
  } else {
    show(*answer, out);
  }
  return out.finish();
}

void show_line(const json::value& task, Output& out) {
  out.line(line_of(task));
}

void show_all(const json::value& task, Output& out) {
  out.line(line_of(task));
  if (const std::string why = text(task, "why"); !why.empty()) out.line("      " + why);
  const json::value& counts = task.at("statistics");
  for (const json::key_value_pair& each : counts.as_object())
    if (each.value().is_number() && each.value().to_number<std::uint64_t>() != 0)
      out.line(fmt::format("      {:<14}{}", std::string_view{each.key()}, json::serialize(each.value())));
  for (const json::key_value_pair& each : counts.at("rejected").as_object())
    out.line(fmt::format("      rejected: {:<14}{}", std::string_view{each.key()}, json::serialize(each.value())));
}

// As the API would answer if it gave so many at once.
Result<json::value> tasks_of(const Options& options) {
  json::array tasks;
  json::value next;
  do {
    const std::size_t wanted = options.limit > tasks.size() ? options.limit - tasks.size() : 1;
    std::string path = fmt::format("/api/v1/tasks?limit={}", std::min<std::size_t>(wanted, 1000));
    if (next.is_string()) path += "&cursor=" + url_encoded(next.get_string());
    Result<json::value> answer = options.api.ask("GET", path);
    if (!answer) return answer.error();
    for (json::value& task : answer->at("tasks").as_array()) tasks.push_back(std::move(task));
    next = answer->at("next");
  } while (next.is_string() && tasks.size() < options.limit);
  json::object all{{"tasks", std::move(tasks)}, {"next", std::move(next)}};
  return json::value(std::move(all));
}

int list(const Options& options) {
  return print(options, tasks_of(options), [](const json::value& answer, Output& out) {
    for (const json::value& task : answer.at("tasks").as_array()) out.line(line_of(task));
    if (answer.at("tasks").as_array().empty())
      out.line("The robot has nothing to do. Begin with: outrider tasks add URL");
    if (!answer.at("next").is_null()) out.line("(there are more: --limit)");
  });
}

std::string place(const Options& options, std::string_view action = "") {
  return fmt::format("/api/v1/tasks/{}{}{}", url_encoded(options.id), action.empty() ? "" : "/", action);
}

int show(const Options& options) {
  return print(options, options.api.ask("GET", place(options)), show_all);
}

Result<std::string> spec_of(const Options& options) {
  json::object spec;
  if (options.task) {
    boost::system::error_code wrong;
    const json::value given = json::parse(*options.task, wrong);
    if (wrong || !given.is_object())
      return Error{ErrorKind::invalid_argument, Side::client, "--task must be a JSON object"};
    spec = given.get_object();
  }
  json::array start;
  for (const std::string& url : options.start) start.emplace_back(with_scheme(url));
  if (!start.empty()) spec["start"] = std::move(start);
  if (options.name) spec["name"] = *options.name;
  if (options.depth) spec["depth"] = *options.depth;
  if (options.restriction) spec["restriction"] = *options.restriction;
  if (options.max_documents) spec["max_documents"] = *options.max_documents;
  return json::serialize(spec);
}

// Until the task has ended: one line for every change.
int follow(const Options& options, std::string id) {
  Output out;
  bool ended = false;
  const auto tell = [&](const json::value& task) {
    out.line(options.json ? json::serialize(task) : line_of(task));
    out.flush();
    const std::string state = text(task, "state");
    ended = state != "running" && state != "waiting" && state != "paused";
  };
  Options asked = options;
  asked.id = id;
  const auto on_event = [&](std::string_view kind, const json::value& news) {
    const bool ours = kind == "hello" || (kind == "task" && text(news, "id") == id);
    if (!ours) return true;
    const Result<json::value> task = options.api.ask("GET", place(asked));  // with all that news leave out
    if (!task) {
      complain(task.error().detail);
      return false;
    }
    tell(*task);
    return !ended && !out.closed();
  };
  const Result<void> heard = options.api.follow("/api/v1/events?kinds=hello,task", on_event, [] { return true; });
  if (!heard) return failed(heard.error());
  return out.finish(ended || out.closed() ? kSuccess : kFailure);
}

int add(const Options& options) {
  const Result<std::string> spec = spec_of(options);
  if (!spec) return failed(spec.error());
  const Result<json::value> made = options.api.ask("POST", "/api/v1/tasks", *spec);
  if (made && options.follow) return follow(options, text(*made, "id"));
  return print(options, made, show_line);
}

int change(const Options& options) {
  const Result<std::string> spec = spec_of(options);
  if (!spec) return failed(spec.error());
  return print(options, options.api.ask("PATCH", place(options), *spec), show_line);
}

int remove(const Options& options) {
  return print(options, options.api.ask("DELETE", place(options)),
               [&](const json::value&, Output& out) { out.line("Removed."); });
}

// All of them, page by page. A page may be empty although there are more: looking for them takes time.
int urls(const Options& options) {
  constexpr Duration kPatience = std::chrono::seconds{60};
  Output out;
  std::string cursor;
  Deadline something_new = Deadline::after(kPatience);
  for (std::size_t shown = 0; shown < options.limit && !out.closed();) {
    std::string path =
        fmt::format("{}?limit={}", place(options, "urls"), std::min<std::size_t>(options.limit - shown, 1000));
    if (options.state) path += "&state=" + url_encoded(*options.state);
    if (!cursor.empty()) path += "&cursor=" + cursor;
    const Result<json::value> answer = options.api.ask("GET", path);
    if (!answer) return failed(answer.error());
    for (const json::value& url : answer->at("urls").as_array()) {
      ++shown;
      const std::string why =
          text(url, "reason") == "none" ? text(url, "title") : text(url, "reason") + " " + text(url, "detail");
      out.line(options.json
                   ? json::serialize(url)
                   : fmt::format("{:<9} {}{}{}", text(url, "state"), text(url, "url"), why.empty() ? "" : "  ", why));
    }
    const std::string next = text(*answer, "next");
    if (next.empty()) break;
    if (next != cursor) something_new = Deadline::after(kPatience);
    if (something_new.passed()) {
      out.finish();
      complain("For a minute nothing new was found, and there may be more. Ask again.");
      return kFailure;
    }
    cursor = next;
  }
  return out.finish();
}

int why(const Options& options) {
  return print(options, options.api.ask("GET", place(options, "why-not") + "?url=" + url_encoded(options.url)),
               [](const json::value& fate, Output& out) {
                 const std::string reason = text(fate, "reason"), detail = text(fate, "detail");
                 out.line(fmt::format("{}{}{}{}{}", text(fate, "state"), reason == "none" ? "" : ": ",
                                      reason == "none" ? "" : reason, detail.empty() ? "" : ": ", detail));
               });
}

}  // namespace

void add_tasks_commands(CommandLine& line) {
  const Command group = line.add_group("tasks", "The robot of a running Outrider: what it does, and what it should do",
                                       "outrider tasks list");
  const auto add_one = [&](const char* name, const char* description, const char* example,
                           int (*action)(const Options&)) {
    const auto options = std::make_shared<Options>();
    const Command command =
        line.add_command(group, name, description, example, [options, action] { return action(*options); });
    options->api.add_to(command);
    command.add_flag("--json", options->json, "Print JSON");
    return std::pair{command, options};
  };
  const auto with_id = [](const auto& added) {
    added.first.add_option("id", added.second->id, "Number of the task")
        .option_text("ID")
        .required()
        .checked(no_task_number);
    return added;
  };
  const auto with_limit = [](const auto& added) {
    added.first.add_option("--limit", added.second->limit, "Not more than so many (default: 100)")
        .option_text("N")
        .at_least_one();
  };
  const auto with_spec = [](const auto& added) {
    added.first.add_option("--name", added.second->name, "What to call it").option_text("TEXT");
    added.first.add_option("--depth", added.second->depth, "Follow so many links from the start; −1: no limit")
        .option_text("N");
    added.first
        .add_option("--restriction", added.second->restriction, "all, internal, external, subdirectories or hosts")
        .option_text("WHICH");
    added.first.add_option("--max-documents", added.second->max_documents, "Not more pages than this").option_text("N");
    added.first.add_option("--task", added.second->task, "Further parameters, as JSON").option_text("JSON");
  };
  with_limit(add_one("list", "All tasks, the newest first", "outrider tasks list --json", list));
  with_id(add_one("show", "One task with its statistics", "outrider tasks show 7", show));
  const auto adding = add_one("add", "Begin a task", "outrider tasks add https://example.com/ --depth 2 --follow", add);
  adding.first.add_option("url", adding.second->start, "Where to begin").option_text("URL...");
  adding.first.add_flag("--follow", adding.second->follow, "Stay, and tell how it gets on until it has ended");
  with_spec(adding);
  with_spec(with_id(add_one("change", "Change parameters of a task", "outrider tasks change 7 --depth 3", change)));
  with_id(add_one("pause", "Do no more of it for now", "outrider tasks pause 7",
                  [](const Options& o) { return print(o, o.api.ask("POST", place(o, "pause")), show_line); }));
  with_id(add_one("resume", "Go on with it", "outrider tasks resume 7",
                  [](const Options& o) { return print(o, o.api.ask("POST", place(o, "resume")), show_line); }));
  with_id(add_one("stop", "End it for good", "outrider tasks stop 7",
                  [](const Options& o) { return print(o, o.api.ask("POST", place(o, "stop")), show_line); }));
  with_id(add_one("remove", "End it, and forget all about it", "outrider tasks remove 7", remove));
  const auto listing = with_id(
      add_one("urls", "What it came across, and what became of each", "outrider tasks urls 7 --state rejected", urls));
  listing.first
      .add_option("--state", listing.second->state,
                  "Only these, separated by commas: queued, fetched, failed, rejected")
      .option_text("STATE");
  with_limit(listing);
  const auto asking =
      with_id(add_one("why", "What became of one address", "outrider tasks why 7 https://example.com/a", why));
  asking.first.add_option("url", asking.second->url, "The address").option_text("URL").required();
  with_id(add_one("follow", "Tell how it gets on until it has ended", "outrider tasks follow 7",
                  [](const Options& o) { return follow(o, o.id); }));
}

}  // namespace outrider::cli
