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
  const auto [entry, fresh] = known_.try_emplace(Key{host, shown(client)});
  State& state = entry->second;
  state.reason = reason;
  if (fresh) {
    state.first = now;
    return false;
  }
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
    return state.until == WallTime{} ? now - state.first > kStrikesWithin : state.until <= now;
  });
  while (known_.size() >= kAtMost) {
    const auto soonest = std::min_element(known_.begin(), known_.end(),
                                          [](const auto& a, const auto& b) { return a.second.until < b.second.until; });
    known_.erase(soonest);
  }
}

}  // namespace outrider
