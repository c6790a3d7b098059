// What keeps the memory within its limits, in small steps beside the work: the log of events is trimmed, what is too
// old goes, and when the disk budget is used up, what is worth least.
//
// Eviction looks at every page twice. First it adds up how much each stage would free, by age; then it removes so many
// stages, and of the last one so much of the oldest, that the memory fits again. What a robot fetched and nobody ever
// visited is in the stages before everything else.
#pragma once

#include "cache/graph_core.hpp"
#include "cache/graph_writer.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace outrider::graph {

class GraphUpkeep {
 public:
  // `opened` is called when a memory that could not be opened at first has been.
  GraphUpkeep(GraphCore& core, GraphWriter& writer, std::function<Result<void>()> opened)
      : core_(core), writer_(writer), opened_(std::move(opened)) {}
  ~GraphUpkeep();
  void start();
  void stop();

  bool step();  // true: there is more to do now

 private:
  // In the order in which things go.
  enum class Stage : std::uint8_t { robot_body, robot_text, robot_page, person_body, person_text, person_page };
  static constexpr std::size_t kStages = 6;
  static constexpr std::size_t kAges = 100;  // steps of about a fifth
  struct Plan {
    std::array<std::array<std::uint64_t, kAges>, kStages> bytes{};
    std::size_t last_stage = 0;  // this one up to `youngest`, those before it whole
    std::size_t youngest = 0;
  };
  enum class Walk : std::uint8_t { idle, retention, measure, evict };

  void run();
  void end_walk();
  bool decide();
  void look_at(std::string_view key, const records::NodeRecord& node);
  void retain(std::string_view key, const records::NodeRecord& node);
  void evict(std::string_view key, const records::NodeRecord& node);
  bool recover();
  void measure();
  // More than the budget allows, or than others leave us of the disk.
  struct Excess {
    std::uint64_t own = 0, for_others = 0;
    std::uint64_t most() const { return std::max(own, for_others); }
  };
  Excess too_much() const;
  std::uint64_t used() const;  // with the full-text index
  std::size_t age_of(const records::NodeRecord& node) const;
  static std::uint64_t bytes_in(Stage stage, const records::NodeRecord& node, bool with_index);

  GraphCore& core_;
  GraphWriter& writer_;
  const std::function<Result<void>()> opened_;

  Walk walk_ = Walk::idle;
  std::string at_;  // the walk goes on behind this key
  Plan plan_;
  std::optional<SteadyTime> last_trim_, last_retention_, last_budget_, last_measured_;
  SteadyTime asked_to_shrink_{};

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace outrider::graph
