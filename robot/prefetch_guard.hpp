// Loads that nobody asked for (the page behind the link under the mouse, the next page): what must never be loaded that
// way. A site that acts on GET is wrong by the book, and still somebody's cart, vote or session must not suffer from
// it. Every refusal says why. Budgets are per registrable domain and UTC day. One thread at a time, or a lock around
// it.
//
// Credentials are not a question here: the robot has none (cache/exchange strips them for it).
#pragma once

#include "base/clock.hpp"
#include "base/siphash.hpp"
#include "base/url.hpp"
#include "plugins/api/link.hpp"
#include "robot/action_words.hpp"
#include "robot/settings.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace outrider {

struct PrefetchQuestion {
  std::string_view method = "GET";
  const Url* url = nullptr;
  const Link* link = nullptr;  // the link that leads there, if one does
  bool page_nofollow = false;  // meta robots or X-Robots-Tag of the page that the link is on
  bool save_data = false;      // the browser sent Save-Data: on
  bool apart = false;          // what people have loaded must not make a difference
};

struct PrefetchVerdict {
  bool allowed = false;
  std::string reason;  // "looks like an action: logout"; empty if allowed
};

class PrefetchGuard {
 public:
  explicit PrefetchGuard(const RobotSettings& settings);
  void set_settings(const RobotSettings& settings);  // what was spent and seen stays

  PrefetchVerdict check(const PrefetchQuestion& question, WallTime now) const;
  // A load that was allowed begins; its bytes are reported when they are known.
  void count_load(const Url& url, WallTime now);
  void take_back_load(const Url& url, WallTime now);  // it was answered from the store: the site heard nothing
  void count_bytes(const Url& url, std::uint64_t bytes, WallTime now);

  // A person loaded this URL by GET, and the answer was a page for everybody: status 200, storable in a shared cache,
  // no cookie set. URLs of the same shape (same path, same names of parameters) may then be loaded ahead.
  void saw_safe_query(const Url& url);

  // What was spent at these registrable domains.
  void forget(const std::function<bool(std::string_view site)>& is_meant);

  // What was spent today, for the next start (or for a guard with other settings): versioned JSON. What cannot be read,
  // or is of another day, is as if nothing had been spent.
  std::string save_budget() const;
  void load_budget(std::string_view bytes, WallTime now);

 private:
  struct Spent {
    std::int64_t loads = 0;
    std::uint64_t bytes = 0;
  };
  std::optional<std::string> refuse_link(const PrefetchQuestion& question) const;
  std::optional<std::string> refuse_action(const PrefetchQuestion& question) const;
  std::optional<std::string> refuse_query(const PrefetchQuestion& question) const;
  std::optional<std::string> refuse_budget(const Url& url, WallTime now) const;
  Spent& spent_today(const Url& url, WallTime now);
  std::uint64_t shape_of(const Url& url) const;

  RobotSettings settings_;
  ActionWords words_;
  SipKey key_ = SipKey::random();  // shapes come from strangers
  std::unordered_set<std::uint64_t> safe_shapes_;
  std::deque<std::uint64_t> safe_order_;  // the oldest is forgotten first
  std::unordered_map<std::string, Spent> spent_;
  std::int64_t day_ = 0;  // of spent_, since the epoch
};

// Long, and mixed as no word is: "eyJhbGciOiJIUzI1NiJ9", "9f86d081884c7d65…". A link that holds such a thing may work
// only once.
bool looks_like_token(std::string_view text);

}  // namespace outrider
