#include "plugins/rearmirror/hit_pictures.hpp"

#include "base/log.hpp"
#include "base/url.hpp"
#include "plugins/rearmirror/mirror_hits.hpp"

#include <algorithm>
#include <array>

namespace outrider {
namespace {

using namespace std::chrono_literals;

constexpr auto kGoodFor = 24h * 30;
constexpr auto kTryAgain = 1h;  // the machine or the site may have been busy
constexpr std::size_t kMostWithout = 2000;
constexpr unsigned kSweepEvery = 5;  // seconds; a tenth of all, so that what is forgotten is gone within a minute

std::string host_of(const std::string& url) {
  const Result<Url> parsed = Url::parse(url);
  return parsed ? std::string{parsed->host()} : std::string{};
}

}  // namespace

std::string_view to_string(HitPictures::State state) {
  constexpr std::array<std::string_view, 3> names{"none", "coming", "ready"};
  return names[static_cast<std::size_t>(state)];
}

HitPictures::HitPictures(PluginStore& store, const Memory& memory, Robot* robot, const Clock& clock)
    : memory_(memory), clock_(clock), shelf_(store) {
  shelf_.load();
  if (robot != nullptr) sites_ = std::make_unique<SitePictures>(*robot);
}

void HitPictures::use_renderer(ChromiumOptions options, Duration per_page) {
  maker_ = std::make_unique<ThumbnailMaker>(std::move(options), per_page);
}

HitPictures::State HitPictures::want(const std::string& url) {
  if (!is_open_page(memory_, url)) return State::none;
  const std::optional<WallTime> made = shelf_.made(url);
  if (made && clock_.now() - *made < kGoodFor) return State::ready;
  const State meanwhile = made ? State::ready : State::coming;
  if ((maker_ && maker_->is_waiting(url)) || (sites_ && sites_->is_waiting(url))) return meanwhile;
  if (const auto tried = without_.find(url); tried != without_.end() && clock_.now() - tried->second < kTryAgain)
    return made ? State::ready : State::none;
  if (maker_ && maker_->want(url)) return meanwhile;
  ask_site(url);
  return sites_ && sites_->is_waiting(url) ? meanwhile : State::none;
}

void HitPictures::ask_site(const std::string& url) {
  const Result<std::optional<Node>> node = memory_.node(Viewer::nobody(), url);
  if (!sites_ || !node || !*node) return give_up(url);
  std::vector<std::string> addresses;
  for (const std::string* address : {&(*node)->page.image, &(*node)->page.favicon})
    if (!address->empty()) addresses.push_back(*address);
  if ((*node)->page.favicon.empty())  // where browsers look for it
    if (const Result<Url> page = Url::parse(url); page && page->is_http())
      addresses.push_back(page->origin() + "/favicon.ico");
  if (addresses.empty()) return give_up(url);
  sites_->want(url, std::move(addresses));
}

void HitPictures::give_up(const std::string& url) {
  if (without_.size() >= kMostWithout) without_.clear();
  without_[url] = clock_.now();
}

std::optional<Thumbnail> HitPictures::get(const std::string& url) const {
  if (!is_open_page(memory_, url)) return std::nullopt;  // it may have become private since
  return shelf_.get(url);
}

void HitPictures::forget_waiting() {
  if (maker_) maker_->forget_waiting();
  if (sites_) sites_->forget_waiting();
}

bool HitPictures::advance(std::size_t keep) {
  bool fresh = false;
  if (maker_) {
    for (ThumbnailMaker::Done& done : maker_->take()) {
      fresh = true;
      // Forgotten while it was drawn: then it is not kept.
      if (done.picture && is_open_page(memory_, done.url) && shelf_.put(done.url, *done.picture, clock_.now(), keep))
        continue;
      if (!done.picture)
        log::debug(Room::plugins, "page_not_drawn",
                   {{"host", host_of(done.url)}, {"reason", done.picture.error().detail}});
      ask_site(done.url);
    }
  }
  if (sites_) {
    while (std::optional<SitePictures::Done> done = sites_->advance()) {
      fresh = true;
      if (!is_open_page(memory_, done->page) || !shelf_.put(done->page, done->bytes, clock_.now(), keep))
        give_up(done->page);
    }
  }
  if (++ticks_ % kSweepEvery == 0)
    shelf_.sweep([this](const std::string& url) { return is_open_page(memory_, url); },
                 std::max<std::size_t>(50, shelf_.size() / 10));
  return fresh;
}

void HitPictures::stop() {
  maker_.reset();
  if (sites_) sites_->stop();
}

std::string HitPictures::renderer_state() const {
  if (!maker_) return "none";
  const std::string problem = maker_->state();
  return problem.empty() ? "ready" : problem;
}

}  // namespace outrider
