// What `outrider top` shows, as text: one screen for a terminal, one line for anything else. Fed with events; knows no
// terminal.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace outrider::cli {

class TopScreen {
 public:
  // True: a second has passed, and there is something new to show.
  bool take(std::string_view kind, const boost::json::value& event);

  std::string screen(std::size_t columns, std::size_t rows) const;  // lines, each within the width
  std::string line() const;                                         // "19:20:05 requests=12/s …"
  boost::json::value json() const;

 private:
  struct Totals {
    std::uint64_t exchanges = 0, bytes_out = 0, from_cache = 0, from_origin = 0, connections = 0;
  };
  struct Second {
    std::uint64_t exchanges = 0, bytes = 0, hits = 0, all = 0;
  };
  struct Work {
    std::string words;
    std::uint64_t loaded = 0, failed = 0, open = 0;
  };
  void count(const boost::json::value& totals);
  void note(const boost::json::value& task);
  std::uint64_t hit_percent() const;  // of the last minute
  std::string chart(std::size_t width) const;

  std::string version_, at_;
  std::optional<Totals> last_;
  std::deque<Second> seconds_;  // the last minute
  std::map<std::uint64_t, Work> works_;
  std::uint64_t robot_pages_ = 0, robot_rate_ = 0;
  std::deque<std::string> exchanges_;  // the newest first
};

std::string human_bytes(std::uint64_t bytes);  // "1.2 MB"
// The first `columns` columns of it; a character of any script counts as one.
std::string cut_to(std::string_view text, std::size_t columns);

}  // namespace outrider::cli
