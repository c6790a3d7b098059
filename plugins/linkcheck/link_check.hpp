// One check under way: the links of a page, or of all pages of a site, asked for by the robot, so at the pace and by
// the rules that hold for it.
//
//   page → (site) → HEAD for every address not yet known → GET for those that HEAD did not answer well
//
// Each step is a task of the robot, which is removed afterwards. The plugin's own thread calls everything here.
#pragma once

#include "plugins/api/robot_errand.hpp"
#include "plugins/linkcheck/link_report.hpp"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace outrider {

struct LinkCheckLimits {
  std::size_t pages = 500;
  std::size_t links = 5000;
  Duration slow_after = std::chrono::seconds{3};
};

class LinkCheck {
 public:
  static constexpr std::string_view kOwner = "linkcheck";

  // Goes on with `report`, which has id and URL.
  LinkCheck(LinkReport report, LinkCheckLimits limits, Robot& robot, const Clock& clock);
  LinkCheck(const LinkCheck&) = delete;
  LinkCheck& operator=(const LinkCheck&) = delete;

  void begin();
  void advance();
  // Whatever is known by now is the report.
  void end(LinkReport::State state, std::string why = "");
  bool over() const { return report_.state != LinkReport::State::running; }
  const LinkReport& report() const { return report_; }

 private:
  enum class Stage : std::uint8_t { page, site, head, get };

  void enter(Stage stage, std::vector<std::string> urls);
  TaskSpec spec_for(Stage stage, std::vector<std::string> urls) const;
  void next_stage();
  void ask_for_the_rest();
  void note_links(const RobotErrand::Page& page);
  void judge_all();
  std::vector<std::string> unanswered() const;
  std::vector<std::string> badly_answered() const;

  LinkReport report_;
  const LinkCheckLimits limits_;
  Robot& robot_;
  const Clock& clock_;
  Stage stage_ = Stage::page;
  std::vector<std::string> asked_;                       // by this stage
  std::string root_;                                     // the page, after redirects
  std::unordered_map<std::string, std::size_t> places_;  // of URLs in report_.links
  std::map<std::string, LinkAnswer, std::less<>> answers_;
  RobotErrand errand_;
};

}  // namespace outrider
