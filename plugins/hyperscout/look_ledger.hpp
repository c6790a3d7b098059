// What the previews of each site have asked for, and when it may be asked again. This, the time and budgets decide
// whether the robot is sent; what is known about the page does not: the server it would go to could see that
// (docs/decisions/0105-looks-are-kept-apart.md). In memory only, and as digests under a key of this process: it cannot
// be read who asked for what. One thread.
#pragma once

#include "base/clock.hpp"
#include "base/siphash.hpp"

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace outrider::hyperscout {

// The registered name above a host; the host itself where there is none.
std::string site_of(std::string_view host);

class LookLedger {
 public:
  // Beyond these the oldest goes: of the same site, so that a site does not see what the reader does elsewhere.
  static constexpr std::size_t kMostOfASite = 1000, kMostSites = 200;

  bool may_ask(std::string_view site, std::string_view url, SteadyTime now) const;
  void asked(std::string_view site, std::string_view url, SteadyTime again);
  void take_back(std::string_view site, std::string_view url);  // it may be asked for at once
  void clear() { sites_.clear(), order_.clear(); }
  // A word that stands for the site, and for nothing after this process.
  std::string word_for(std::string_view site) const;

 private:
  using Digest = std::uint64_t;
  struct Site {
    std::unordered_map<Digest, SteadyTime> again;
    std::deque<Digest> order;
  };
  Digest digest(std::string_view text) const { return siphash128(key_, text).low; }

  SipKey key_ = SipKey::random();
  std::unordered_map<Digest, Site> sites_;
  std::deque<Digest> order_;
};

}  // namespace outrider::hyperscout
