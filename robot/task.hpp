// A task as the robot works on it: what was asked for, how far it is. All of it belongs to the robot's thread.
#pragma once

#include "plugins/api/robot.hpp"
#include "robot/classifier.hpp"
#include "robot/link_rules.hpp"
#include "robot/strategies/strategy.hpp"
#include "robot/task_window.hpp"
#include "robot/traps.hpp"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace outrider {

struct RobotJob;

struct RobotTask {
  TaskId id = 0;
  TaskSpec spec;
  TaskState state = TaskState::waiting;
  std::string why;
  WallTime arrived{}, started{}, ended{};
  TaskStatistics statistics;
  TaskStatistics written;    // as they are on disk
  bool disk_failed = false;  // it is paused until writing works again
  std::vector<TimelinePoint> timeline;

  std::unique_ptr<LinkRules> rules;
  Judges judges;
  TaskJudges guests;                             // of whoever submitted it
  std::shared_ptr<const TaskObserver> observer;  // the same one; may be nullptr
  std::unique_ptr<TrapDetector> traps;
  std::unique_ptr<Strategy> strategy;
  std::unique_ptr<TaskWindow> window;
  std::unordered_map<std::string, std::shared_ptr<RobotJob>> jobs;  // under way, by their keys
  std::unordered_map<std::string, QueueEntry> resting;  // will be tried again later, by their keys; take no place
  std::vector<QueueEntry> filed;                        // of the batch that is being made
  double turn = 0;                                      // the task whose turn is smallest is next: see weight()
  bool limit_reached = false;
  bool impatient = false;                   // TaskCompany::impatient
  std::size_t sitemaps = 0;                 // that were queued in this run
  std::set<std::string> sitemaps_of_hosts;  // whose robots.txt was asked for them

  static constexpr std::string_view kLimitReached = "its limit is reached";
  // Nothing more may begin; what is under way counts.
  bool at_limit() const {
    const std::uint64_t fetched = statistics.downloaded + statistics.cache_hits;
    return (spec.max_documents != 0 && fetched + jobs.size() >= spec.max_documents) ||
           (spec.max_bytes != 0 && statistics.bytes >= spec.max_bytes);
  }
  bool ended_by_limit() const { return state == TaskState::finished && why == kLimitReached; }
  bool active() const { return state == TaskState::running; }
  // Previews never wait: for how long would depend on what others have made of the host.
  bool waits_for_robots() const { return !impatient && spec.apart.empty(); }
  bool ended_for_good() const { return state >= TaskState::finished; }
  // Links are judged by their texts.
  bool wants_link_texts() const { return judges.judge_links() || spec.prefetch; }
  // Whoever submitted it has not come back since the last start.
  bool lacks_judges() const { return spec.judged && !guests.any(); }
  bool counts_in_links() const {
    return spec.order == QueueOrder::best_first &&
           (spec.score == LinkScore::in_degree || spec.score == LinkScore::opic);
  }
  // OPIC (Abiteboul, Preda, Cobena 2003): a page that is fetched shares its cash among its links, and who has most is
  // next. The cash stands where others count links: SeenRecord::in_degree.
  static constexpr std::uint32_t kCash = 1u << 30;  // of the start pages together
  bool spends_cash() const { return spec.order == QueueOrder::best_first && spec.score == LinkScore::opic; }
  // How much of the robot it gets, compared with one of priority 0.
  double weight() const;

  // --- every change of the counters: each keeps the invariants
  void count_queued();
  void count_seen();
  void count_filtered(Reason reason);
  // Of a pending entry: what became of it.
  void count_downloaded(bool not_modified);
  void count_cache_hit();
  void count_failed();
  void count_rejected(Reason reason);  // it was queued, and must not be fetched after all

  // Grows at every minute, or whenever the task is changed; as many points as a chart has room for.
  void note_progress(WallTime now);

  TaskStatus status() const;   // without open URLs and hosts
  std::string record() const;  // JSON, for the frontier
  Result<void> read_record(std::string_view json);
};

}  // namespace outrider
