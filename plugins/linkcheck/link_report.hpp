// What a link check found: a value that is shown as page, CSV and JSON, and kept over a restart. Made by link_check.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "plugins/api/link.hpp"
#include "plugins/api/node.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

enum class LinkVerdict : std::uint8_t {
  waiting,    // for its turn
  ok,         // there is something
  moved,      // … at another address
  dead,       // there is nothing, or nobody answers
  closed,     // it is there, but not for a robot: 401, 403, 429 …
  unchecked,  // we did not ask: robots.txt, our own rules, a limit
};
std::string_view to_string(LinkVerdict verdict);

// Where a link was found.
struct LinkPlace {
  std::string page;
  std::string text;
  LinkKind kind = LinkKind::anchor;
};

// One answer to one request.
struct LinkAnswer {
  int status = 0;  // 0 = none
  NodeError error = NodeError::none;
  std::string error_text;
  std::string redirects_to;
  Duration took{};
  bool by_head = false;
  bool refused = false;     // a rule of ours forbids it
  std::string not_because;  // why it was not asked for; "" = it was
};

struct CheckedLink {
  std::string url;  // without fragment
  LinkVerdict verdict = LinkVerdict::waiting;
  bool insecure = false;  // less protected on its way than the page that it stands on
  bool slow = false;
  int status = 0;           // of the last step
  std::string note;         // what is wrong, in words
  std::string leads_to;     // where it ends, if that is another address
  bool for_good = false;    // … and will for ever: 301, 308
  std::uint32_t took = 0;   // milliseconds until the answer, of all steps
  std::uint32_t count = 0;  // links to it
  std::vector<LinkPlace> places;

  static constexpr std::size_t kMostPlaces = 10;
  bool is_problem() const { return verdict == LinkVerdict::dead || verdict == LinkVerdict::moved || insecure || slow; }
};

struct LinkReport {
  enum class State : std::uint8_t { running, finished, stopped, interrupted, failed };
  std::uint64_t id = 0;
  std::string user;  // whose it is; "" where nobody logs in
  std::string url;   // as it was asked for
  bool site = false;
  State state = State::running;
  std::string why;    // of `failed`, `finished` before the end; for people
  std::string stage;  // of `running`: what it does
  WallTime began{}, ended{};
  std::uint32_t pages = 0;
  std::uint32_t left_out = 0;  // links over the limit
  bool remembered = false;     // the memory knew the page: when it does not any more, the report goes, too
  std::vector<CheckedLink> links;

  struct Counts {
    std::uint32_t all = 0, done = 0, ok = 0, dead = 0, moved = 0, insecure = 0, slow = 0, closed = 0, unchecked = 0;
  };
  Counts counts() const;
};
std::string_view to_string(LinkReport::State state);

// What the answers say about a link. `answers` holds every step by its URL.
void judge_link(CheckedLink& link, const std::map<std::string, LinkAnswer, std::less<>>& answers, Duration slow_after);
// Is it worth while to ask with GET what HEAD did not answer well?
bool wants_get(const LinkAnswer& answer);

boost::json::object summary_json(const LinkReport& report);  // without the links
boost::json::object to_json(const LinkReport& report, std::size_t most_places = CheckedLink::kMostPlaces);
Result<LinkReport> report_from_json(std::string_view text);
// RFC 4180, in UTF-8. A cell that a spreadsheet would take for a formula begins with an apostrophe.
std::string to_csv(const LinkReport& report);
std::string csv_cell(std::string_view text);

}  // namespace outrider
