#include "plugins/hyperscout/look_budget.hpp"

#include "base/public_suffix.hpp"

#include <algorithm>

namespace outrider::hyperscout {

bool LookBudget::spend(std::string_view host, SteadyTime now, std::size_t per_minute, std::size_t count) {
  while (!spent_.empty() && now - spent_.front().at > std::chrono::minutes{1}) spent_.pop_front();
  const std::string_view registered = registrable_domain(host);
  const std::string site{registered.empty() ? host : registered};
  const auto of_site = static_cast<std::size_t>(
      std::count_if(spent_.begin(), spent_.end(), [&site](const Spent& spent) { return spent.site == site; }));
  const std::size_t most_of_site = (per_minute + 1) / 2;
  if (spent_.size() + count > per_minute || of_site + count > most_of_site) return false;
  spent_.insert(spent_.end(), count, {now, site});
  return true;
}

}  // namespace outrider::hyperscout
