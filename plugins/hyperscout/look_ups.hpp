// Cards that are open, and the robot's errands for them. A card is told at once what the memory knows, and again when
// the robot comes back. Every stream lasts equally long, whatever became known and when: how long a connection is busy
// is something that a page can measure.
//
// One thread: the plugin's own.
#pragma once

#include "plugins/api/plugin_ports.hpp"
#include "plugins/api/plugin_stream.hpp"
#include "plugins/api/robot.hpp"
#include "plugins/hyperscout/card_facts.hpp"
#include "plugins/hyperscout/look_budget.hpp"
#include "plugins/hyperscout/settings.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace outrider::hyperscout {

class LookUps {
 public:
  static constexpr std::chrono::seconds kStreamLasts{10};
  static constexpr std::size_t kMostOpen = 64;
  static constexpr std::size_t kMostForOne = 8;  // cards that wait for the same page

  explicit LookUps(const PluginPorts& ports) : ports_(ports) {}

  struct Question {
    Viewer viewer;
    std::string url;
    std::string text;  // of the link
    std::string site;  // host of the page that the link is on
    bool save_data = false;
  };
  // Lines of JSON: what is known, then what becomes known.
  std::shared_ptr<PluginStream> begin(const Question& question, const Settings& settings);
  void arrived(const RobotPage& page);
  void ended(TaskId task);
  void tick();
  void stop();
  // The most likely links of a page that was just opened.
  void quiet(const Viewer& viewer, std::string_view page, const Settings& settings);

  struct Counts {
    std::uint64_t cards = 0, from_memory = 0, errands = 0, quiet = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Card {
    Question question;
    std::shared_ptr<PluginStream> stream;
    SteadyTime since{};
    boost::json::object facts;
    bool fetched = false;  // the robot brought something
    void tell(boost::json::object facts);
  };
  using CardPtr = std::shared_ptr<Card>;
  struct Errand {
    std::string url;
    std::vector<CardPtr> cards;
  };

  KnownFacts known(const Question& question, const Settings& settings) const;
  bool send_robot(const CardPtr& card);
  void conclude(Card& card, TaskId task);
  static bool is_over(const Card& card, SteadyTime now);

  const PluginPorts ports_;
  std::vector<CardPtr> open_;
  LookBudget for_cards_, in_advance_;
  std::vector<TaskId> quiet_tasks_;
  std::map<TaskId, Errand> under_way_;
  Counts counts_;
};

}  // namespace outrider::hyperscout
