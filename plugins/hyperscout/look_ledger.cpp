#include "plugins/hyperscout/look_ledger.hpp"

#include "base/url.hpp"

#include <fmt/format.h>

namespace outrider::hyperscout {

std::string site_of(std::string_view host) {
  const Result<Url> url = Url::parse(fmt::format("http://{}/", host));
  const std::string_view registered = url ? url->registrable_domain() : std::string_view{};  // none of an address
  return std::string{registered.empty() ? host : registered};
}

bool LookLedger::may_ask(std::string_view site, std::string_view url, SteadyTime now) const {
  const auto found = sites_.find(digest(site));
  if (found == sites_.end()) return true;
  const auto again = found->second.again.find(digest(url));
  return again == found->second.again.end() || now >= again->second;
}

void LookLedger::asked(std::string_view site, std::string_view url, SteadyTime again) {
  const auto [found, is_new] = sites_.try_emplace(digest(site));
  Site& of_site = found->second;
  if (is_new) order_.push_back(digest(site));
  if (of_site.again.insert_or_assign(digest(url), again).second) of_site.order.push_back(digest(url));
  while (of_site.order.size() > kMostOfASite) {
    of_site.again.erase(of_site.order.front());
    of_site.order.pop_front();
  }
  while (order_.size() > kMostSites) {
    sites_.erase(order_.front());
    order_.pop_front();
  }
}

// Its place in the order stays.
void LookLedger::take_back(std::string_view site, std::string_view url) {
  const auto found = sites_.find(digest(site));
  if (found == sites_.end()) return;
  const auto again = found->second.again.find(digest(url));
  if (again != found->second.again.end()) again->second = SteadyTime{};
}

std::string LookLedger::word_for(std::string_view site) const {
  return fmt::format("{:016x}", digest(site));
}

}  // namespace outrider::hyperscout
