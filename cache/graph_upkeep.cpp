#include "cache/graph_upkeep.hpp"

#include "base/log.hpp"
#include "cache/graph_keys.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace outrider::graph {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPagesPerStep = 500;
constexpr Duration kTrimEvery = 60s, kRetainEvery = 1h, kBudgetEvery = 30s, kMeasureEvery = 5s, kPatience = 1h;
constexpr std::uint64_t kIndexPerText = 3;  // a word in the index, with its place, is larger than in the text
constexpr std::uint64_t kPerPage = 400, kPerLink = 100;  // bytes on disk, roughly: what a page costs beside its text

bool due(std::optional<SteadyTime>& last, SteadyTime now, Duration every) {
  if (last && now - *last < every) return false;
  last = now;
  return true;
}

}  // namespace

GraphUpkeep::~GraphUpkeep() {
  stop();
}

void GraphUpkeep::start() {
  thread_ = std::thread([this] { run(); });
}

void GraphUpkeep::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void GraphUpkeep::run() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 10);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    bool more = false;
    try {
      core_.db->sync();
      more = step();
    } catch (const std::exception& problem) {  // out of memory, most likely: the next second is another one
      log::error(Room::cache, "memory_upkeep_failed", {{"reason", problem.what()}});
      walk_ = Walk::idle;
    }
    lock.lock();
    wake_.wait_for(lock, more ? 50ms : 1000ms, [this] { return stopping_; });
  }
}

bool GraphUpkeep::step() {
  if (core_.db->failed() && !recover()) return false;
  const SteadyTime now = core_.clock.steady();
  if (due(last_measured_, now, kMeasureEvery)) measure();
  if (due(last_trim_, now, kTrimEvery)) {
    const auto kept_for = std::chrono::duration_cast<WallTime::duration>(core_.options.keep_events_for);
    const std::shared_lock not_forgetting(core_.forgetting);
    (void)core_.events.trim(core_.options.keep_events, core_.clock.now() - kept_for);
  }
  if (walk_ == Walk::idle) {
    const bool ages = core_.options.keep_text > 0s || (core_.options.keep_bodies && core_.options.keep_body > 0s);
    const IndexOnDisk index = core_.index();
    // Else nobody knows what the last eviction freed; but an index that cannot be written does not stop us for ever.
    const bool is_known = !index.shrinking || !index.shrinking() || now - asked_to_shrink_ > kPatience;
    if (is_known && due(last_budget_, now, kBudgetEvery) && too_much().most() > 0) {
      plan_ = Plan{};
      walk_ = Walk::measure;
    } else if (ages && due(last_retention_, now, kRetainEvery)) {
      walk_ = Walk::retention;
    }
    at_.clear();
    if (walk_ == Walk::idle) return false;
  }
  std::vector<std::pair<std::string, records::NodeRecord>> pages;
  const KeyRange rest{at_.empty() ? std::string{} : at_ + '\0', std::nullopt};
  const Result<void> read = core_.db->each(Family::nodes, rest, [&](std::string_view key, std::string_view value) {
    at_ = key;
    records::NodeRecord node;
    if (parse(value, node)) pages.emplace_back(key, std::move(node));
    return pages.size() < kPagesPerStep;
  });
  for (const auto& [key, node] : pages) look_at(key, node);
  if (!read || pages.size() < kPagesPerStep) end_walk();
  return walk_ != Walk::idle;
}

bool GraphUpkeep::recover() {
  const std::unique_lock nobody_writes(core_.forgetting);
  const bool was_open = core_.db->was_open();
  if (!core_.db->recover()) return false;
  if (const Result<void> opened = was_open ? Result<void>{} : opened_(); !opened) {
    core_.db->give_up();
    return false;
  }
  log::info(Room::cache, "memory_recovered");
  return true;
}

void GraphUpkeep::measure() {
  core_.disk_bytes = core_.db->disk_bytes();
  const std::optional<DiskSpace> disk = core_.options.disk_space(core_.options.folder);
  const bool is_tight = disk && disk->available < disk->kept_free();
  if (core_.disk_is_tight.exchange(is_tight) == is_tight) return;
  if (is_tight) {
    log::warn(Room::cache, "memory_makes_room", {{"free_bytes", disk->available}});
  } else {
    log::info(Room::cache, "memory_has_room_again");
  }
}

void GraphUpkeep::look_at(std::string_view key, const records::NodeRecord& node) {
  if (walk_ == Walk::retention) return retain(key, node);
  if (walk_ == Walk::evict) return evict(key, node);
  const std::size_t age = age_of(node);
  const bool person = node.by_person();
  const bool with_index = core_.index().bytes != nullptr;
  for (const Stage stage : person ? std::array{Stage::person_body, Stage::person_text, Stage::person_page}
                                  : std::array{Stage::robot_body, Stage::robot_text, Stage::robot_page})
    plan_.bytes[static_cast<std::size_t>(stage)][age] += bytes_in(stage, node, with_index);
}

void GraphUpkeep::end_walk() {
  at_.clear();
  if (walk_ == Walk::measure && decide()) {
    walk_ = Walk::evict;
    return;
  }
  if (walk_ == Walk::evict) {
    for (const Family family : {Family::bodies, Family::texts, Family::links_in, Family::links_out, Family::nodes})
      core_.db->compact(family);
    if (const IndexOnDisk index = core_.index(); index.shrink) {
      index.shrink();
      asked_to_shrink_ = core_.clock.steady();
    }
    log::info(Room::cache, "memory_evicted", {{"bytes", core_.db->disk_bytes()}});
  }
  walk_ = Walk::idle;
}

// --- retention

void GraphUpkeep::retain(std::string_view key, const records::NodeRecord& node) {
  if (node.by_person()) return;
  const auto older_than = [&](Duration age) {
    return age > 0s &&
           from_ms(node.last_fetched()) + std::chrono::duration_cast<WallTime::duration>(age) < core_.clock.now();
  };
  if (node.text_size() != 0 && older_than(core_.options.keep_text))
    (void)writer_.remove_part(key, GraphWriter::Part::text);
  if (node.body_size() != 0 && older_than(core_.options.keep_body))
    (void)writer_.remove_part(key, GraphWriter::Part::body);
}

// --- eviction

std::uint64_t GraphUpkeep::used() const {
  const IndexOnDisk index = core_.index();
  return core_.db->disk_bytes() + (index.bytes ? index.bytes() : 0);
}

GraphUpkeep::Excess GraphUpkeep::too_much() const {
  const std::uint64_t used = this->used();
  // A tenth below the limit, so that it is not reached again at once.
  const auto above = [used](std::uint64_t limit) { return used > limit ? used - limit / 10 * 9 : 0; };
  Excess excess{above(core_.options.disk_budget), 0};
  if (const auto disk = core_.options.disk_space(core_.options.folder)) excess.for_others = above(disk->room_for(used));
  return excess;
}

std::size_t GraphUpkeep::age_of(const records::NodeRecord& node) const {
  const auto age = core_.clock.now() - from_ms(node.last_fetched());
  const auto minutes = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::minutes>(age).count()));
  if (minutes < 4) return static_cast<std::size_t>(minutes);
  const auto width = static_cast<std::size_t>(std::bit_width(minutes));  // four steps from one power of two to the next
  return std::min<std::size_t>(4 * (width - 2) + (minutes >> (width - 3) & 3), kAges - 1);
}

std::uint64_t GraphUpkeep::bytes_in(Stage stage, const records::NodeRecord& node, bool with_index) {
  switch (stage) {  // a third: compressed
    case Stage::robot_body:
    case Stage::person_body:
      return node.body_size() / 3;
    case Stage::robot_text:
    case Stage::person_text:
      return node.text_size() / 3 + (with_index ? node.text_size() * kIndexPerText : 0);
    default:
      return kPerPage + node.out_degree() * kPerLink;
  }
}

// How far to go: the stages in order, in each the oldest first. What a page costs on disk is only estimated; all
// estimates together are what is used, so it is shares that are compared.
bool GraphUpkeep::decide() {
  const std::uint64_t used = this->used();
  const Excess excess = too_much();
  if (excess.most() == 0) return false;
  std::uint64_t estimated = 0;
  for (const auto& ages : plan_.bytes) estimated = std::accumulate(ages.begin(), ages.end(), estimated);
  const auto share = [&](std::uint64_t bytes) {
    return static_cast<std::uint64_t>(static_cast<double>(bytes) / static_cast<double>(used) *
                                      static_cast<double>(estimated));
  };
  const std::uint64_t needed = share(excess.own), for_others = share(excess.for_others);
  std::uint64_t freed = 0;
  for (std::size_t stage = 0; stage < kStages; ++stage) {
    for (std::size_t age = kAges; age-- > 0;) {
      freed += plan_.bytes[stage][age];
      plan_.last_stage = stage;
      plan_.youngest = age;
      // What somebody read is not given up because others fill the disk.
      const bool is_precious = stage >= static_cast<std::size_t>(Stage::person_text);
      if (freed >= (is_precious ? needed : std::max(needed, for_others))) return true;
    }
  }
  return freed > 0;
}

void GraphUpkeep::evict(std::string_view key, const records::NodeRecord& node) {
  const std::size_t first = node.by_person() ? static_cast<std::size_t>(Stage::person_body) : 0;
  const std::size_t age = age_of(node);
  const auto goes = [&](std::size_t stage) {
    return stage < plan_.last_stage || (stage == plan_.last_stage && age >= plan_.youngest);
  };
  if (goes(first + 2)) {
    const std::shared_lock not_forgetting(core_.forgetting);
    const std::lock_guard lock(core_.page_lock(key));
    rocksdb::WriteBatch batch;
    if (!writer_.remove(batch, key)) return;
    records::EventGroupRecord events;
    if (const auto page = page_of(key)) {
      events.set_at(to_ms(core_.clock.now()));
      events.set_personal(page->storage == StorageClass::personal);
      events.set_user(page->owner);
      events.set_url(page->url);
      events.add_events()->set_kind(static_cast<std::uint32_t>(MemoryEventKind::node_gone));
    }
    (void)core_.events.commit(batch, events);
    return;
  }
  if (goes(first + 1) && node.text_size() != 0) (void)writer_.remove_part(key, GraphWriter::Part::text);
  if (goes(first) && node.body_size() != 0) (void)writer_.remove_part(key, GraphWriter::Part::body);
}

}  // namespace outrider::graph
