#include "plugins/hyperscout/look_budget.hpp"

#include <algorithm>

namespace outrider::hyperscout {

std::size_t LookBudget::left(const std::string& site, SteadyTime now, std::size_t per_minute) {
  while (!spent_.empty() && now - spent_.front().at > std::chrono::minutes{1}) spent_.pop_front();
  const auto of_site = static_cast<std::size_t>(
      std::count_if(spent_.begin(), spent_.end(), [&site](const Spent& spent) { return spent.site == site; }));
  const std::size_t of_all = per_minute * kSitesAtOnce;
  if (spent_.size() >= of_all || of_site >= per_minute) return 0;
  return std::min(of_all - spent_.size(), per_minute - of_site);
}

bool LookBudget::spend(const std::string& site, SteadyTime now, std::size_t per_minute, std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (left(site, now, per_minute) < count) return false;
  spent_.insert(spent_.end(), count, {now, site});
  return true;
}

bool LookBudget::has_left(const std::string& site, SteadyTime now, std::size_t per_minute) {
  const std::lock_guard lock(mutex_);
  return left(site, now, per_minute) != 0;
}

}  // namespace outrider::hyperscout
