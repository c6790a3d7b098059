#include "base/http2_homes.hpp"

#include <algorithm>

namespace outrider {

bool HttpHome::post(std::function<void(HttpClient&)> work) {
  const std::lock_guard lock{mutex_};
  if (reactor_ == nullptr) return false;
  reactor_->post([self = shared_from_this(), work = std::move(work)] {
    if (self->client_ != nullptr) work(*self->client_);
  });
  return true;
}

void HttpHome::close() {
  const std::lock_guard lock{mutex_};
  reactor_ = nullptr;
  client_ = nullptr;
}

void Http2Homes::add(std::shared_ptr<HttpHome> home) {
  const std::lock_guard lock{mutex_};
  homes_.push_back(std::move(home));
}

void Http2Homes::remove(const std::shared_ptr<HttpHome>& home) {
  const std::lock_guard lock{mutex_};
  std::erase(homes_, home);
  std::erase_if(places_, [&home](const auto& entry) { return entry.second.home == home; });
}

std::shared_ptr<HttpHome> Http2Homes::find(std::string_view key, const std::shared_ptr<HttpHome>& me, SteadyTime now) {
  const std::lock_guard lock{mutex_};
  const auto known = places_.find(key);
  const bool stands = known != places_.end() && known->second.until > now;
  std::shared_ptr<HttpHome> home;
  if (stands) {
    home = known->second.home;
  } else if (std::find(homes_.begin(), homes_.end(), me) != homes_.end()) {
    home = me;
  } else if (!homes_.empty()) {
    home = homes_[Hash{}(key) % homes_.size()];
  }
  if (!stands && home) {
    if (places_.size() >= kTidyBeyond)
      std::erase_if(places_, [now](const auto& entry) { return entry.second.until <= now; });
    places_.insert_or_assign(std::string{key}, Place{home, now + kAttempt});
  }
  return home == me ? nullptr : home;
}

std::shared_ptr<HttpHome> Http2Homes::whose(std::string_view key, const std::shared_ptr<HttpHome>& me) {
  const std::lock_guard lock{mutex_};
  const auto known = places_.find(key);
  return known == places_.end() || known->second.home == me ? nullptr : known->second.home;
}

void Http2Homes::keep(std::string_view key, const std::shared_ptr<HttpHome>& me) {
  const std::lock_guard lock{mutex_};
  if (std::find(homes_.begin(), homes_.end(), me) == homes_.end()) return;
  const auto known = places_.find(key);
  if (known == places_.end()) {
    places_.emplace(key, Place{me, SteadyTime::max()});
  } else if (known->second.home == me) {
    known->second.until = SteadyTime::max();
  }
}

void Http2Homes::release(std::string_view key, const std::shared_ptr<HttpHome>& me) {
  const std::lock_guard lock{mutex_};
  const auto known = places_.find(key);
  if (known != places_.end() && known->second.home == me) places_.erase(known);
}

}  // namespace outrider
