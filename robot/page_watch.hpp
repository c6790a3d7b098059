// "Tell me when this page changes": what is known of one watched page, what a new look at it means, and when the next
// one is due. A value: looking (through the robot) and telling (terminal, event) are somebody else's. Survives
// restarts.
#pragma once

#include "plugins/api/node.hpp"
#include "robot/revisit.hpp"
#include "robot/text_diff.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// One look: the page's text as the memory keeps it (PageContent::text).
struct WatchLook {
  int status = 0;             // 0: no answer
  bool not_modified = false;  // 304, or the same bytes as before: `text` need not be given
  std::string_view text;
};

struct WatchReport {
  enum class Kind : std::uint8_t {
    first,  // from now on it is known
    same,
    changed,     // `diff` says what
    gone,        // 404 or 410, for the first time
    back,        // … and there again; `diff` says what changed meanwhile
    unreachable  // an error that may pass: what was known stays known
  };
  Kind kind = Kind::same;
  TextDiff diff;
  WallTime next{};  // look
  std::string why_next;
};
std::string_view to_string(WatchReport::Kind kind);

class PageWatch {
 public:
  PageWatch(std::string url, RevisitRule rule) : url_(std::move(url)), rule_(rule) {}

  const std::string& url() const { return url_; }
  WatchReport look(const WatchLook& look, const RobotSettings& settings, WallTime now);
  WallTime next() const { return next_; }
  void set_every(std::optional<Duration> every, WallTime now);  // from now on; absent: as often as it is worth it
  std::size_t looks() const { return observations_.size(); }

  std::string save() const;  // versioned JSON
  static std::optional<PageWatch> load(std::string_view bytes);

  static constexpr std::size_t kMostText = 1 << 20;     // bytes; the rest is not compared
  static constexpr std::size_t kMostObservations = 32;  // as many as the memory keeps

 private:
  void observe(bool changed, WallTime now);
  WatchReport failed(const RobotSettings& settings, WallTime now);

  std::string url_;
  RevisitRule rule_;
  std::string text_;
  bool known_ = false;  // text_ is there, though it may be empty
  bool gone_ = false;
  int failures_ = 0;  // in a row
  std::vector<Observation> observations_;
  WallTime next_{};
};

}  // namespace outrider
