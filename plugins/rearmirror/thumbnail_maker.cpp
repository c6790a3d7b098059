#include "plugins/rearmirror/thumbnail_maker.hpp"

#include "plugins/rearmirror/page_picture.hpp"

#include <algorithm>
#include <utility>

namespace outrider {
namespace {

using namespace std::chrono_literals;

constexpr auto kIdle = 10s;              // then Chromium goes
constexpr unsigned kPagesEach = 50;      // then a fresh one is taken
constexpr unsigned kFailuresInARow = 3;  // then it is not tried any more
constexpr auto kToStart = 15s;

// Whose fault: that of the page, or of the program?
bool is_chromiums(const Error& error) {
  return error.kind == ErrorKind::io || error.kind == ErrorKind::closed_early || error.kind == ErrorKind::unsupported;
}

}  // namespace

ThumbnailMaker::ThumbnailMaker(ChromiumOptions options, Duration per_page)
    : options_(std::move(options)), per_page_(per_page) {
  options_.cancelled = &cancelled_;
  thread_ = std::thread{[this] { work(); }};
}

ThumbnailMaker::~ThumbnailMaker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    cancelled_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  thread_.join();
}

bool ThumbnailMaker::want(const std::string& url) {
  const std::lock_guard lock(mutex_);
  if (!state_.empty() || waiting_.size() >= kMostWaiting) return false;
  if (now_ == url || std::find(waiting_.begin(), waiting_.end(), url) != waiting_.end()) return true;
  waiting_.push_back(url);
  changed_.notify_all();
  return true;
}

bool ThumbnailMaker::is_waiting(const std::string& url) const {
  const std::lock_guard lock(mutex_);
  return now_ == url || std::find(waiting_.begin(), waiting_.end(), url) != waiting_.end();
}

std::vector<ThumbnailMaker::Done> ThumbnailMaker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

void ThumbnailMaker::forget_waiting() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
}

std::string ThumbnailMaker::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Result<std::string> ThumbnailMaker::draw(std::unique_ptr<ChromiumProcess>& chromium, unsigned& drawn,
                                         const std::string& url) const {
  Duration more = Duration::zero();
  if (!chromium || drawn >= kPagesEach) {
    chromium.reset();
    Result<std::unique_ptr<ChromiumProcess>> started = ChromiumProcess::start(options_);
    if (!started) return started.error();
    chromium = std::move(*started);
    drawn = 0;
    more = kToStart;
  }
  ++drawn;
  PagePicture picture{*chromium};
  Result<std::string> made = picture.draw(url, Deadline::after(per_page_ + more));
  if (!made) chromium.reset();  // who knows what it is doing
  return made;
}

void ThumbnailMaker::work() {
  std::unique_ptr<ChromiumProcess> chromium;
  unsigned drawn = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto something = [this] { return stopping_ || !waiting_.empty(); };
    if (!changed_.wait_for(lock, kIdle, something)) {
      lock.unlock();
      chromium.reset();
      lock.lock();
      changed_.wait(lock, something);
    }
    if (stopping_) return;
    now_ = std::move(waiting_.front());
    waiting_.pop_front();
    const std::string url = now_;
    lock.unlock();
    Result<std::string> made = draw(chromium, drawn, url);
    lock.lock();
    failures_ = !made && is_chromiums(made.error()) ? failures_ + 1 : 0;
    if (failures_ >= kFailuresInARow || (!made && made.error().kind == ErrorKind::unsupported)) {
      state_ = made.error().detail;
      waiting_.clear();
    }
    done_.push_back({url, std::move(made)});
    now_.clear();
  }
}

}  // namespace outrider
