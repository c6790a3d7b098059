#include "robot/frontier.hpp"

#include "robot/frontier_database.hpp"
#include "robot/strategies/strategy.hpp"

#include <algorithm>
#include <cstring>

namespace outrider {
namespace {

constexpr std::string_view kSecret = "secret";
constexpr std::size_t kMostSpare = 1 << 20;
constexpr std::size_t kLinksTogether = 1 << 20;
constexpr std::size_t kFew = 8;  // so many are asked for one by one faster than together

std::string record_key(char kind, TaskId task) {
  return kind + task_prefix(task);
}

std::string due_key(TaskId task, WallTime due) {
  std::string key = record_key('v', task);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(due.time_since_epoch()).count();
  append_rising(key, static_cast<std::uint64_t>(std::max<std::int64_t>(millis, 0)), 8);
  return key;
}

rocksdb::Slice slice(const SeenKey& key) {
  return {key.data(), key.size()};
}

std::string_view links_key(const UrlId& page) {
  static_assert(sizeof page == 16 && std::is_trivially_copyable_v<UrlId>);
  return {reinterpret_cast<const char*>(&page), sizeof page};
}

}  // namespace

Frontier::Frontier() : db_(std::make_unique<Database>()) {}
Frontier::~Frontier() = default;

Result<std::unique_ptr<Frontier>> Frontier::open(const std::filesystem::path& folder,
                                                 std::shared_ptr<const CanonicalOptions> same_page) {
  std::error_code not_made;
  std::filesystem::create_directories(folder, not_made);
  if (not_made) return Error{ErrorKind::io, Side::self, folder.string() + ": " + not_made.message()};
  std::unique_ptr<Frontier> frontier{new Frontier};
  rocksdb::Status status = frontier->db_->open(folder);
  if (!status.ok()) return frontier_failed("cannot be opened", status);

  std::string secret;
  status = frontier->db_->db->Get({}, slice(kSecret), &secret);
  if (status.IsNotFound()) {
    const SipKey made = SipKey::random();
    secret.assign(reinterpret_cast<const char*>(&made), sizeof made);
    rocksdb::WriteOptions synced;
    synced.sync = true;
    status = frontier->db_->db->Put(synced, slice(kSecret), slice(secret));
  }
  if (!status.ok() || secret.size() != sizeof(SipKey)) return frontier_failed("has no secret", status);
  frontier->naming_.same_page = std::move(same_page);
  std::memcpy(&frontier->naming_.secret, secret.data(), sizeof(SipKey));
  Result<std::vector<StoredTask>> known = frontier->tasks();
  if (!known) return known.error();
  for (const StoredTask& task : *known) frontier->first_new_ = std::max(frontier->first_new_, task.id + 1);
  return frontier;
}

// --- changes

struct Frontier::Batch::State {
  State(Frontier& f, TaskId t)
      : frontier(f),
        task(t),
        room(f.db_->spare ? std::move(f.db_->spare) : std::make_unique<rocksdb::WriteBatch>()),
        writes(*room) {}
  ~State() {
    if (writes.GetDataSize() > kMostSpare) return;
    writes.Clear();
    frontier.db_->spare = std::move(room);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Frontier& frontier;
  TaskId task;
  std::unique_ptr<rocksdb::WriteBatch> room;
  rocksdb::WriteBatch& writes;
  std::vector<std::pair<UrlId, std::string>> links;
  std::vector<std::pair<UrlId, SeenMark>> marks;
  bool anew = false;
  bool has_record = false;
};

Frontier::Batch::Batch(Frontier& frontier, TaskId task) : state_(new State(frontier, task)) {}
Frontier::Batch::~Batch() = default;

void Frontier::Batch::note(const UrlId& id, const SeenRecord& record) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Put(db.of(Database::kSeen), slice(seen_key(state_->task, id)), slice(encode_seen(record)));
  state_->marks.emplace_back(id, SeenMark{record.state, record.reason, record.remaining});
}

void Frontier::Batch::enqueue(const QueueEntry& entry, std::uint32_t in_degree) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Put(db.of(Database::kQueue), slice(task_prefix(state_->task) + entry.key), slice(encode_entry(entry)));
  SeenRecord seen;
  seen.state = UrlFate::State::queued;
  seen.remaining = entry.remaining;
  seen.in_degree = in_degree;
  seen.key = entry.key;
  note(entry.id, seen);
}

void Frontier::Batch::update(const QueueEntry& entry, const SeenRecord& seen) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Put(db.of(Database::kQueue), slice(task_prefix(state_->task) + entry.key), slice(encode_entry(entry)));
  note(entry.id, seen);
}

void Frontier::Batch::move(const QueueEntry& entry, std::string_view from, SeenRecord seen) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Delete(db.of(Database::kQueue), slice(task_prefix(state_->task) + std::string{from}));
  seen.key = entry.key;
  update(entry, seen);
}

void Frontier::Batch::finish(const QueueEntry& entry, UrlFate::State state, Reason reason, std::string_view detail) {
  const Database& db = *state_->frontier.db_;
  state_->writes.Delete(db.of(Database::kQueue), slice(task_prefix(state_->task) + entry.key));
  SeenRecord seen;
  seen.state = state;
  seen.reason = reason;
  seen.remaining = entry.remaining;
  seen.detail = detail;
  note(entry.id, seen);
}

void Frontier::Batch::reject(const UrlId& id, Reason reason, std::string_view detail) {
  SeenRecord seen;
  seen.state = UrlFate::State::rejected;
  seen.reason = reason;
  seen.detail = detail;
  note(id, seen);
}

void Frontier::Batch::schedule(WallTime due, const QueueEntry& entry) {
  std::string key = due_key(state_->task, due);
  append_rising(key, entry.id.high, 8);
  append_rising(key, entry.id.low, 8);
  state_->writes.Put(slice(key), slice(encode_entry(entry)));
}

void Frontier::Batch::unschedule(std::string_view key) {
  state_->writes.Delete(slice(key));
}

void Frontier::Batch::keep_links(const UrlId& page, std::string record) {
  state_->links.emplace_back(page, std::move(record));
}

void Frontier::Batch::begin_anew() {
  const Database& db = *state_->frontier.db_;
  const std::string begin = task_prefix(state_->task), end = task_prefix(state_->task + 1);
  state_->writes.DeleteRange(db.of(Database::kQueue), slice(begin), slice(end));
  state_->writes.DeleteRange(db.of(Database::kSeen), slice(begin), slice(end));
  state_->writes.DeleteRange(slice('v' + begin), slice('v' + end));
  state_->anew = true;
}

void Frontier::Batch::save(std::string_view record) {
  state_->writes.Put(slice(record_key('t', state_->task)), slice(record));
  state_->has_record = true;
}

void Frontier::Batch::save(const TaskStatistics& statistics) {
  state_->writes.Put(slice(record_key('s', state_->task)), slice(encode_statistics(statistics)));
}

Result<void> Frontier::Batch::commit() {
  Frontier& frontier = state_->frontier;
  for (const auto& [id, mark] : state_->marks) frontier.written_.put(state_->task, id);  // also if that fails half-way
  const rocksdb::Status status = frontier.db_->db->Write({}, &state_->writes);
  if (!status.ok()) {
    frontier.db_->broken = true;
    return frontier_failed("cannot be written", status);
  }
  if (state_->anew) frontier.cache_.forget(state_->task);
  // The record of a task is in its first batch.
  if (state_->anew || (state_->has_record && state_->task >= frontier.first_new_))
    frontier.born_here_.insert(state_->task);
  for (const auto& [id, mark] : state_->marks) frontier.cache_.put(state_->task, id, mark);
  for (auto& [page, record] : state_->links) frontier.add_links(page, std::move(record));
  return {};
}

// Links are larger than everything else together, and whoever lacks them reads a page again: they are not logged, and
// written many at a time, in order.
void Frontier::add_links(const UrlId& page, std::string record) {
  new_link_bytes_ += record.size();
  new_links_[page] = std::move(record);
  if (new_link_bytes_ > kLinksTogether) write_links();
}

void Frontier::write_links() {
  std::vector<std::pair<std::string_view, std::string_view>> all;
  all.reserve(new_links_.size());
  for (const auto& [page, record] : new_links_) all.emplace_back(links_key(page), record);
  std::sort(all.begin(), all.end());
  rocksdb::WriteBatch writes(new_link_bytes_ + 32 * all.size());
  for (const auto& [page, record] : all) writes.Put(db_->of(Database::kLinks), slice(page), slice(record));
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  if (!all.empty() && !db_->broken) (void)db_->db->Write(unlogged, &writes);
  new_links_.clear();
  new_link_bytes_ = 0;
}

Result<void> Frontier::remove(TaskId task) {
  rocksdb::WriteBatch writes;
  const std::string begin = task_prefix(task), end = task_prefix(task + 1);
  writes.DeleteRange(db_->of(Database::kQueue), slice(begin), slice(end));
  writes.DeleteRange(db_->of(Database::kSeen), slice(begin), slice(end));
  writes.DeleteRange(slice('v' + begin), slice('v' + end));
  writes.Delete(slice(record_key('t', task)));
  writes.Delete(slice(record_key('s', task)));
  const rocksdb::Status status = db_->db->Write({}, &writes);
  if (!status.ok()) return frontier_failed("cannot be written", status);
  cache_.forget(task);
  born_here_.erase(task);
  return {};
}

void Frontier::flush() {
  if (!db_->broken) db_->db->FlushWAL(true);
}

void Frontier::put_down() {
  write_links();
  if (!db_->broken) db_->db->Flush({}, db_->families);
}

Result<void> Frontier::rewrite(bool without_words) {
  const rocksdb::Status status = db_->rewrite(without_words);
  if (!status.ok()) return frontier_failed("cannot be rewritten", status);
  return {};
}

// A database that could not write refuses to until it is asked to go on.
void Frontier::recover() {
  if (db_->broken) db_->broken = !db_->db->Resume().ok();
}

// --- reading

Result<std::vector<StoredTask>> Frontier::tasks() const {
  std::vector<StoredTask> all;
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator({}, db_->of(Database::kTasks))};
  for (it->Seek("t"); it->Valid() && view(it->key()).starts_with('t'); it->Next()) {
    if (it->key().size() != 5) continue;
    StoredTask task;
    for (const char byte : view(it->key()).substr(1)) task.id = task.id << 8 | static_cast<unsigned char>(byte);
    task.record = view(it->value());
    std::string statistics;
    if (db_->db->Get({}, slice(record_key('s', task.id)), &statistics).ok())
      task.statistics = decode_statistics(statistics).value_or(TaskStatistics{});
    all.push_back(std::move(task));
  }
  if (!it->status().ok()) return frontier_failed("cannot be read", it->status());
  return all;
}

std::vector<std::pair<std::string, QueueEntry>> Frontier::due(TaskId task, WallTime now, std::size_t limit) const {
  return scheduled(record_key('v', task), due_key(task, now + std::chrono::milliseconds{1}), limit);
}

std::vector<std::pair<std::string, QueueEntry>> Frontier::scheduled(TaskId task, std::string_view after,
                                                                    std::size_t limit) const {
  const std::string begin = after.empty() ? record_key('v', task) : std::string{after} + '\0';
  return scheduled(begin, record_key('v', task + 1), limit);
}

std::vector<std::pair<std::string, QueueEntry>> Frontier::scheduled(const std::string& begin, const std::string& end,
                                                                    std::size_t limit) const {
  std::vector<std::pair<std::string, QueueEntry>> found;
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator({}, db_->of(Database::kTasks))};
  for (it->Seek(begin); it->Valid() && view(it->key()) < end && found.size() < limit; it->Next())
    if (std::optional<QueueEntry> entry = decode_entry("", view(it->value())))
      found.emplace_back(it->key().ToString(), std::move(*entry));
  return found;
}

std::optional<WallTime> Frontier::next_due(TaskId task) const {
  const std::string begin = record_key('v', task);
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator({}, db_->of(Database::kTasks))};
  it->Seek(begin);
  if (!it->Valid() || !view(it->key()).starts_with(begin) || it->key().size() < begin.size() + 8) return std::nullopt;
  std::int64_t millis = 0;
  for (const char byte : view(it->key()).substr(begin.size(), 8))
    millis = millis << 8 | static_cast<unsigned char>(byte);
  return WallTime{std::chrono::milliseconds{millis}};
}

std::vector<std::pair<std::string, std::string>> Frontier::notes(std::string_view prefix) const {
  std::vector<std::pair<std::string, std::string>> found;
  const std::string begin = 'n' + std::string{prefix};
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator({}, db_->of(Database::kTasks))};
  for (it->Seek(begin); it->Valid() && view(it->key()).starts_with(begin); it->Next())
    found.emplace_back(view(it->key()).substr(1), view(it->value()));
  return found;
}

std::vector<std::string> Frontier::note_names() const {
  std::vector<std::string> found;
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator({}, db_->of(Database::kTasks))};
  for (it->Seek("n"); it->Valid() && view(it->key()).starts_with('n'); it->Next())
    found.emplace_back(view(it->key()).substr(1));
  return found;
}

void Frontier::remove_note(std::string_view name) {
  db_->db->Delete({}, slice('n' + std::string{name}));
}

std::optional<std::string> Frontier::note(std::string_view name) const {
  std::string value;
  if (!db_->db->Get({}, slice('n' + std::string{name}), &value).ok()) return std::nullopt;
  return value;
}

// A note that cannot be written is learnt again.
void Frontier::set_note(std::string_view name, std::string_view record) {
  db_->db->Put({}, slice('n' + std::string{name}), slice(record));
}

void Frontier::look_up(TaskId task, std::span<const UrlId> ids, std::span<SeenMark> marks) {
  std::vector<std::size_t> missing;
  const bool was_here_before = !born_here_.contains(task);
  for (const UrlId& id : ids) cache_.expect(task, id);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (const SeenMark* mark = cache_.find(task, ids[i])) {
      marks[i] = *mark;
    } else {
      marks[i] = {};
      if (was_here_before || written_.may_hold(task, ids[i])) missing.push_back(i);
    }
  }
  if (missing.empty()) return;
  const auto found = [&](std::size_t i, std::string_view value) {
    const std::optional<SeenRecord> record = decode_seen(value);
    if (!record) return;
    marks[i] = {record->state, record->reason, record->remaining};
    cache_.put(task, ids[i], marks[i]);
  };
  if (missing.size() <= kFew) {
    rocksdb::PinnableSlice value;
    for (const std::size_t i : missing) {
      value.Reset();
      if (db_->db->Get({}, db_->of(Database::kSeen), slice(seen_key(task, ids[i])), &value).ok()) found(i, view(value));
    }
    return;
  }
  std::vector<SeenKey> keys;
  keys.reserve(missing.size());
  for (const std::size_t i : missing) keys.push_back(seen_key(task, ids[i]));
  std::vector<rocksdb::Slice> slices;
  slices.reserve(keys.size());
  for (const SeenKey& key : keys) slices.push_back(slice(key));
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> states(keys.size());
  db_->db->MultiGet({}, db_->of(Database::kSeen), keys.size(), slices.data(), values.data(), states.data());
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (states[i].ok()) found(missing[i], view(values[i]));
}

std::optional<std::string> Frontier::links_of(const UrlId& page) const {
  if (const auto found = new_links_.find(page); found != new_links_.end()) return found->second;
  std::string value;
  if (!db_->db->Get({}, db_->of(Database::kLinks), slice(links_key(page)), &value).ok()) return std::nullopt;
  return value;
}

Result<void> Frontier::forget_links() {
  new_links_.clear();
  new_link_bytes_ = 0;
  const rocksdb::Status status = db_->drop_links();
  if (!status.ok()) return frontier_failed("cannot be written", status);
  return {};
}

std::optional<SeenRecord> Frontier::seen(TaskId task, const UrlId& id) const {
  std::string value;
  if (!db_->db->Get({}, db_->of(Database::kSeen), slice(seen_key(task, id)), &value).ok()) return std::nullopt;
  return decode_seen(value);
}

std::optional<QueueEntry> Frontier::entry(TaskId task, std::string_view key) const {
  std::string value;
  const std::string full = task_prefix(task) + std::string{key};
  if (!db_->db->Get({}, db_->of(Database::kQueue), slice(full), &value).ok()) return std::nullopt;
  return decode_entry(key, value);
}

bool Frontier::load(TaskId task, std::string_view after, std::size_t limit, std::vector<QueueEntry>& out) const {
  const std::string prefix = task_prefix(task), end = task_prefix(task + 1);
  const rocksdb::Slice bound = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &bound;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> it{db_->db->NewIterator(options, db_->of(Database::kQueue))};
  // The shortest key that is greater than `after`.
  for (it->Seek(after.empty() ? prefix : prefix + std::string{after} + '\0'); it->Valid(); it->Next()) {
    if (limit == 0) return true;
    --limit;
    std::optional<QueueEntry> entry = decode_entry(view(it->key()).substr(prefix.size()), view(it->value()));
    if (entry) out.push_back(std::move(*entry));
  }
  return false;
}

}  // namespace outrider
