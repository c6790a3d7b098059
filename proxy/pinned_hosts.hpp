// Hosts whose certificate from us a client does not accept: programs that know their server's certificate by heart
// ("pinning"), or do not trust our authority. After the second refusal the tunnels of that client to that host pass
// unseen for a while, so that the program works again. Thread safe; bounded.
#pragma once

#include "base/clock.hpp"
#include "base/ip_address.hpp"

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrider {

class PinnedHosts {
 public:
  static constexpr auto kStrikesWithin = std::chrono::minutes{10};  // two refusals count if they are not further apart
  static constexpr std::size_t kAtMost = 2000;                      // for one more, another is forgotten

  struct Entry {
    std::string host;
    std::string client;
    std::string reason;
    WallTime since;
    WallTime until;
  };

  // True: that was one too many, from now on the host passes unseen for `period`.
  bool refused(std::string_view host, const IpAddress& client, std::string_view reason, Duration period, WallTime now);
  bool is_pinned(std::string_view host, const IpAddress& client, WallTime now);

  std::vector<Entry> list(WallTime now);      // those in force
  std::size_t remove(std::string_view host);  // for all clients; how many entries that were
  std::size_t clear();

 private:
  struct State {
    std::string reason;
    WallTime first;    // of the refusals that count
    WallTime until{};  // not yet set: one refusal so far
  };
  using Key = std::pair<std::string, std::string>;  // host, client

  static bool is_single(const State& state) { return state.until == WallTime{}; }
  void drop_old(WallTime now);
  void make_room();

  std::mutex mutex_;
  std::map<Key, State> known_;
};

}  // namespace outrider
