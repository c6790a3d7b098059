#include "robot/task.hpp"

#include "plugins/api/robot_task_json.hpp"

#include <boost/json.hpp>

#include <cmath>

namespace outrider {
namespace {

namespace json = boost::json;

constexpr std::size_t kTimelinePoints = 600;
constexpr Duration kTimelineStep = std::chrono::seconds{1};

std::int64_t milliseconds(WallTime at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

WallTime time_at(const json::object& from, std::string_view key) {
  const json::value* found = from.if_contains(key);
  return found != nullptr && found->is_int64() ? WallTime{std::chrono::milliseconds{found->get_int64()}} : WallTime{};
}

}  // namespace

double RobotTask::weight() const {
  return std::exp2(spec.priority / 2.0);
}

void RobotTask::count_queued() {
  ++statistics.checked;
  ++statistics.queued;
  ++statistics.pending;
}

void RobotTask::count_seen() {
  ++statistics.checked;
  ++statistics.seen_before;
}

void RobotTask::count_filtered(Reason reason) {
  ++statistics.checked;
  ++statistics.filtered;
  ++statistics.rejected[static_cast<std::size_t>(reason)];
}

void RobotTask::count_downloaded(bool not_modified) {
  --statistics.pending;
  ++statistics.downloaded;
  if (not_modified) ++statistics.not_modified;
}

void RobotTask::count_cache_hit() {
  --statistics.pending;
  ++statistics.cache_hits;
}

void RobotTask::count_failed() {
  --statistics.pending;
  ++statistics.failed;
}

void RobotTask::count_rejected(Reason reason) {
  --statistics.pending;
  --statistics.queued;
  ++statistics.filtered;
  ++statistics.rejected[static_cast<std::size_t>(reason)];
}

void RobotTask::note_progress(WallTime now) {
  const bool too_soon = !timeline.empty() && now - timeline.back().at < kTimelineStep && now >= timeline.back().at;
  if (too_soon && !ended_for_good()) return;  // how it ended is always told
  if (timeline.size() >= kTimelinePoints) {   // every other point: a long life in the same room
    for (std::size_t i = 0; i < kTimelinePoints / 2; ++i) timeline[i] = timeline[2 * i + 1];
    timeline.resize(kTimelinePoints / 2);
  }
  timeline.push_back(
      {now, statistics.downloaded + statistics.cache_hits, statistics.failed, statistics.pending, statistics.bytes});
}

TaskStatus RobotTask::status() const {
  TaskStatus out;
  out.id = id;
  out.spec = spec;
  out.state = state;
  out.why = why;
  out.arrived = arrived;
  out.started = started;
  out.ended = ended;
  out.statistics = statistics;
  return out;
}

std::string RobotTask::record() const {
  const json::object out{{"spec", to_json(spec)},
                         {"state", to_string(state)},
                         {"why", why},
                         {"arrived", milliseconds(arrived)},
                         {"started", milliseconds(started)},
                         {"ended", milliseconds(ended)}};
  return json::serialize(out);
}

Result<void> RobotTask::read_record(std::string_view text) {
  boost::system::error_code wrong;
  const json::value value = json::parse(text, wrong);
  const auto damaged = [] { return Error{ErrorKind::io, Side::self, "the record of a robot's task is damaged"}; };
  if (wrong || !value.is_object() || !value.get_object().contains("spec")) return damaged();
  const json::object& from = value.get_object();
  if (Result<void> read = update_from_json(spec, from.at("spec")); !read) return read;
  const json::value* name = from.if_contains("state");
  state = TaskState::failed;
  for (std::uint8_t i = 0; name != nullptr && name->is_string() && i <= static_cast<std::uint8_t>(TaskState::failed);
       ++i)
    if (to_string(TaskState{i}) == name->get_string()) state = TaskState{i};
  if (const json::value* words = from.if_contains("why"); words != nullptr && words->is_string())
    why.assign(words->get_string().begin(), words->get_string().end());
  arrived = time_at(from, "arrived");
  started = time_at(from, "started");
  ended = time_at(from, "ended");
  return {};
}

}  // namespace outrider
