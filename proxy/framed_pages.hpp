// Which pages are shown in frames of others. A browser says whether a page fills the window or a frame
// (Sec-Fetch-Dest), but to secure origins only. Over plain HTTP the page with the frame has passed just before, and
// Referer names it: what the markup of that page puts into a frame is taken for a frame when it is asked for. Frames
// that scripts make, and pages that are opened inside a frame, are not known. Used by proxy/plugin_exchange.
#pragma once

#include "base/html_tokens.hpp"
#include "base/url.hpp"
#include "proxy/noted_hashes.hpp"

#include <string>
#include <string_view>

namespace outrider {

class FramedPages {
 public:
  void note(const Url& page, const Url& framed);
  // Does a page that was seen, the one that asks, show this one in a frame? `referrer` as in Referer.
  bool has(std::string_view referrer, const Url& asked) const;

 private:
  NotedHashes noted_;
};

// Sees a page pass and notes what it frames. Reads no more than it must: whoever looks at every tag of a page costs it
// more time than everything else that happens to it here. So what stands in a comment or a script counts as well.
class FrameWatch final : private HtmlHandler {
 public:
  FrameWatch(FramedPages& framed, Url page) : framed_(framed), page_(std::move(page)), base_(page_) {}
  void feed(std::string_view bytes);

 private:
  static constexpr unsigned kMost = 256;  // tags of a page that are read
  static constexpr std::size_t kLongestTag = 8192;

  void read(std::string_view tag);
  void on_start_tag(const HtmlTag& tag) override;

  FramedPages& framed_;
  const Url page_;
  Url base_;
  bool has_base_ = false;
  unsigned read_ = 0;
  std::string cut_;  // the beginning of a tag, where the last piece ended
  std::string scratch_;
};

}  // namespace outrider
