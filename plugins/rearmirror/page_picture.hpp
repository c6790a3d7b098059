// Draws one page with a Chromium (DevTools protocol): no scripts, no cookies, only what a page needs to be drawn, only
// from places that the page itself could be from. Blocks; used by thumbnail_maker's thread.
#pragma once

#include "plugins/rearmirror/chromium_process.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace outrider {

// May the page have this? `kind` as DevTools says: "Document", "Image" …; `main` is it the page itself.
bool picture_may_load(std::string_view url, std::string_view method, std::string_view kind, bool main,
                      std::string_view page_url);

bool picture_from_base64(std::string_view text, std::string& out);

class PagePicture {
 public:
  explicit PagePicture(ChromiumProcess& chromium) : chromium_(chromium) {}

  // A JPEG of 320 × 240.
  Result<std::string> draw(const std::string& url, Deadline until);

 private:
  using Object = boost::json::object;
  Result<Object> command(std::string_view method, Object parameters, Deadline until);
  Result<void> prepare(Deadline until);
  void note(const Object& event, Deadline until);
  void decide(const Object& event, Deadline until);
  Result<void> load(const std::string& url, Deadline until);

  ChromiumProcess& chromium_;
  std::string context_, session_, frame_, page_url_;
  std::int64_t last_ = 0;
  unsigned requests_ = 0;
  int status_ = 0;
  bool may_keep_ = true;
  bool loaded_ = false;
};

}  // namespace outrider
