#include "cache/graph_events.hpp"

#include "cache/graph_keys.hpp"

namespace outrider::graph {
namespace {

// A group of neighbouring events is kept under the cursor of its first one.
std::string key_of(EventCursor cursor) {
  std::string key;
  append_number(key, cursor);
  return key;
}

constexpr std::string_view kNewest = "newest_event";  // where the last one may have been removed

// Nobody sees what is personal but its owner. A removed event leaves a gap: kind kGap.
constexpr std::uint32_t kGap = 255;
bool may_see(const Viewer* viewer, const records::EventGroupRecord& group) {
  return viewer == nullptr || !group.personal() || (viewer->sees_personal && viewer->user == group.user());
}

MemoryEvent read_event(const records::EventGroupRecord& group, int index, EventCursor cursor) {
  const records::EventRecord& event = group.events(index);
  return {cursor,
          static_cast<MemoryEventKind>(event.kind()),
          from_ms(group.at()),
          group.user(),
          group.url(),
          event.target(),
          event.text()};
}

}  // namespace

Result<void> EventLog::open() {
  EventCursor newest = 0;
  Result<std::optional<std::string>> noted = db_.get(Family::meta, kNewest);
  if (!noted) return noted.error();
  if (*noted) newest = number_at_end(**noted);
  const auto last = [&](std::string_view key, std::string_view value) {
    records::EventGroupRecord group;
    const int size = parse(value, group) ? group.events_size() : 1;
    newest = std::max(newest, number_at_end(key) + static_cast<EventCursor>(std::max(size, 1)) - 1);
    return false;
  };
  if (Result<void> read = db_.each(Family::events, KeyRange::all(), last, GraphDb::Order::falling); !read) return read;
  newest_ = newest;
  oldest_ = newest + 1;
  const auto first = [&](std::string_view key, std::string_view) {
    oldest_ = number_at_end(key);
    return false;
  };
  return db_.each(Family::events, KeyRange::all(), first);
}

Result<void> EventLog::commit(rocksdb::WriteBatch& batch, const records::EventGroupRecord& events) {
  const auto count = static_cast<EventCursor>(events.events_size());
  if (count == 0) return db_.write(batch);
  const std::string value = events.SerializeAsString();
  {
    const std::lock_guard lock(commit_);
    db_.put(batch, Family::events, key_of(newest_ + 1), value);
    if (Result<void> written = db_.write(batch); !written) return written;
    newest_ += count;
  }
  wake();
  return {};
}

Result<std::vector<MemoryEvent>> EventLog::read(const Viewer* viewer, EventCursor after, std::size_t limit) const {
  const EventCursor newest = newest_;
  std::vector<MemoryEvent> found;
  if (after >= newest || limit == 0) return found;
  // The group in whose middle the cursor may stand.
  std::string start = key_of(after + 1);
  const auto begin = [&](std::string_view key, std::string_view) {
    start = key;
    return false;
  };
  const KeyRange before{{}, key_of(after + 1)};
  if (Result<void> read = db_.each(Family::events, before, begin, GraphDb::Order::falling); !read) return read.error();
  const auto collect = [&](std::string_view key, std::string_view value) {
    EventCursor cursor = number_at_end(key);
    records::EventGroupRecord group;
    if (cursor > newest) return false;
    if (!parse(value, group) || !may_see(viewer, group)) return true;
    for (int index = 0; index < group.events_size() && found.size() < limit; ++index, ++cursor)
      if (cursor > after && group.events(index).kind() != kGap) found.push_back(read_event(group, index, cursor));
    return found.size() < limit;
  };
  if (Result<void> read = db_.each(Family::events, {start, std::nullopt}, collect); !read) return read.error();
  return found;
}

std::uint64_t EventLog::count() const {
  const EventCursor oldest = oldest_, newest = newest_;
  return newest + 1 > oldest ? newest + 1 - oldest : 0;
}

std::shared_ptr<void> EventLog::subscribe(std::function<void()> wake) {
  auto handle = std::make_shared<std::function<void()>>(std::move(wake));
  const std::lock_guard lock(subscribers_mutex_);
  subscribers_.push_back(handle);
  return handle;
}

void EventLog::wake() const {
  std::vector<std::shared_ptr<std::function<void()>>> awake;
  {
    const std::lock_guard lock(subscribers_mutex_);
    std::erase_if(subscribers_, [](const auto& handle) { return handle.expired(); });
    for (const auto& handle : subscribers_)
      if (auto alive = handle.lock()) awake.push_back(std::move(alive));
  }
  for (const auto& each : awake) (*each)();
}

Result<void> EventLog::trim(std::uint64_t keep, WallTime oldest) {
  const EventCursor newest = newest_;
  const EventCursor by_count = newest > keep ? newest - keep + 1 : 1;
  EventCursor end = oldest_;
  const auto too_old = [&](std::string_view key, std::string_view value) {
    records::EventGroupRecord group;
    end = number_at_end(key);
    return end < by_count || !parse(value, group) || from_ms(group.at()) < oldest;
  };
  // If all of them are too old the newest stays: it tells where to go on counting.
  if (Result<void> read = db_.each(Family::events, KeyRange::all(), too_old); !read) return read;
  if (end <= oldest_) return {};
  rocksdb::WriteBatch batch;
  db_.erase(batch, Family::events, KeyRange{{}, key_of(end)});
  if (Result<void> written = db_.write(batch); !written) return written;
  oldest_ = end;
  return {};
}

Result<std::uint64_t> EventLog::remove(
    rocksdb::WriteBatch& batch, const std::function<bool(const records::EventGroupRecord&, int event)>& doomed) const {
  std::uint64_t removed = 0;
  const auto filter = [&](std::string_view key, std::string_view value) {
    records::EventGroupRecord group;
    if (!parse(value, group)) {
      db_.erase(batch, Family::events, key);
      return true;
    }
    int gone = 0;
    for (int index = 0; index < group.events_size(); ++index) {
      if (!doomed(group, index)) continue;
      records::EventRecord& event = *group.mutable_events(index);
      event.Clear();
      event.set_kind(kGap);  // the others keep their cursors
      ++gone;
      ++removed;
    }
    if (gone == group.events_size()) {
      db_.erase(batch, Family::events, key);
    } else if (gone > 0) {
      db_.put(batch, Family::events, key, group.SerializeAsString());
    }
    return true;
  };
  if (Result<void> read = db_.each(Family::events, KeyRange::all(), filter); !read) return read.error();
  std::string newest;
  append_number(newest, newest_);
  db_.put(batch, Family::meta, kNewest, newest);
  return removed;
}

}  // namespace outrider::graph
