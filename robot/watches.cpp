#include "robot/watches.hpp"

#include "base/log.hpp"
#include "base/url.hpp"
#include "robot/frontier.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <charconv>
#include <limits>

namespace outrider {
namespace {

namespace json = boost::json;
constexpr std::string_view kNote = "watch ";
constexpr std::chrono::seconds kSoonest{10}, kLatest{365 * 24 * 3600};
constexpr std::size_t kLooksAtOnce = 16;
constexpr TaskId kBeingSubmitted = std::numeric_limits<TaskId>::max();

Error no_such(std::string_view url) {
  return {ErrorKind::not_found, Side::client, fmt::format("nobody watches {}", url)};
}

bool is_change(const WatchReport& report) {
  using Kind = WatchReport::Kind;
  return report.kind == Kind::changed || report.kind == Kind::gone || report.kind == Kind::back;
}

json::value write(const std::optional<WatchNews>& news) {
  if (!news) return nullptr;
  const auto millis = [](WallTime at) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
  };
  return json::object{{"kind", news->kind}, {"diff", news->diff}, {"detail", news->detail}, {"at", millis(news->at)}};
}

std::string text_in(const json::object& from, std::string_view key) {
  const json::value* found = from.if_contains(key);
  return found != nullptr && found->is_string() ? std::string{std::string_view{found->get_string()}} : "";
}

std::optional<WatchNews> read_news(const json::object& from, std::string_view key, const std::string& url) {
  const json::value* found = from.if_contains(key);
  if (found == nullptr || !found->is_object()) return std::nullopt;
  const json::object& record = found->get_object();
  WatchNews news;
  news.url = url;
  news.kind = text_in(record, "kind");
  news.diff = text_in(record, "diff");
  news.detail = text_in(record, "detail");
  if (const json::value* at = record.if_contains("at"); at != nullptr && at->is_int64())
    news.at = WallTime{std::chrono::milliseconds{at->get_int64()}};
  return news;
}

}  // namespace

// What a task brought: filled by its observer, on the robot's thread.
struct RobotWatches::Look {
  bool found = false;
  std::string text;
};

RobotWatches::RobotWatches(House house) : house_(std::move(house)) {}

void RobotWatches::load() {
  for (const TaskStatus& task : house_.robot.list())  // looks that a stop has interrupted
    if (task.spec.owner == kOwner) (void)house_.robot.remove(task.id);
  for (const auto& [name, record] : house_.frontier.notes(kNote)) {
    boost::system::error_code wrong;
    const json::value value = json::parse(record, wrong);
    const json::object* from = wrong ? nullptr : value.if_object();
    const json::value* page = from == nullptr ? nullptr : from->if_contains("page");
    std::optional<PageWatch> read =
        page != nullptr && page->is_string() ? PageWatch::load(std::string_view{page->get_string()}) : std::nullopt;
    if (!read) {
      log::error(Room::robot, "watch_unreadable", {});
      continue;
    }
    const std::string url = read->url();
    Watched watched{std::move(*read), {}, 0};
    watched.shown.url = url;
    watched.shown.owner = text_in(*from, "owner");
    if (const json::value* every = from->if_contains("every"); every != nullptr && every->is_int64())
      watched.shown.every = std::chrono::seconds{every->get_int64()};
    watched.shown.next = watched.page.next();
    watched.shown.looks = watched.page.looks();
    watched.shown.last = read_news(*from, "last", url);
    watched.shown.last_change = read_news(*from, "last_change", url);
    pages_.emplace(url, std::move(watched));
  }
}

void RobotWatches::keep(const Watched& watched) {
  json::object record{{"page", watched.page.save()},
                      {"owner", watched.shown.owner},
                      {"last", write(watched.shown.last)},
                      {"last_change", write(watched.shown.last_change)}};
  if (watched.shown.every) record["every"] = watched.shown.every->count();
  house_.frontier.set_note(std::string{kNote} + watched.shown.url, json::serialize(record));
}

Result<void> RobotWatches::watch(std::string text, std::optional<std::chrono::seconds> every, std::string owner) {
  const Result<Url> url = Url::parse(text);
  if (!url) return url.error();
  if (!url->is_http()) return Error{ErrorKind::invalid_argument, Side::client, "only web pages can be watched"};
  if (every && (*every < kSoonest || *every > kLatest))
    return Error{ErrorKind::invalid_argument, Side::client, "the interval must be 10 seconds to a year"};
  const std::string name{url->href_without_fragment()};
  Result<void> done;
  house_.on_the_thread([&] {
    auto found = pages_.find(name);
    if (found == pages_.end()) {
      if (pages_.size() >= kMost) {
        done = Error{ErrorKind::busy, Side::self, fmt::format("{} pages are watched already", kMost)};
        return;
      }
      found = pages_.emplace(name, Watched{PageWatch{name, {}}, {}, 0}).first;
      found->second.shown.url = name;
    }
    Watched& watched = found->second;
    watched.shown.every = every;
    watched.shown.owner = std::move(owner);
    watched.page.set_every(every ? std::optional<Duration>{*every} : std::nullopt, house_.clock.now());
    watched.shown.next = watched.page.next();
    keep(watched);
    house_.frontier.flush();
  });
  return done;
}

Result<void> RobotWatches::unwatch(std::string_view text) {
  const Result<Url> url = Url::parse(text);
  const std::string name{url ? std::string{url->href_without_fragment()} : std::string{text}};
  Result<void> done;
  house_.on_the_thread([&] {
    const auto found = pages_.find(name);
    if (found == pages_.end()) {
      done = no_such(name);
      return;
    }
    const TaskId task = found->second.task;
    pages_.erase(found);
    house_.frontier.remove_note(std::string{kNote} + name);
    house_.frontier.flush();
    if (task != 0) (void)house_.robot.remove(task);
  });
  return done;
}

std::vector<WatchedPage> RobotWatches::watched() const {
  std::vector<WatchedPage> all;
  house_.on_the_thread([&] {
    for (const auto& [url, watched] : pages_) all.push_back(watched.shown);
  });
  return all;
}

Result<void> RobotWatches::look_now(std::string_view text) {
  const Result<Url> url = Url::parse(text);
  const std::string name{url ? std::string{url->href_without_fragment()} : std::string{text}};
  Result<void> done;
  house_.on_the_thread([&] {
    const auto found = pages_.find(name);
    if (found == pages_.end()) {
      done = no_such(name);
    } else if (found->second.task == 0) {
      begin_look(found->second);
    }
  });
  return done;
}

std::shared_ptr<void> RobotWatches::on_news(Listener hear) {
  auto listener = std::make_shared<Listener>(std::move(hear));
  house_.on_the_thread([&] {
    std::erase_if(listeners_, [](const auto& weak) { return weak.expired(); });
    listeners_.push_back(listener);
  });
  return listener;
}

void RobotWatches::tick(WallTime now) {
  std::vector<std::string> due;
  std::size_t under_way = 0;
  for (const auto& [url, watched] : pages_) {
    if (watched.task != 0) {
      ++under_way;
    } else if (watched.page.next() <= now) {
      due.push_back(url);
    }
  }
  for (const std::string& url : due) {
    if (under_way >= kLooksAtOnce) break;
    // Whoever submits a task makes the robot tick: another look of the same page may have begun.
    const auto found = pages_.find(url);
    if (found == pages_.end() || found->second.task != 0) continue;
    begin_look(found->second);
    ++under_way;
  }
}

void RobotWatches::begin_look(Watched& watched) {
  const std::string url = watched.shown.url;
  watched.task = kBeingSubmitted;
  TaskSpec spec;
  spec.name = fmt::format("watch {}", url);
  spec.owner = kOwner;
  spec.start = {url};
  spec.depth = 0;
  spec.restriction = Restriction::all;  // wherever it redirects to
  spec.check_memory = false;            // "has it changed?" is a question to the origin
  spec.max_attempts = 1;                // the next look is the next attempt
  const auto look = std::make_shared<Look>();
  TaskCompany company;
  company.judges.need_text = true;
  company.observer.on_page = [look](const RobotPage& page) {
    look->found = true;
    look->text = page.node.page.text;
  };
  company.observer.on_state = [this, url, look](TaskId task, TaskState state) {
    if (state >= TaskState::finished) look_ended(url, *look, task);
  };
  const Result<TaskId> task = house_.robot.submit(std::move(spec), std::move(company));
  if (task) {
    watched.task = *task;
  } else {
    watched.task = 0;
    log::error(Room::robot, "watch_failed", {{"reason", task.error().detail}});
  }
}

void RobotWatches::look_ended(const std::string& url, const Look& look, TaskId task) {
  const auto found = pages_.find(url);
  if (found == pages_.end() || found->second.task != task) return;
  Watched& watched = found->second;
  watched.task = 0;
  WatchLook seen;
  seen.text = look.text;
  std::string detail;
  // The origin was asked. If the answer is from the store all the same, there was none (RFC 5861 section 4).
  const Result<TaskStatus> status = house_.robot.status(task);
  if (look.found && status && status->statistics.cache_hits > 0) {
    detail = "the site does not answer; there is only the stored copy";
  } else if (look.found) {
    seen.status = 200;
  } else if (const Result<UrlFate> fate = house_.robot.why_not(task, url)) {
    detail = fate->detail;
    constexpr std::string_view kStatus = "status ";
    if (detail.starts_with(kStatus))
      std::from_chars(detail.data() + kStatus.size(), detail.data() + detail.size(), seen.status);
    if (seen.status < 400) seen.status = 0;  // a redirect that led nowhere
    if (fate->state == UrlFate::State::rejected) detail = fmt::format("{}: {}", to_string(fate->reason), detail);
  }
  const WallTime now = house_.clock.now();
  const WatchReport report = watched.page.look(seen, house_.settings(), now);
  WatchNews news;
  news.url = url;
  news.kind = to_string(report.kind);
  news.detail = report.kind == WatchReport::Kind::unreachable ? detail : "";
  if (report.diff.changed()) news.diff = format_diff(report.diff);
  news.at = now;
  news.next = report.next;
  news.why_next = report.why_next;
  watched.shown.last = news;
  if (is_change(report)) watched.shown.last_change = news;
  watched.shown.next = watched.page.next();
  watched.shown.looks = watched.page.looks();
  keep(watched);
  (void)house_.robot.remove(task);
  const std::vector<std::weak_ptr<Listener>> listeners = listeners_;
  for (const auto& weak : listeners)
    if (const auto listener = weak.lock()) (*listener)(news);
}

}  // namespace outrider
