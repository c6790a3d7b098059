#include "proxy/pinned_hosts.hpp"

#include <algorithm>

namespace outrider {
namespace {

std::string shown(const IpAddress& client) {
  return unmapped(client).to_string();
}

}  // namespace

bool PinnedHosts::refused(std::string_view host, const IpAddress& client, std::string_view reason, Duration period,
                          WallTime now) {
  if (period == Duration::zero()) return false;
  const std::lock_guard lock(mutex_);
  drop_old(now);
  Key key{host, shown(client)};
  const auto entry = known_.find(key);
  if (entry == known_.end()) {
    make_room();
    known_.emplace(std::move(key), State{std::string{reason}, now});
    return false;
  }
  State& state = entry->second;
  state.reason = reason;
  state.until = now + std::chrono::duration_cast<WallTime::duration>(period);
  return true;
}

bool PinnedHosts::is_pinned(std::string_view host, const IpAddress& client, WallTime now) {
  const std::lock_guard lock(mutex_);
  if (known_.empty()) return false;
  const auto entry = known_.find(Key{host, shown(client)});
  return entry != known_.end() && entry->second.until > now;
}

std::vector<PinnedHosts::Entry> PinnedHosts::list(WallTime now) {
  const std::lock_guard lock(mutex_);
  drop_old(now);
  std::vector<Entry> entries;
  for (const auto& [key, state] : known_)
    if (state.until > now) entries.push_back({key.first, key.second, state.reason, state.first, state.until});
  return entries;
}

std::size_t PinnedHosts::remove(std::string_view host) {
  const std::lock_guard lock(mutex_);
  return std::erase_if(known_, [host](const auto& entry) { return entry.first.first == host; });
}

std::size_t PinnedHosts::clear() {
  const std::lock_guard lock(mutex_);
  return std::exchange(known_, {}).size();
}

// Also what lies in the future: the clock may have been set back.
void PinnedHosts::drop_old(WallTime now) {
  std::erase_if(known_, [now](const auto& entry) {
    const State& state = entry.second;
    if (state.first > now) return true;
    return is_single(state) ? now - state.first > kStrikesWithin : state.until <= now;
  });
}

// For one more. Single refusals go first, the oldest of them, so that many of those cannot push out what is in force.
// But half of the places are theirs: where all are taken by what is in force, the second refusal would never find the
// first.
void PinnedHosts::make_room() {
  if (known_.size() < kAtMost) return;
  const auto singles = std::count_if(known_.begin(), known_.end(), [](const auto& e) { return is_single(e.second); });
  const bool drop_single = static_cast<std::size_t>(singles) > kAtMost / 2;
  known_.erase(std::min_element(known_.begin(), known_.end(), [drop_single](const auto& a, const auto& b) {
    const bool a_may_go = is_single(a.second) == drop_single;
    const bool b_may_go = is_single(b.second) == drop_single;
    if (a_may_go != b_may_go) return a_may_go;
    return drop_single ? a.second.first < b.second.first : a.second.until < b.second.until;
  }));
}

}  // namespace outrider
