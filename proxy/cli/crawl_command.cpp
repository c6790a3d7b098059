// outrider crawl: the robot in this process, without a server.
#include "base/log.hpp"
#include "plugins/api/robot_task_json.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/configuration.hpp"
#include "proxy/cli/crawl_house.hpp"
#include "proxy/cli/crawl_progress.hpp"
#include "proxy/cli/locations.hpp"
#include "proxy/cli/output.hpp"
#include "proxy/cli/typed_url.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace outrider::cli {
namespace {

constexpr int kInterrupted = 130;  // as shells report it
constexpr Duration kFinishWithin = std::chrono::seconds{10};

struct Arguments {
  ConfigOptions config;
  std::vector<std::string> urls;
  std::optional<std::string> data;
  std::int32_t depth = kUnlimitedDepth;
  std::optional<std::string> restriction;
  std::vector<std::string> hosts;
  std::string order = "breadth_first";
  std::optional<std::string> task_json;
  std::uint64_t max_documents = 0;
  TaskId resume = 0;
  std::optional<std::string> why;
  bool refresh = false, json = false, lab = false, leave_unread = false;
};

Result<TaskSpec> spec_of(const Arguments& given) {
  TaskSpec spec;
  boost::json::object keys;
  if (given.task_json) {
    boost::system::error_code wrong;
    const boost::json::value parsed = boost::json::parse(*given.task_json, wrong);
    if (wrong) return Error{ErrorKind::invalid_argument, Side::client, "--task: " + wrong.message()};
    if (Result<void> read = update_from_json(spec, parsed); !read) return read.error();
  }
  for (const std::string& url : given.urls) spec.start.push_back(with_scheme(url));
  if (given.depth != kUnlimitedDepth) spec.depth = given.depth;
  if (given.max_documents != 0) spec.max_documents = given.max_documents;
  keys["order"] = given.order;
  if (!given.hosts.empty()) {
    spec.hosts = given.hosts;
    spec.restriction = Restriction::hosts;
  }
  if (given.restriction) keys["restriction"] = *given.restriction;
  if (given.refresh) spec.check_memory = false;
  if (Result<void> read = update_from_json(spec, keys); !read) return read.error();
  if (Result<void> valid = validate(spec); !valid) return valid.error();
  return spec;
}

std::vector<std::string> named_hosts(const TaskSpec& spec) {
  std::vector<std::string> hosts = spec.hosts;
  for (const std::string& start : spec.start) {
    const Result<Url> url = Url::parse(start);
    if (url && std::find(hosts.begin(), hosts.end(), url->hostname()) == hosts.end())
      hosts.emplace_back(url->hostname());
  }
  return hosts;
}

// What was interrupted is taken up again; what has ended is begun anew.
Result<TaskId> begin(RobotEngine& robot, const TaskSpec& spec, const Arguments& given) {
  if (given.resume != 0) {
    const Result<TaskStatus> status = robot.status(given.resume);
    if (!status) return status.error();
    if (status->state == TaskState::paused)
      if (Result<void> resumed = robot.resume(given.resume); !resumed) return resumed.error();
    return given.resume;
  }
  for (const TaskStatus& known : robot.list()) {
    if (!(known.spec == spec)) continue;
    if (known.state >= TaskState::finished) {
      if (Result<void> removed = robot.remove(known.id); !removed) return removed.error();
    } else {
      if (known.state == TaskState::paused)
        if (Result<void> resumed = robot.resume(known.id); !resumed) return resumed.error();
      complain(fmt::format("going on with task {}, which was interrupted", known.id));
      return known.id;
    }
  }
  return robot.submit(spec);
}

// Until the task has ended or somebody interrupts. True: it was interrupted.
bool watch(RobotEngine& robot, TaskId task, const sigset_t& signals, const Arguments& given) {
  const Clock& clock = Clock::system();
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  CrawlProgress progress{terminal, clock.steady()};
  bool interrupted = false;
  for (;;) {
    const timespec wait{0, 20'000'000};
    if (const int signal = sigtimedwait(&signals, nullptr, &wait); signal > 0) {
      interrupted = true;
      break;
    }
    const Result<TaskStatus> status = robot.status(task);
    if (!status || status->state >= TaskState::finished) break;
    if (!given.json || terminal) write_error_stream(progress.show(status->statistics, clock.steady()));
  }
  write_error_stream(progress.clear());
  return interrupted;
}

// What was loaded is in the cache, and its links have been followed; now the memory reads it.
void wait_for_reading(const CrawlHouse& house, const sigset_t& signals) {
  const Clock& clock = Clock::system();
  CrawlProgress progress{::isatty(STDERR_FILENO) == 1, clock.steady()};
  for (;;) {
    const std::size_t unread = house.unread();
    if (unread == 0) break;
    write_error_stream(progress.show_unread(unread, clock.steady()));
    const timespec wait{0, 20'000'000};
    if (sigtimedwait(&signals, nullptr, &wait) <= 0) continue;
    write_error_stream(progress.clear());
    return complain(fmt::format("{} pages are left to read; the next start goes on with it", with_commas(unread)));
  }
  write_error_stream(progress.clear());
}

int say_why(RobotEngine& robot, const Arguments& given) {
  Output out;
  for (const TaskStatus& task : robot.list()) {
    const Result<UrlFate> fate = robot.why_not(task.id, with_scheme(*given.why));
    if (!fate) continue;
    if (given.json) {
      boost::json::object line = to_json(*fate);
      line["task"] = task.id;
      out.line(boost::json::serialize(line));
    } else {
      out.line(fmt::format("task {} ({}): {}{}{}{}{}", task.id, task.spec.start.front(), to_string(fate->state),
                           fate->reason == Reason::none ? "" : ": ",
                           fate->reason == Reason::none ? "" : to_string(fate->reason),
                           fate->detail.empty() ? "" : ": ", fate->detail));
    }
  }
  return out.finish();
}

int run(const Config& config, const TaskSpec& spec, const Arguments& given) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  CrawlHouseOptions options;
  options.data_directory =
      given.data ? std::filesystem::path{*given.data} : default_data_directory(process_variables());
  options.is_lab = given.lab;
  options.lab_hosts = named_hosts(spec);
  ::umask(077);
  Result<std::unique_ptr<CrawlHouse>> house = CrawlHouse::open(config, options);
  if (!house) {
    complain(house.error().detail);
    return kFailure;
  }
  RobotEngine& robot = (*house)->robot();
  if (given.why) return say_why(robot, given);
  if (given.lab) {
    std::string names;
    for (const std::string& host : options.lab_hosts) names += " " + host;
    complain("LABORATORY: no politeness and private addresses allowed for:" + names);
  }
  const SteadyTime began = Clock::system().steady();
  const Result<TaskId> task = begin(robot, spec, given);
  if (!task) {
    complain(task.error().detail);
    return kFailure;
  }
  robot.work_only_on(*task);
  robot.start();
  const bool interrupted = watch(robot, *task, signals, given);
  if (interrupted) (void)robot.pause(*task);
  robot.stop(kFinishWithin);
  const Result<TaskStatus> status = robot.status(*task);
  if (!status) return kFailure;
  Output out;
  out.line(given.json ? boost::json::serialize(to_json(*status)) : summary(*status, Clock::system().steady() - began));
  if (interrupted)
    complain(fmt::format("paused; go on with: outrider crawl --data {} --resume {}{}", options.data_directory.string(),
                         *task, given.lab ? fmt::format(" --lab --hosts {}", fmt::join(options.lab_hosts, ",")) : ""));
  if (!interrupted && !given.leave_unread) {
    out.flush();
    wait_for_reading(**house, signals);
  }
  const bool worked = status->statistics.downloaded + status->statistics.cache_hits > 0;
  return out.finish(interrupted ? kInterrupted : worked && status->state == TaskState::finished ? kSuccess : kFailure);
}

int crawl(Arguments& given) {
  ConfigProblems problems;
  const auto sources = given.config.sources(problems);
  if (!sources) {
    complain(problems);
    return kUsage;
  }
  const ConfigResult config = load_config(settings_schema(), *sources);
  if (config.has_error()) {
    complain(config.error());
    return kUsage;
  }
  if (const auto configured = log::configure(config->get<LogSettings>()); !configured) {
    complain(configured.error().detail);
    return kFailure;
  }
  TaskSpec spec;
  if (given.resume == 0 && !given.why) {
    Result<TaskSpec> made = spec_of(given);
    if (!made) {
      complain(made.error().detail);
      return kUsage;
    }
    spec = std::move(*made);
  } else {  // only for the names of a laboratory
    for (const std::string& url : given.urls) spec.start.push_back(with_scheme(url));
    spec.hosts = given.hosts;
  }
  return run(*config, spec, given);
}

}  // namespace

void add_crawl(CommandLine& line) {
  const auto given = std::make_shared<Arguments>();
  const Command command =
      line.add_command(line.app(), "crawl", "Load pages and everything they lead to",
                       "outrider crawl https://example.com/ --depth 3", [given] { return crawl(*given); });
  command.add_footer("\n\nCtrl-C pauses; the same command, or --resume with the number that is shown, goes on.");
  given->config.add_to(command);
  command.add_option("url", given->urls, "Where to begin").option_text("URL…");
  command.add_option("--data", given->data, "Directory for everything Outrider remembers").option_text("DIR");
  command.add_option("--depth", given->depth, "Follow so many links from the start; −1: no limit").option_text("N");
  command.add_option("--restriction", given->restriction, "all, internal (default), external, subdirs or hosts")
      .option_text("WHICH");
  command.add_option("--hosts", given->hosts, "Only these hosts; \".example.com\" means all below it, too")
      .option_text("A,B")
      .separated_by(',');
  command.add_option("--order", given->order, "breadth_first, depth_first, fair_breadth_first, best_first, random")
      .option_text("ORDER");
  command.add_option("--max-documents", given->max_documents, "Not more pages than this").option_text("N");
  command.add_option("--task", given->task_json, "Further parameters of the task, as JSON").option_text("JSON");
  command.add_option("--resume", given->resume, "Go on with a task that was interrupted").option_text("ID");
  command.add_option("--why", given->why, "Say what became of this URL in the tasks known here").option_text("URL");
  command.add_flag("--refresh", given->refresh, "Ask for every page whether it has changed");
  command.add_flag("--leave-unread", given->leave_unread,
                   "End when everything is loaded; what the memory has not read yet it reads at the next start");
  command.add_flag("--json", given->json, "Print the result as JSON");
  command.add_flag("--lab", given->lab,
                   "For your own test servers: no politeness, and private addresses allowed, for the named hosts");
}

}  // namespace outrider::cli
