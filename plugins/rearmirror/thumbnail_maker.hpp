// Draws pages one after the other in a thread of its own; what is done is fetched by the plugin. Chromium runs while
// there is something to draw, and a little longer.
#pragma once

#include "plugins/rearmirror/chromium_process.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace outrider {

class ThumbnailMaker {
 public:
  static constexpr std::size_t kMostWaiting = 60;

  struct Done {
    std::string url;
    Result<std::string> picture;
  };

  ThumbnailMaker(ChromiumOptions options, Duration per_page);
  ~ThumbnailMaker();  // leaves the page that is being drawn

  bool want(const std::string& url);  // false: too many are waiting
  bool is_waiting(const std::string& url) const;
  std::vector<Done> take();
  void forget_waiting();      // the reader has gone on
  std::string state() const;  // "" = all is well; else why nothing is drawn

 private:
  void work();
  Result<std::string> draw(std::unique_ptr<ChromiumProcess>& chromium, unsigned& drawn, const std::string& url) const;

  ChromiumOptions options_;
  std::atomic<bool> cancelled_{false};
  const Duration per_page_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::deque<std::string> waiting_;
  std::string now_;
  std::vector<Done> done_;
  std::string state_;
  unsigned failures_ = 0;  // of Chromium itself, in a row
  std::thread thread_;     // last: it uses all of the above
};

}  // namespace outrider
