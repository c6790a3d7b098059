// outrider watch: tell me when this page changes. An Outrider that runs is asked to look; where none runs, this command
// looks itself for as long as it runs, and goes on where it was the next time.
#include "base/config_types.hpp"
#include "base/log.hpp"
#include "plugins/api/page_watches_json.hpp"
#include "proxy/cli/api_client.hpp"
#include "proxy/cli/command_line.hpp"
#include "proxy/cli/commands.hpp"
#include "proxy/cli/configuration.hpp"
#include "proxy/cli/crawl_house.hpp"
#include "proxy/cli/locations.hpp"
#include "proxy/cli/output.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <boost/json.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

namespace outrider::cli {
namespace {

namespace json = boost::json;
constexpr int kInterrupted = 130;
constexpr Duration kLookWithin = std::chrono::minutes{5};  // a look keeps to the host's pace

struct Arguments {
  ApiClient api;
  std::vector<std::string> urls;
  std::optional<std::string> every;
  bool list = false, remove = false, json = false, once = false, lab = false;
};

std::string with_scheme(const std::string& text) {
  return text.find("://") == std::string::npos ? "https://" + text : text;
}

std::string shown(WallTime at) {
  if (at == WallTime{}) return "now";
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(std::chrono::system_clock::to_time_t(
                                              std::chrono::time_point_cast<std::chrono::system_clock::duration>(at))));
}

void print(Output& out, const WatchNews& news, bool as_json) {
  if (as_json) {
    out.line(json::serialize(to_json(news)));
  } else {
    out.line(fmt::format("{} UTC  {}  {}{}{}", shown(news.at), news.kind, news.url, news.detail.empty() ? "" : "  ",
                         news.detail));
    if (!news.diff.empty()) out.line(news.diff);
  }
  out.flush();
}

int show_all(const std::vector<WatchedPage>& pages, bool as_json) {
  Output out;
  for (const WatchedPage& page : pages) {
    if (as_json) {
      out.line(json::serialize(to_json(page)));
      continue;
    }
    out.line(fmt::format("{}  {}  next look {} UTC{}", page.url, page.last ? page.last->kind : "not looked at yet",
                         shown(page.next),
                         page.last_change ? fmt::format(", last change {} UTC", shown(page.last_change->at)) : ""));
  }
  if (pages.empty() && !as_json) out.line("Nothing is watched.");
  return out.finish();
}

int nothing_to_watch() {
  complain("nothing is watched; give an address");
  return kFailure;
}

// Until somebody interrupts, or with --once until every page has been looked at.
int follow(RobotEngine& robot, const Arguments& given) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::mutex mutex;
  std::vector<WatchNews> heard;
  const auto listening = robot.watches().on_news([&](const WatchNews& news) {
    const std::lock_guard lock(mutex);
    heard.push_back(news);
  });
  robot.work_only_on_owner(std::string{RobotWatches::kOwner});
  robot.start();
  if (given.once)
    for (const std::string& url : given.urls) (void)robot.watches().look_now(with_scheme(url));
  std::set<std::string> waiting;  // with --once
  for (const std::string& url : given.urls)
    if (const Result<Url> parsed = Url::parse(with_scheme(url))) waiting.emplace(parsed->href_without_fragment());
  Output out;
  bool interrupted = false;
  while (!interrupted && (!given.once || !waiting.empty())) {
    const timespec wait{0, 50'000'000};
    interrupted = sigtimedwait(&signals, nullptr, &wait) > 0;
    std::vector<WatchNews> news;
    {
      const std::lock_guard lock(mutex);
      news.swap(heard);
    }
    for (const WatchNews& each : news) {
      if (given.once && waiting.erase(each.url) == 0) continue;
      if (given.once || given.json || each.kind != "unchanged") print(out, each, given.json);
    }
  }
  robot.stop(std::chrono::seconds{2});
  return out.finish(interrupted ? kInterrupted : kSuccess);
}

int watch_here(const Config& config, const Arguments& given, std::optional<std::chrono::seconds> every) {
  CrawlHouseOptions options;
  options.data_directory =
      given.api.data() ? std::filesystem::path{*given.api.data()} : default_data_directory(process_variables());
  options.is_lab = given.lab;
  for (const std::string& url : given.urls)
    if (const Result<Url> parsed = Url::parse(with_scheme(url))) options.lab_hosts.emplace_back(parsed->hostname());
  ::umask(077);
  Result<std::unique_ptr<CrawlHouse>> house = CrawlHouse::open(config, options);
  if (!house) {
    complain(house.error().detail);
    return kFailure;
  }
  RobotEngine& robot = (*house)->robot();
  if (given.list) return show_all(robot.watches().watched(), given.json);
  for (const std::string& url : given.urls) {
    const Result<void> done =
        given.remove ? robot.watches().unwatch(with_scheme(url)) : robot.watches().watch(with_scheme(url), every, "");
    if (!done) {
      complain(done.error().detail);
      return done.error().kind == ErrorKind::invalid_argument ? kUsage : kFailure;
    }
  }
  if (given.remove) return kSuccess;
  return robot.watches().watched().empty() ? nothing_to_watch() : follow(robot, given);
}

// --- an Outrider that runs

std::string text_of(const json::object& from, std::string_view key) {
  const json::value* found = from.if_contains(key);
  return found != nullptr && found->is_string() ? std::string{std::string_view{found->get_string()}} : "";
}

WallTime time_of(const json::object& from, std::string_view key) {
  const json::value* found = from.if_contains(key);
  return found != nullptr && found->is_int64() ? WallTime{std::chrono::milliseconds{found->get_int64()}} : WallTime{};
}

std::optional<WatchNews> news_of(const json::object& from, std::string_view key) {
  const json::value* found = from.if_contains(key);
  if (found == nullptr || !found->is_object()) return std::nullopt;
  const json::object& read = found->get_object();
  WatchNews news;
  news.url = text_of(read, "url");
  news.kind = text_of(read, "kind");
  news.diff = text_of(read, "diff");
  news.detail = text_of(read, "detail");
  news.at = time_of(read, "at");
  return news;
}

Result<std::vector<WatchedPage>> watched_there(const ApiClient& api) {
  const Result<json::value> reply = api.ask("GET", "/api/v1/watches");
  if (!reply) return reply.error();
  std::vector<WatchedPage> pages;
  for (const json::value& each : reply->at("watches").as_array()) {
    const json::object& from = each.as_object();
    WatchedPage page;
    page.url = text_of(from, "url");
    page.owner = text_of(from, "owner");
    page.next = time_of(from, "next");
    page.last = news_of(from, "last");
    page.last_change = news_of(from, "last_change");
    pages.push_back(std::move(page));
  }
  return pages;
}

// It looks whether this command runs or not; we tell what it finds as long as we run.
int follow_there(const Arguments& given) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::map<std::string, WallTime> told;
  Output out;
  for (;;) {
    const Result<std::vector<WatchedPage>> pages = watched_there(given.api);
    if (!pages) {
      complain(pages.error().detail);
      return kFailure;
    }
    if (pages->empty()) return nothing_to_watch();
    for (const WatchedPage& page : *pages) {
      if (!page.last || told[page.url] == page.last->at) continue;
      told[page.url] = page.last->at;
      if (given.json || page.last->kind != "unchanged") print(out, *page.last, given.json);
    }
    const timespec wait{1, 0};
    if (sigtimedwait(&signals, nullptr, &wait) > 0) return out.finish(kInterrupted);
  }
}

std::optional<WatchedPage> find_page(const std::vector<WatchedPage>& pages, const std::string& url) {
  const Result<Url> parsed = Url::parse(url);
  const std::string name = parsed ? std::string{parsed->href_without_fragment()} : url;
  for (const WatchedPage& page : pages)
    if (page.url == name) return page;
  return std::nullopt;
}

// It is asked to look now. What nobody watched before is not watched afterwards.
Result<WatchNews> look_there(const ApiClient& api, const std::string& url) {
  const std::string name = url_encoded(url);
  Result<std::vector<WatchedPage>> pages = watched_there(api);
  if (!pages) return pages.error();
  const std::optional<WatchedPage> before = find_page(*pages, url);
  const WallTime last = before && before->last ? before->last->at : WallTime{};
  if (!before) {  // it is looked at because it is new
    const Result<json::value> begun = api.ask("POST", "/api/v1/watches", json::serialize(json::object{{"url", url}}));
    if (!begun) return begun.error();
  } else if (const Result<json::value> asked = api.ask("POST", "/api/v1/watches/look?url=" + name); !asked) {
    return asked.error();
  }
  Result<WatchNews> news = Error{ErrorKind::timeout, Side::self, "there was no answer: " + url};
  for (const SteadyTime until = Clock::system().steady() + kLookWithin; Clock::system().steady() < until;) {
    const timespec wait{0, 200'000'000};
    nanosleep(&wait, nullptr);
    pages = watched_there(api);
    const std::optional<WatchedPage> now = pages ? find_page(*pages, url) : std::nullopt;
    if (!now || !now->last || now->last->at == last) continue;
    news = *now->last;
    break;
  }
  if (!before) (void)api.ask("DELETE", "/api/v1/watches?url=" + name);
  return news;
}

int look_once_there(const Arguments& given) {
  Output out;
  for (const std::string& url : given.urls) {
    const Result<WatchNews> news = look_there(given.api, with_scheme(url));
    if (!news) {
      complain(news.error().detail);
      return news.error().kind == ErrorKind::invalid_argument ? kUsage : kFailure;
    }
    print(out, *news, given.json);
  }
  return out.finish();
}

int watch_there(const Arguments& given, std::optional<std::chrono::seconds> every) {
  if (given.list) {
    const Result<std::vector<WatchedPage>> pages = watched_there(given.api);
    if (pages) return show_all(*pages, given.json);
    complain(pages.error().detail);
    return kFailure;
  }
  if (given.once && !given.remove) return look_once_there(given);
  for (const std::string& url : given.urls) {
    json::object wish{{"url", with_scheme(url)}};
    if (every) wish["every"] = every->count();
    const Result<json::value> done =
        given.remove ? given.api.ask("DELETE", "/api/v1/watches?url=" + url_encoded(with_scheme(url)))
                     : given.api.ask("POST", "/api/v1/watches", json::serialize(wish));
    if (!done) {
      complain(done.error().detail);
      return done.error().kind == ErrorKind::invalid_argument ? kUsage : kFailure;
    }
  }
  if (given.remove) return kSuccess;
  return follow_there(given);
}

int watch(Arguments& given) {
  ConfigProblems problems;
  const auto sources = given.api.config().sources(problems);
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
  if (given.urls.empty() && (given.remove || given.once)) {
    complain("a URL is needed");
    return kUsage;
  }
  std::optional<std::chrono::seconds> every;
  if (given.every) {
    const Parsed<Duration> parsed = parse_duration(*given.every);
    if (!parsed.value) {
      complain("--every: " + parsed.problem);
      return kUsage;
    }
    every = std::chrono::duration_cast<std::chrono::seconds>(*parsed.value);
  }
  if (given.api.somebody_there()) return watch_there(given, every);
  return watch_here(*config, given, every);
}

}  // namespace

void add_watch(CommandLine& line) {
  const auto given = std::make_shared<Arguments>();
  const Command command =
      line.add_command(line.app(), "watch", "Tell when a page changes, and what changed",
                       "outrider watch https://example.com/news --every 1h", [given] { return watch(*given); });
  command.add_footer(
      "\n\nWithout a URL: goes on with the pages that are watched already. Ctrl-C ends; they stay watched.");
  given->api.add_to(command);
  command.add_option("url", given->urls, "The page").option_text("URL…");
  command.add_option("--every", given->every, "Look at this interval (default: as often as the page changes)")
      .option_text("TIME");
  command.add_flag("--list", given->list, "Show the pages that are watched");
  command.add_flag("--remove", given->remove, "Watch it no more");
  command.add_flag("--once", given->once, "Look once, and end");
  command.add_flag("--json", given->json, "One JSON object a line");
  command.add_flag("--lab", given->lab, "For your own test servers: no politeness, and private addresses allowed");
}

}  // namespace outrider::cli
