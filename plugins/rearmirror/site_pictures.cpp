#include "plugins/rearmirror/site_pictures.hpp"

#include "base/url.hpp"
#include "plugins/rearmirror/search_source.hpp"
#include "plugins/rearmirror/thumbnail_shelf.hpp"

#include <algorithm>

namespace outrider {
namespace {

using namespace std::chrono_literals;

constexpr auto kOldEnough = 24h * 3650;  // whatever is stored is good enough

}  // namespace

void SitePictures::want(const std::string& page, std::vector<std::string> addresses) {
  std::erase_if(addresses, [](const std::string& address) {
    const Result<Url> url = Url::parse(address);
    return !url || !url->is_http();
  });
  if (waiting_.size() >= kMostWaiting || is_waiting(page)) return;
  waiting_.push_back({page, std::move(addresses)});
}

bool SitePictures::is_waiting(const std::string& page) const {
  const auto is_it = [&page](const Wish& wish) { return wish.page == page; };
  return (now_ && is_it(*now_)) || std::any_of(waiting_.begin(), waiting_.end(), is_it);
}

void SitePictures::begin() {
  TaskSpec spec;
  spec.name = "Rear mirror: a picture of a page";
  spec.owner = SearchSource::kOwner;
  spec.start = now_->addresses;
  spec.depth = 0;
  spec.restriction = Restriction::all;
  spec.need_source = true;
  spec.refresh_older_than = std::chrono::duration_cast<std::chrono::seconds>(kOldEnough);
  spec.max_page_size = ThumbnailShelf::kLargest;
  spec.max_time_per_document = 10s;
  spec.max_attempts = 1;
  found_.clear();
  if (!now_->addresses.empty() && errand_.begin(std::move(spec))) return;
  now_->addresses.clear();  // then there is none
}

std::optional<SitePictures::Done> SitePictures::advance() {
  if (!now_) {
    if (waiting_.empty()) return std::nullopt;
    now_ = std::move(waiting_.front());
    waiting_.pop_front();
    begin();
  }
  Done done{now_->page, {}};
  if (!now_->addresses.empty()) {
    RobotErrand::News news = errand_.take();
    std::move(news.pages.begin(), news.pages.end(), std::back_inserter(found_));
    if (!news.ended) return std::nullopt;
    for (const std::string& address : now_->addresses)
      for (RobotErrand::Page& page : found_)
        if (done.bytes.empty() && page.url == address && !picture_type(page.source).empty())
          done.bytes = std::move(page.source);
    errand_.leave();
  }
  found_.clear();
  now_.reset();
  return done;
}

void SitePictures::stop() {
  errand_.leave();
  waiting_.clear();
  now_.reset();
}

}  // namespace outrider
