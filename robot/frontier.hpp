// What the robot's tasks still have to do and what they have done, on disk: queues, the URLs seen, why they were
// rejected, the tasks themselves with their statistics. Knows nothing of hosts, networks or rules.
//
// A page's result is one batch: its entry leaves the queue, its links enter it, the statistics change. The batch is
// there completely or not at all, so whatever the program dies of, only what was under way is done again.
//
// Used by the robot's thread; seen() and rewrite() by any thread. Memory does not grow with the number of URLs.
#pragma once

#include "robot/frontier_codec.hpp"
#include "robot/seen_cache.hpp"
#include "robot/seen_filter.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace outrider {

struct StoredTask {
  TaskId id = 0;
  std::string record;  // JSON: robot/task.hpp
  TaskStatistics statistics;
};

class Frontier {
 public:
  static Result<std::unique_ptr<Frontier>> open(const std::filesystem::path& folder,
                                                std::shared_ptr<const CanonicalOptions> same_page = nullptr);
  ~Frontier();

  // Changes that happen together.
  class Batch {
   public:
    explicit Batch(Frontier& frontier, TaskId task);
    ~Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    void enqueue(const QueueEntry& entry, std::uint32_t in_degree = 0);
    void update(const QueueEntry& entry, const SeenRecord& seen);                // in its place
    void move(const QueueEntry& entry, std::string_view from, SeenRecord seen);  // entry.key is the new place
    void finish(const QueueEntry& entry, UrlFate::State state, Reason reason, std::string_view detail);
    void reject(const UrlId& id, Reason reason, std::string_view detail);  // it was never queued
    void schedule(WallTime due, const QueueEntry& entry);                  // will be queued again then
    void unschedule(std::string_view key);                                 // of due()
    // Of it; known_links.hpp. Later than the batch and without the log: whoever lacks them reads the page again.
    void keep_links(const UrlId& page, std::string record);
    void begin_anew();                   // first: everything queued and seen is forgotten
    void save(std::string_view record);  // of the task
    void save(const TaskStatistics& statistics);
    Result<void> commit();

   private:
    void note(const UrlId& id, const SeenRecord& record);
    struct State;
    std::unique_ptr<State> state_;
  };

  Result<std::vector<StoredTask>> tasks() const;
  Result<void> remove(TaskId task);

  // What became of each URL; `unknown` if nothing yet. Without key and detail.
  void look_up(TaskId task, std::span<const UrlId> ids, std::span<SeenMark> marks);
  std::optional<SeenRecord> seen(TaskId task, const UrlId& id) const;  // any thread
  std::optional<QueueEntry> entry(TaskId task, std::string_view key) const;

  // Appends entries in their order, beginning with the first one after `after` ("" = from the first).
  // False: that was the last of them.
  bool load(TaskId task, std::string_view after, std::size_t limit, std::vector<QueueEntry>& out) const;

  // What is to be looked at again, and when: those whose time has come, the oldest first, with the names of their
  // records.
  std::vector<std::pair<std::string, QueueEntry>> due(TaskId task, WallTime now, std::size_t limit) const;
  std::optional<WallTime> next_due(TaskId task) const;
  // All of them, whenever they are due: those after this record's name ("" = from the first).
  std::vector<std::pair<std::string, QueueEntry>> scheduled(TaskId task, std::string_view after,
                                                            std::size_t limit) const;

  // Small records of the robot that are not about a task: what was learnt about hosts.
  std::optional<std::string> note(std::string_view name) const;
  void set_note(std::string_view name, std::string_view record);
  void remove_note(std::string_view name);
  std::vector<std::pair<std::string, std::string>> notes(std::string_view prefix) const;  // names and records
  std::vector<std::string> note_names() const;

  // The links of a page, if they are known.
  std::optional<std::string> links_of(const UrlId& page) const;
  Result<void> forget_links();  // of all pages

  UrlId id_of(std::string_view canonical) const { return naming_.id_of(canonical); }
  const UrlNaming& naming() const { return naming_; }
  void flush();     // what was written survives a failure of power, too
  void put_down();  // all of it into its files: the next start need not read the log
  // Afterwards no file contains anything that was removed or replaced before; `without_words`: nor what was said of
  // URLs that were rejected. Goes on beside the robot's work.
  Result<void> rewrite(bool without_words);
  void recover();  // after a write that failed: it may work again

 private:
  struct Database;
  Frontier();
  std::vector<std::pair<std::string, QueueEntry>> scheduled(const std::string& begin, const std::string& end,
                                                            std::size_t limit) const;
  void add_links(const UrlId& page, std::string record);
  void write_links();

  struct IdHash {
    std::size_t operator()(const UrlId& id) const { return id.low; }
  };
  std::unique_ptr<Database> db_;
  UrlNaming naming_;
  std::unordered_map<UrlId, std::string, IdHash> new_links_;  // not written yet
  std::size_t new_link_bytes_ = 0;
  SeenCache cache_;
  SeenFilter written_;                    // since the program began
  std::unordered_set<TaskId> born_here_;  // nothing of them is on disk that is not in `written_`
  TaskId first_new_ = 0;                  // greater than those that were on disk when the program began
};

}  // namespace outrider
