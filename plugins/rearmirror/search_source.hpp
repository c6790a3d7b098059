// The second source of the rear mirror: a search engine is asked for pages about an address, and the robot looks
// whether they link there. One task: the page of results and, one link further, what a classifier takes for results and
// a filter lets pass (search_page). Results that lead through the engine itself are asked for at their real addresses,
// by a second task. One question at a time; the plugin's thread calls everything but the judges.
#pragma once

#include "plugins/api/robot_errand.hpp"
#include "plugins/rearmirror/search_page.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace outrider {

struct FoundBySearch {
  std::string url, title;
  std::string text;        // of its link to the page, or of the result
  bool looked_at = false;  // the robot has read it …
  bool links = false;      // … and it links to the page
};

struct SearchState {
  enum class Stage : std::uint8_t { waiting, asking, reading, done, failed };
  Stage stage = Stage::waiting;
  std::string why;  // of `failed`
  WallTime at{};
  std::vector<FoundBySearch> hits;
};
std::string_view to_string(SearchState::Stage stage);

class SearchSource {
 public:
  static constexpr std::string_view kOwner = "rearmirror";
  static constexpr std::size_t kMostKept = 100;    // answers
  static constexpr std::size_t kMostWaiting = 10;  // questions

  SearchSource(Robot& robot, const Clock& clock);

  // Once for each page, and again after an hour. Failures: busy.
  Result<void> ask(const std::string& url, const std::string& title,
                   std::shared_ptr<const RearMirrorSettings> settings);
  const SearchState* find(const std::string& url) const;  // nullptr = nobody asked
  bool advance();                                         // true: something is new
  void stop();
  void forget();  // all that was asked and found; what is under way ends

 private:
  struct Question {
    std::string url, title;
    std::shared_ptr<const RearMirrorSettings> settings;
  };
  void begin(Question question);
  TaskJudges judges() const;
  void read_results(const std::vector<Link>& links);
  void next_or_done();
  std::string reason_of_silence() const;
  void note_redirect(const std::string& from, const std::string& to);
  void note_page(const RobotErrand::Page& page);
  void fail(std::string why);
  SearchState& current() { return states_.at(question_.url); }

  const Clock& clock_;
  Robot& robot_;
  RobotErrand errand_;
  std::deque<Question> waiting_;
  bool busy_ = false;
  Question question_;
  std::string results_url_;
  bool has_results_ = false;
  std::vector<std::string> wrapped_;  // still to be asked for
  int last_status_ = 0;
  std::map<std::string, SearchState> states_;
};

}  // namespace outrider
