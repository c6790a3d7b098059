// Cards that are open, and the robot's errands for them. A card is told at once what the memory knows, and again when
// the robot comes back. Every stream lasts equally long, whatever became known and when: how long a connection is busy
// is something that a page can measure. And whether the robot is sent does not depend on what is known: the server it
// goes to may work together with the page (look_ledger.hpp).
//
// One thread: the plugin's own. may_look_ahead() is for any. What is known is read by another thread, and the robot is
// sent so long after the question as reading never takes: when it goes says nothing about what there was to read.
#pragma once

#include "base/url.hpp"
#include "plugins/api/plugin_ports.hpp"
#include "plugins/api/plugin_stream.hpp"
#include "plugins/api/robot.hpp"
#include "plugins/hyperscout/card_facts.hpp"
#include "plugins/hyperscout/link_watch.hpp"
#include "plugins/hyperscout/look_budget.hpp"
#include "plugins/hyperscout/look_ledger.hpp"
#include "plugins/hyperscout/settings.hpp"
#include "plugins/hyperscout/side_thread.hpp"

#include <boost/json/array.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace outrider::hyperscout {

class LookUps {
 public:
  static constexpr std::chrono::seconds kStreamLasts{10};
  static constexpr std::chrono::milliseconds kSendAfter{100}, kMarksLast{300};
  static constexpr std::size_t kMostMarks = 300;
  static constexpr std::size_t kMostOpen = 64;
  static constexpr std::size_t kMostForOne = 8;       // cards that wait for the same page
  static constexpr std::size_t kMostUnderWay = 1000;  // errands; those in advance wait for minutes

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
  // What to write at those of these addresses that lead nowhere: one JSON object, in an answer that lasts equally long
  // whatever there is to read.
  std::shared_ptr<PluginStream> marks(const Viewer& viewer, boost::json::array asked);
  void arrived(const RobotPage& page);
  void ended(TaskId task);
  void tick();
  void stop();
  // Looks at the most likely links of a page that is on its way to its reader. The page is for everybody.
  void passing(const Viewer& viewer, const Url& page, SeenLinks seen, const Settings& settings);
  // The same for a page that somebody opened and whose links nobody saw pass: it came from the browser's own cache, or
  // is written in an encoding that is not UTF-8.
  void visited(const Viewer& viewer, std::string_view page, const Settings& settings);
  // Whether there is anything to spend on the links of a page of this host.
  bool may_look_ahead(std::string_view host, const Settings& settings);

  struct Counts {
    std::uint64_t cards = 0, from_memory = 0;
    std::uint64_t for_cards = 0, in_advance = 0;  // errands that brought an answer
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Card {
    Question question;
    std::shared_ptr<PluginStream> stream;
    SteadyTime since{};
    boost::json::object facts;
    std::optional<bool> worth_a_look;  // once the memory was asked
    bool departed = false;             // the robot was sent, or need not go
    bool fetched = false;              // the robot brought something
    void tell(boost::json::object facts);
  };
  using CardPtr = std::shared_ptr<Card>;
  struct Errand {
    std::string site, url;
    TaskSpec spec;
    SteadyTime asked{};
    std::vector<CardPtr> cards;  // that something new would help
    bool brought_page = false;
    bool in_advance = false;
    // Shared with the robot, which may come late.
    struct Heard {
      std::atomic<bool> keeps{true};                  // false: an answer of the site said that nobody is to keep it
      std::atomic<NodeError> error{NodeError::none};  // of the last attempt
    };
    std::shared_ptr<Heard> heard = std::make_shared<Heard>();
  };

  KnownFacts known(const Question& question, const Settings& settings) const;  // any thread
  // What it gives is done by the plugin's thread. Both at once where the plugin has none of its own.
  void beside(std::function<std::function<void()>()> work);
  void send_later(std::function<void()> send);
  void read(const Question& question, const Settings& settings, std::function<void(KnownFacts)> then);
  FactsQuestion facts_question(const Viewer& viewer, std::string url, const Settings& settings) const;
  std::map<TaskId, Errand>::iterator under_way(std::string_view site, std::string_view url);
  void depart(const CardPtr& card, const std::string& site, const Settings& settings);
  bool send_for(const CardPtr& card, const std::string& site, bool worth_a_look, const Settings& settings);
  bool join(TaskId task, Errand& errand, const CardPtr& card, bool worth_a_look);
  bool send(Errand errand, const Settings& settings);
  void settle(const Errand& errand, const UrlFate& fate);
  void count(const Errand& errand, const UrlFate& fate);
  void conclude(const CardPtr& card, const UrlFate& fate, NodeError error);
  void heed_forgetting();
  bool is_quiet_allowed(const Settings& settings) const;
  void look_at(const Viewer& viewer, const Url& page, std::vector<Link> links, const Settings& settings);
  static bool is_over(const Card& card, SteadyTime now);

  const PluginPorts ports_;
  std::vector<CardPtr> open_;
  LookBudget for_cards_, in_advance_;
  LookLedger ledger_;
  std::uint64_t forgettings_ = 0;
  struct Passed {
    std::string user, page;
    SteadyTime at{};
  };
  std::deque<Passed> passed_;  // pages whose visits are still to come
  std::map<TaskId, Errand> under_way_;
  Counts counts_;
  SideThread reader_, bell_;  // last: what they do uses all of the above
};

}  // namespace outrider::hyperscout
