#include "plugins/hyperscout/look_budget.hpp"

#include "base/public_suffix.hpp"

#include <algorithm>

namespace outrider::hyperscout {
namespace {

std::string site_of(std::string_view host) {
  const std::string_view registered = registrable_domain(host);
  return std::string{registered.empty() ? host : registered};
}

}  // namespace

std::size_t LookBudget::left(const std::string& site, SteadyTime now, std::size_t per_minute) {
  while (!spent_.empty() && now - spent_.front().at > std::chrono::minutes{1}) spent_.pop_front();
  const auto of_site = static_cast<std::size_t>(
      std::count_if(spent_.begin(), spent_.end(), [&site](const Spent& spent) { return spent.site == site; }));
  const std::size_t most_of_site = (per_minute + 1) / 2;
  if (spent_.size() >= per_minute || of_site >= most_of_site) return 0;
  return std::min(per_minute - spent_.size(), most_of_site - of_site);
}

bool LookBudget::spend(std::string_view host, SteadyTime now, std::size_t per_minute, std::size_t count) {
  const std::string site = site_of(host);
  const std::lock_guard lock(mutex_);
  if (left(site, now, per_minute) < count) return false;
  spent_.insert(spent_.end(), count, {now, site});
  return true;
}

bool LookBudget::has_left(std::string_view host, SteadyTime now, std::size_t per_minute) {
  const std::string site = site_of(host);
  const std::lock_guard lock(mutex_);
  return left(site, now, per_minute) != 0;
}

}  // namespace outrider::hyperscout
