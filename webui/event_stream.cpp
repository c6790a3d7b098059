#include "webui/event_stream.hpp"

#include "webui/memory_json.hpp"
#include "webui/paging.hpp"
#include "webui/state_json.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace outrider::webui {
namespace {

constexpr std::size_t kMostAtOnce = 256;
constexpr Duration kLookEvery = std::chrono::seconds{1};
constexpr Duration kStatsEvery = std::chrono::seconds{1};
// Says that the connection lives; whatever is in between may close one that is silent.
constexpr Duration kSilence = std::chrono::seconds{15};

constexpr std::string_view kWatch = "watch", kPlugin = "plugin", kSettings = "settings", kPlugins = "plugins",
                           kOnboarding = "onboarding", kHealth = "health", kLog = "log";
constexpr std::array<std::string_view, 18> kKinds = {
    "hello", "exchange", "stats", "lost",  "task", "node_new", "node_changed", "node_gone", "link_new",
    "visit", "error",    kWatch,  kPlugin, kLog,   kSettings,  kPlugins,       kOnboarding, kHealth};

bool is_below(std::string_view host, std::string_view site) {
  if (host == site) return true;
  return host.size() > site.size() && host.ends_with(site) && host[host.size() - site.size() - 1] == '.';
}

std::string_view host_of_url(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  url.remove_prefix(begin + 3);
  return url.substr(0, url.find_first_of("/?#"));
}

// Published behind `after`; `newest` moves on.
json::array news_of_plugins(const PluginControl& plugins, std::uint64_t after, std::uint64_t& newest) {
  json::object news = plugins.events(after);
  newest = news.at("next").to_number<std::uint64_t>();
  return std::move(news.at("events").as_array());
}

Result<std::vector<std::string>> kinds_in(const ApiRequest& request, std::string_view parameter) {
  std::vector<std::string> named;
  std::string_view kinds = request.parameter(parameter).value_or("");
  while (!kinds.empty()) {
    const std::string_view kind = kinds.substr(0, kinds.find(','));
    kinds.remove_prefix(std::min(kinds.size(), kind.size() + 1));
    if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end())
      return Error{ErrorKind::invalid_argument, Side::client, fmt::format("there are no events \"{}\"", kind)};
    named.emplace_back(kind);
  }
  return named;
}

std::string_view without_port(std::string_view host) {
  return host.substr(0, host.find(':', host.starts_with('[') ? host.find(']') : 0));
}

}  // namespace

void StreamPosition::append_to(std::string& out) const {
  const auto number = [&out](std::uint64_t value) {
    char digits[20];
    const auto written = std::to_chars(digits, digits + sizeof digits, value);
    out.append(".").append(digits, static_cast<std::size_t>(written.ptr - digits));
  };
  out += server;
  number(exchange);
  number(memory);
}

std::string StreamPosition::to_string() const {
  std::string text;
  append_to(text);
  return text;
}

std::optional<StreamPosition> StreamPosition::parse(std::string_view text) {
  const std::size_t first = text.find('.');
  const std::size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos || first == 0 || text.size() > 100) return std::nullopt;
  const auto exchange = parse_number(text.substr(first + 1, second - first - 1));
  const auto memory = parse_number(text.substr(second + 1));
  if (!exchange || !memory) return std::nullopt;
  return StreamPosition{std::string{text.substr(0, first)}, *exchange, *memory};
}

bool StreamFilter::wants(std::string_view kind) const {
  return kinds.empty() || names(kind);
}

bool StreamFilter::names(std::string_view kind) const {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end() ||
         std::find(with.begin(), with.end(), kind) != with.end();
}

bool StreamFilter::wants_host(std::string_view host_and_port) const {
  return host.empty() || is_below(without_port(host_and_port), host);
}

Result<StreamFilter> filter_of(const ApiRequest& request) {
  Result<std::vector<std::string>> kinds = kinds_in(request, "kinds");
  if (!kinds) return kinds.error();
  Result<std::vector<std::string>> with = kinds_in(request, "with");
  if (!with) return with.error();
  StreamFilter filter;
  filter.kinds = std::move(*kinds);
  filter.with = std::move(*with);
  filter.host = request.parameter("host").value_or("");
  filter.cache = request.parameter("cache").value_or("");
  return filter;
}

EventStream::EventStream(const Ports& ports, WorkerPool& workers, const Clock& clock, Hello hello, StreamFilter filter,
                         std::optional<StreamPosition> from, const Feeds& feeds, StreamFormat format)
    : ports_(ports),
      workers_(workers),
      clock_(clock),
      filter_(std::move(filter)),
      hello_(std::move(hello)),
      last_look_(clock_.steady()),
      tasks_(filter_.wants("task") && hello_.role != Role::user ? feeds.tasks.get() : nullptr),
      tasks_told_(tasks_ == nullptr ? 0 : tasks_->newest()),
      plugins_(filter_.wants(kPlugin) && hello_.role != Role::user ? ports.plugins : nullptr),
      hears_log_(filter_.names(kLog) && hello_.role == Role::admin),
      log_told_(log::newest()),
      format_(format) {
  if (plugins_ != nullptr) (void)news_of_plugins(*plugins_, std::numeric_limits<std::uint64_t>::max(), plugins_told_);
  const bool same_run = from && from->server == hello_.server;
  position_.server = hello_.server;
  position_.exchange = same_run ? from->exchange : 0;
  if (ports_.traffic != nullptr && filter_.wants("exchange") && hello_.role != Role::user)
    traffic_ = ports_.traffic->watch(position_.exchange);
  if (ports_.watches != nullptr && filter_.wants(kWatch) && hello_.role != Role::user)
    watches_ = std::make_unique<WatchFeed>(*ports_.watches);
  if (ports_.settings != nullptr && filter_.wants(kSettings) && hello_.role != Role::user)
    settings_ = std::make_unique<SettingsFeed>(*ports_.settings);
  if (filter_.wants(kPlugins)) follow(kPlugins, feeds.plugins.get());
  if (filter_.wants(kOnboarding)) follow(kOnboarding, feeds.onboarding.get());
  if (filter_.names(kHealth)) follow(kHealth, feeds.health.get(), true);
  if (ports_.memory != nullptr) {
    memory_has_more_ = std::make_shared<std::atomic<bool>>(from.has_value());
    position_.memory = from ? from->memory : ports_.memory->newest_event();
    memory_subscription_ = ports_.memory->on_events([flag = memory_has_more_] { flag->store(true); });
  }
}

void EventStream::follow(std::string_view kind, StateFeed* feed, bool as_patches) {
  if (feed != nullptr && hello_.role != Role::user) followed_.push_back({kind, feed, as_patches});
}

// Data is one line: JSON has no line breaks of its own, and escapes those of others. Thousands of these a second go to
// dozens of listeners: pieces are appended, nothing is made on the way.
void EventStream::append(std::string_view kind, std::string_view data) {
  const bool as_line = format_ == StreamFormat::lines;
  out_.append(as_line ? "{\"event\":\"" : "event: ").append(kind).append(as_line ? "\",\"id\":\"" : "\nid: ");
  position_.append_to(out_);
  out_.append(as_line ? "\",\"data\":" : "\ndata: ").append(data).append(as_line ? "}\n" : "\n\n");
}

void EventStream::append_watches() {
  if (!watches_) return;
  for (const std::string& line : watches_->take()) append(kWatch, line);
}

void EventStream::append_plugins() {
  if (plugins_ == nullptr) return;
  for (const json::value& event : news_of_plugins(*plugins_, plugins_told_, plugins_told_))
    append(kPlugin, json::serialize(event));
}

void EventStream::append_log() {
  if (!hears_log_ || log::newest() == log_told_) return;
  for (const log::Record& record : log::tail(log_told_)) {
    log_told_ = record.number;
    append(kLog, json::serialize(json_of(record)));
  }
}

void EventStream::append_exchanges() {
  if (!traffic_) return;
  const TrafficBatch batch = traffic_->poll(kMostAtOnce);
  if (batch.lost != 0) append("lost", fmt::format("{{\"exchanges\":{}}}", batch.lost));
  for (const auto& event : batch.events) {
    position_.exchange = event->number;
    if (!filter_.wants_host(event->host) || (!filter_.cache.empty() && event->cache != filter_.cache)) continue;
    append("exchange", event->json);
  }
}

void EventStream::append_stats() {
  const SteadyTime now = clock_.steady();
  if (ports_.traffic == nullptr || hello_.role == Role::user || !filter_.wants("stats") ||
      now - last_stats_ < kStatsEvery)
    return;
  last_stats_ = now;
  const TrafficTotals totals = ports_.traffic->totals();
  const json::object data{{"at", shown(clock_.now())},        {"exchanges", totals.exchanges},
                          {"bytes_in", totals.bytes_in},      {"bytes_out", totals.bytes_out},
                          {"from_cache", totals.from_cache},  {"from_origin", totals.from_origin},
                          {"connections", totals.connections}};
  append("stats", json::serialize(data));
}

Task<> EventStream::append_memory() {
  if (!memory_has_more_ || !memory_has_more_->exchange(false)) co_return;
  using Events = Result<std::vector<MemoryEvent>>;
  auto read = [memory = ports_.memory, after = position_.memory, viewer = Viewer{hello_.user}]() -> Events {
    return memory->events(viewer, after, kMostAtOnce);
  };
  const Events events = co_await workers_.run(std::move(read));
  if (!events) {
    memory_has_more_->store(true);  // the threads are busy: again in a moment
    co_return;
  }
  if (events->size() == kMostAtOnce) memory_has_more_->store(true);
  for (const MemoryEvent& event : *events) {
    position_.memory = event.cursor;
    const std::string_view kind = outrider::to_string(event.kind);
    if (!filter_.wants(kind) || !filter_.wants_host(host_of_url(event.url))) continue;
    append(kind, json::serialize(json_of(event)));
  }
}

Task<> EventStream::append_tasks() {
  if (tasks_ == nullptr) co_return;
  if (const SteadyTime begin = clock_.steady(); tasks_->pace().claim(begin)) {
    auto look = [feed = tasks_]() -> Result<void> {
      feed->look();
      return {};
    };
    co_await workers_.run(std::move(look));  // too busy: in a second somebody looks again
    const SteadyTime end = clock_.steady();
    tasks_->pace().took(end - begin, end);
  }
  for (const auto& news : tasks_->since(tasks_told_)) append("task", *news);
}

Task<> EventStream::append_settings() {
  if (!settings_) co_return;
  std::vector<std::string> keys = settings_->take();
  if (keys.empty()) co_return;
  auto read = [settings = ports_.settings, keys = std::move(keys)]() -> Result<json::array> {
    return settings_json(*settings, keys);
  };
  Result<json::array> changed = co_await workers_.run(std::move(read));
  // The threads are busy: the list without values says that it has to be asked for.
  append(kSettings, json::serialize(json::object{{"settings", changed ? std::move(*changed) : json::array{}}}));
}

// What a state is like when somebody comes is no news, unless patches follow: those need something to begin with.
Task<> EventStream::append_state(Followed& followed) {
  if (const SteadyTime begin = clock_.steady(); followed.feed->pace().claim(begin)) {
    auto look = [feed = followed.feed, now = clock_.now()]() -> Result<void> {
      feed->look(now);
      return {};
    };
    co_await workers_.run(std::move(look));
    const SteadyTime end = clock_.steady();
    followed.feed->pace().took(end - begin, end);
  }
  StateFeed::State newest = followed.feed->newest();
  if (newest == followed.told) co_return;
  const StateFeed::State before = std::exchange(followed.told, std::move(newest));
  if (followed.as_patches) {
    append(followed.kind, json::serialize(merge_patch(before ? *before : json::object{}, *followed.told)));
  } else if (before) {
    append(followed.kind, json::serialize(*followed.told));
  }
}

// Somebody who was removed, or has another token now, hears no more.
Task<> EventStream::look_who_is_there() {
  const SteadyTime now = clock_.steady();
  if (!hello_.still_welcome || now - last_look_ < kLookEvery) co_return;
  last_look_ = now;
  auto look = [this]() -> Result<bool> { return hello_.still_welcome(); };
  const Result<bool> welcome = co_await workers_.run(std::move(look));
  if (welcome && !*welcome) ended_ = true;  // too busy to look: in a second again
}

Task<std::string> EventStream::next() {
  co_await look_who_is_there();
  if (ended_) co_return std::string{};
  if (!greeted_) {
    greeted_ = true;
    const json::object hello{
        {"version", hello_.version}, {"server", hello_.server}, {"role", webui::to_string(hello_.role)}};
    if (format_ == StreamFormat::events) out_ += "retry: 1000\n";  // milliseconds until the client tries again
    append("hello", json::serialize(hello));
  }
  append_watches();
  append_plugins();
  append_exchanges();
  append_stats();
  append_log();
  co_await append_memory();
  co_await append_tasks();
  co_await append_settings();
  for (Followed& followed : followed_) co_await append_state(followed);
  const SteadyTime now = clock_.steady();
  if (out_.empty() && format_ == StreamFormat::events && now - last_sent_ >= kSilence) out_ = ":\n\n";
  if (!out_.empty()) last_sent_ = now;
  co_return std::exchange(out_, {});
}

}  // namespace outrider::webui
