#include "proxy/plugin_host.hpp"

#include "base/log.hpp"
#include "base/url.hpp"
#include "proxy/plugin_robot.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <future>

namespace outrider {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

constexpr Duration kLookEvery = 100ms;
constexpr Duration kTimerEvery = 1s;
// News of the memory must not keep pages waiting: a few at a time, and only when the line is short. While all of it is
// of a kind that nobody wants to hear of, there is no hurry to look again.
constexpr Duration kLookSoon = 10ms;
constexpr std::size_t kNewsRead = 256;
constexpr std::size_t kNewsAtOnce = 16;
constexpr std::size_t kShortLine = 4;

// Behind each part a byte that is in no UTF-8.
void add_part(std::string& text, std::string_view part) {
  text.append(part).push_back('\xFF');
}

// Of what is configured in the plugin's section, as far as it may be shown.
std::uint64_t settings_mark(const SipKey& key, const Config& config, std::string section) {
  section.insert(0, "plugins.");
  std::replace(section.begin(), section.end(), '-', '_');
  std::string text;
  const std::vector<SectionInfo>& sections = config.schema().sections();
  for (std::size_t s = 0; s < sections.size(); ++s) {
    if (sections[s].path != section && !sections[s].path.starts_with(section + ".")) continue;
    for (std::size_t k = 0; k < sections[s].keys.size(); ++k) {
      const KeySchema& schema = sections[s].keys[k];
      add_part(text, schema.path);
      add_part(text, to_toml(shown_value(schema, config.value({s, k}))));
    }
  }
  return siphash128(key, text).low;
}

}  // namespace

// A plugin with the ports that are its own.
struct PluginHost::Entry final : PluginEvents, PluginSwitch, PluginThread {
  Entry(PluginHost& host, Source source, bool isolated)
      : record(std::move(source.plugin), std::move(source.origin), isolated,
               {host.settings_.budget, host.settings_.patience, host.ports_.clock}, host.metrics_),
        store(host.folder_ / record.info().name),
        host_(host) {}
  void publish(std::string_view kind, json::object data) override {
    host_.publish(record.info().name, kind, std::move(data));
  }
  bool is_on(std::string_view site) const override { return host_.switches_.is_on(record.info().name, site); }
  Result<void> turn(std::string_view site, bool on) override { return host_.turn(record.info().name, site, on); }
  bool post(std::function<void()> work) override {
    return record.running() &&
           record.lane().post([this, work = std::move(work)] { record.guarded("work of its own", work); });
  }

  PluginRecord record;
  FolderPluginStore store;
  std::unique_ptr<PluginRobot> robot;
  EventCursor memory_cursor = 0;  // what it has been told

 private:
  PluginHost& host_;
};

PluginHost::PluginHost(const PluginSettings& settings, std::filesystem::path data_directory, Metrics& metrics,
                       Ports ports)
    : settings_(settings),
      folder_(std::move(data_directory) / "plugins"),
      metrics_(metrics),
      ports_(ports),
      switches_(folder_ / "switches.json") {
  switches_.set_defaults(settings.off, settings.off_sites);
}

PluginHost::~PluginHost() {
  if (stop()) return;
  // A thread is inside a plugin and will be for ever: what it may touch stays.
  static std::mutex mutex;
  static auto& left_behind = *new std::vector<std::unique_ptr<Entry>>;
  const std::lock_guard lock(mutex);
  for (std::unique_ptr<Entry>& entry : entries_)
    if (entry->record.has_lane() && entry->record.lane().given_up()) left_behind.push_back(std::move(entry));
}

void PluginHost::add(Source source) {
  const std::string origin = source.origin;
  try {
    take_in(std::move(source));
  } catch (const std::exception& failure) {
    note_refused({origin, fmt::format("it threw at once: {}", failure.what())});
  } catch (...) {
    note_refused({origin, "it threw at once"});
  }
}

void PluginHost::take_in(Source source) {
  const std::string name = source.plugin->info().name;
  if (find(name) != nullptr) {
    note_refused({source.origin, "there is another plugin of the name " + name});
    return;
  }
  std::vector<PluginResource> resources = source.plugin->resources();
  std::vector<PluginDocument> documents = source.plugin->documents();
  const bool isolated = source.loaded || settings_.isolate == PluginIsolation::all;
  entries_.push_back(std::make_unique<Entry>(*this, std::move(source), isolated));
  for (PluginResource& resource : resources) resources_.emplace(name + "/" + resource.file, std::move(resource));
  for (PluginDocument& document : documents) documents_.emplace(name + document.path, std::move(document.answer));
}

void PluginHost::note_refused(Refused refused) {
  log::error(Room::plugins, "plugin_refused", {{"origin", refused.origin}, {"reason", refused.reason}});
  refused_.push_back(std::move(refused));
}

void PluginHost::start(const Config& config, Robot* robot) {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    PluginRecord& record = entry->record;
    if (robot != nullptr) {
      entry->robot = std::make_unique<PluginRobot>(*robot, record, metrics_);
      entry->robot->resume_observing();
    }
    const PluginPorts ports{ports_.clock, ports_.memory, entry->robot.get(),  &entry->store,
                            entry.get(),  entry.get(),   ports_.copies.get(), entry.get()};
    const auto begin = [&record, ports, config, key = mark_key_] {
      const bool ready = record.guarded_even_aside("configure", [&] { record.plugin().configure(config); }) &&
                         record.guarded("start", [&] { record.plugin().start(ports); });
      if (!ready) return record.never_started();
      record.set_settings_mark(settings_mark(key, config, record.info().name));
      log::info(Room::plugins, "plugin_ready", {{"plugin", record.info().name}, {"origin", record.origin()}});
    };
    if (record.isolated()) {
      if (!record.lane().post(begin)) record.never_started();  // nobody may call it now
    } else {
      begin();
    }
  }
  note_wanted();
  if (entries_.empty()) return;
  if (ports_.memory != nullptr && ports_.news) {
    for (const std::unique_ptr<Entry>& entry : entries_) entry->memory_cursor = ports_.memory->newest_event();
    memory_subscription_ = ports_.memory->on_events([this] { memory_news_ = true; });
  }
  started_ = true;
  watchdog_ = std::thread([this] { watch(); });
}

void PluginHost::configure(PluginRecord& record, const Config& config) {
  const auto apply = [&record, config, key = mark_key_] {
    // It would go on with half of what it was told.
    if (!record.guarded_even_aside("configure", [&] { record.plugin().configure(config); })) return record.set_aside();
    // Not before: a page that is on its way bears the old mark, and whoever comes back with that gets it anew.
    record.set_settings_mark(settings_mark(key, config, record.info().name));
  };
  if (record.isolated()) {
    if (!record.lane().post(apply)) record.set_aside();
  } else {
    apply();
  }
}

void PluginHost::reload(const Config& config) {
  const auto& settings = config.get<PluginSettings>();
  switches_.set_defaults(settings.off, settings.off_sites);
  unchanged_.clear();  // a plugin may want to change them now
  for (const std::unique_ptr<Entry>& entry : entries_) configure(entry->record, config);
}

bool PluginHost::stop() {
  {
    const std::lock_guard lock(watch_mutex_);
    stopping_ = true;
    watch_changed_.notify_all();
  }
  if (watchdog_.joinable()) watchdog_.join();
  memory_subscription_.reset();
  wanted_ = 0;
  bool all = true;
  for (const std::unique_ptr<Entry>& entry : entries_) {
    PluginRecord& record = entry->record;
    const auto end = [&record] { record.guarded_even_aside("stop", [&] { record.plugin().stop(); }); };
    if (record.has_lane()) {
      if (started_) record.lane().post(end);
      all = record.lane().stop(settings_.patience) && all;
    } else if (started_) {
      end();
    }
  }
  started_ = false;
  return all;
}

bool PluginHost::lost() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const std::unique_ptr<Entry>& entry) {
    return entry->record.has_lane() && entry->record.lane().given_up();
  });
}

void PluginHost::note_wanted() {
  unsigned wanted = 0;
  for (const std::unique_ptr<Entry>& entry : entries_)
    if (entry->record.running()) wanted |= entry->record.info().hooks.bits;
  wanted_.store(wanted, std::memory_order_relaxed);
}

PluginHost::Records PluginHost::select(Hook hook, std::string_view host) const {
  Records found;
  for (const std::unique_ptr<Entry>& entry : entries_) {
    PluginRecord& record = entry->record;
    if (record.running() && record.info().hooks.has(hook) && switches_.is_on(record.info().name, host))
      found.push_back(&record);
  }
  return found;
}

PluginRecord* PluginHost::find(std::string_view name) const {
  for (const std::unique_ptr<Entry>& entry : entries_)
    if (entry->record.info().name == name) return &entry->record;
  return nullptr;
}

const PluginResource* PluginHost::resource(std::string_view path) const {
  const auto found = resources_.find(path);
  return found == resources_.end() ? nullptr : &found->second;
}

const PluginAnswer* PluginHost::document(std::string_view path) const {
  const auto found = documents_.find(path);
  return found == documents_.end() ? nullptr : &found->second;
}

PageMark PluginHost::mark_of(const Records& records, std::string_view host) const {
  if (records.empty()) return 0;
  std::string text;
  add_part(text, host);
  for (const PluginRecord* record : records) {
    add_part(text, record->info().name);
    add_part(text, record->info().version);
    add_part(text, std::to_string(record->settings_mark()));
  }
  return std::max<PageMark>(static_cast<PageMark>(siphash128(mark_key_, text).low), 1);
}

void PluginHost::watch() {
  SteadyTime next_timer = std::chrono::steady_clock::now() + kTimerEvery;
  std::unique_lock lock(watch_mutex_);
  bool heeded = true;
  while (
      !watch_changed_.wait_for(lock, memory_news_ && heeded ? kLookSoon : kLookEvery, [this] { return stopping_; })) {
    lock.unlock();
    try {
      look_for_hangs();
      heeded = !memory_news_.exchange(false) || pass_on_memory_events();
      if (std::chrono::steady_clock::now() >= next_timer) {
        next_timer += kTimerEvery;
        call_timers();
      }
      note_wanted();
    } catch (const std::bad_alloc&) {  // the next look is another one
      memory_news_ = true;
    }
    lock.lock();
  }
}

// Switches are about sites. What was begun ends also where no more may begin, and its documents are shown.
void PluginHost::call_timers() {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    PluginRecord& record = entry->record;
    if (!record.running() || !record.info().hooks.has(Hook::timer)) continue;
    record.lane().post([&record] { record.guarded("on_timer", [&] { record.plugin().on_timer(); }); });
  }
}

void PluginHost::look_for_hangs() {
  for (const std::unique_ptr<Entry>& entry : entries_) {
    PluginRecord& record = entry->record;
    if (!record.has_lane() || record.lane().given_up()) continue;
    const std::optional<Duration> busy = record.lane().busy_for();
    if (!busy || *busy < settings_.patience) continue;
    record.hangs("a hook", *busy);
    record.lane().give_up();
  }
  for (Slot& slot : slots_) {
    PluginRecord* const record = slot.record.load();
    if (record == nullptr || !record->running()) continue;
    const SteadyTime since{Duration{slot.since.load()}};
    const Duration busy = std::chrono::steady_clock::now() - since;
    if (busy >= settings_.patience) record->hangs("a hook on an I/O thread, which it holds up,", busy);
  }
}

// False: nobody wanted to hear of it.
bool PluginHost::pass_on_memory_events() {
  bool heeded = false;
  for (const std::unique_ptr<Entry>& entry : entries_) heeded |= pass_on_memory_events(*entry);
  return heeded;
}

// Events say what happened; whoever wants to know more asks the memory.
bool PluginHost::pass_on_memory_events(Entry& entry) {
  PluginRecord& record = entry.record;
  const Hooks hooks = record.info().hooks;
  if (!hooks.has(Hook::node) && !hooks.has(Hook::visit)) return false;
  const std::string& name = record.info().name;
  if (!record.running() || !switches_.is_on_somewhere(name)) {
    entry.memory_cursor = ports_.memory->newest_event();
    return false;
  }
  PluginLane& lane = record.lane();
  if (lane.waiting() > kShortLine) {
    memory_news_ = true;
    return true;
  }
  const Result<std::vector<MemoryEvent>> events = ports_.news(entry.memory_cursor, kNewsRead);
  if (!events) return false;
  if (!events->empty()) memory_news_ = true;  // there may be more
  std::size_t told = 0;
  for (const MemoryEvent& event : *events) {
    if (told == kNewsAtOnce) break;
    entry.memory_cursor = event.cursor;
    const bool visit = event.kind == MemoryEventKind::visit;
    if (!hooks.has(visit ? Hook::visit : Hook::node)) continue;
    if (!visit && event.kind > MemoryEventKind::node_gone) continue;
    const Result<Url> url = Url::parse(event.url);
    if (!switches_.is_on(name, url ? url->hostname() : std::string_view{})) continue;
    ++told;
    lane.post([&record, event, visit] {
      if (visit) {
        record.guarded("on_visit", [&] { record.plugin().on_visit(event); });
      } else {
        record.guarded("on_node", [&] { record.plugin().on_node(event); });
      }
    });
  }
  return told > 0;
}

void PluginHost::publish(const std::string& plugin, std::string_view kind, json::object data) {
  json::object event{
      {"plugin", plugin},
      {"kind", kind},
      {"at", std::chrono::duration_cast<std::chrono::milliseconds>(ports_.clock->now().time_since_epoch()).count()},
      {"data", std::move(data)}};
  const std::lock_guard lock(events_mutex_);
  event["cursor"] = ++last_event_;
  events_.push_back(std::move(event));
  if (events_.size() > kEventsKept) events_.pop_front();
}

json::object PluginHost::events(std::uint64_t cursor) const {
  const std::lock_guard lock(events_mutex_);
  json::array found;
  for (const json::object& event : events_)
    if (event.at("cursor").to_number<std::uint64_t>() > cursor) found.push_back(event);
  return {{"events", std::move(found)}, {"next", last_event_}};
}

json::array PluginHost::list() const {
  json::array all;
  for (const std::unique_ptr<Entry>& entry : entries_) {
    const PluginRecord& record = entry->record;
    const PluginInfo& info = record.info();
    const PluginRecord::Report report = record.report();
    all.push_back(json::object{{"name", info.name},
                               {"title", info.title},
                               {"version", info.version},
                               {"description", info.description},
                               {"origin", record.origin()},
                               {"own_thread", record.isolated()},
                               {"on", switches_.is_on(info.name, "")},
                               {"sites", switches_.sites(info.name)},
                               {"card", record.running() && info.hooks.has(Hook::card)},
                               {"state", report.state},
                               {"problem", report.problem},
                               {"failures", report.failures},
                               {"calls", report.calls},
                               {"exceptions", report.exceptions},
                               {"overruns", report.overruns},
                               {"hangs", report.hangs}});
  }
  for (const Refused& refused : refused_)
    all.push_back(json::object{{"origin", refused.origin}, {"state", "refused"}, {"problem", refused.reason}});
  return all;
}

Result<void> PluginHost::turn(std::string_view plugin, std::string_view site, bool on) {
  PluginRecord* const record = find(plugin);
  if (record == nullptr)
    return Error{ErrorKind::not_found, Side::client, fmt::format("there is no plugin \"{}\"", plugin)};
  if (Result<void> turned = switches_.turn(plugin, site, on); !turned) return turned;
  if (on && site.empty()) {
    record->bring_back();
    note_wanted();
    if (!record->running())
      return Error{ErrorKind::rule_denied, Side::client,
                   "it hangs or did not start, so it can come back only with a restart"};
  }
  return {};
}

Result<void> PluginHost::forget_site(std::string_view plugin, std::string_view site) {
  if (find(plugin) == nullptr)
    return Error{ErrorKind::not_found, Side::client, fmt::format("there is no plugin \"{}\"", plugin)};
  return switches_.forget_site(plugin, site);
}

// Not for an I/O thread: this one waits.
Result<json::object> PluginHost::card(std::string_view plugin) {
  PluginRecord* const record = find(plugin);
  if (record == nullptr || !record->running() || !record->info().hooks.has(Hook::card))
    return Error{ErrorKind::not_found, Side::client, fmt::format("there is no card of a plugin \"{}\"", plugin)};
  const auto shown = std::make_shared<std::promise<std::optional<json::object>>>();
  std::future<std::optional<json::object>> waiting = shown->get_future();
  const auto work = [record, shown] {
    json::object card;
    const bool ok = record->guarded("card", [&] { card = record->plugin().card(); });
    shown->set_value(ok ? std::optional{std::move(card)} : std::nullopt);
  };
  const bool taken = record->lane().post(work);
  if (taken && waiting.wait_for(settings_.patience) == std::future_status::ready)
    if (std::optional<json::object> card = waiting.get()) return std::move(*card);
  return Error{ErrorKind::busy, Side::self, fmt::format("the plugin \"{}\" does not answer", plugin)};
}

PluginHost::Inside::Inside(PluginHost& host, PluginRecord* record) : slot_(kSlots), host_(host) {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads++;
  if (mine >= kSlots) return;  // more I/O threads than anybody has
  slot_ = mine;
  host_.slots_[slot_].since.store(std::chrono::steady_clock::now().time_since_epoch().count());
  host_.slots_[slot_].record.store(record);
}

void PluginHost::Inside::now_in(PluginRecord* record) {
  if (slot_ < kSlots) host_.slots_[slot_].record.store(record, std::memory_order_relaxed);
}

PluginHost::Inside::~Inside() {
  if (slot_ < kSlots) host_.slots_[slot_].record.store(nullptr);
}

}  // namespace outrider
