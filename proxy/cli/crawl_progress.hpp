// How a crawl is getting on, for a person who watches: one line that is written over and over on a terminal, a line now
// and then elsewhere.
#pragma once

#include "plugins/api/robot_task.hpp"

#include <string>

namespace outrider::cli {

class CrawlProgress {
 public:
  CrawlProgress(bool terminal, SteadyTime begin) : terminal_(terminal), last_shown_(begin), last_rated_(begin) {}

  // What to write now; "" = nothing.
  std::string show(const TaskStatistics& now, SteadyTime at);
  // The same once everything is loaded, and the memory still has so much of it to read.
  std::string show_unread(std::size_t unread, SteadyTime at);
  std::string clear() const { return terminal_ ? "\r\x1b[K" : ""; }

 private:
  bool is_time(SteadyTime at) const;
  std::string line(std::string text) const;

  const bool terminal_;
  SteadyTime last_shown_, last_rated_;
  std::uint64_t last_fetched_ = 0;
  double rate_ = 0;              // pages per second, of late
  std::size_t last_unread_ = 0;  // 0: not asked yet
};

// "1,234,567"
std::string with_commas(std::uint64_t number);
// One line about a task that has ended or was interrupted.
std::string summary(const TaskStatus& status, Duration took);

}  // namespace outrider::cli
