#include "proxy/framed_pages.hpp"

namespace outrider {
namespace {

std::string_view without_fragment(std::string_view address) {
  return address.substr(0, address.find('#'));
}

std::uint64_t pair(std::string_view page, const Url& framed) {
  return NotedHashes::hash({without_fragment(page), without_fragment(framed.href())});
}

}  // namespace

// Of a page of another origin Referer names the origin alone, unless the page wants it otherwise.
void FramedPages::note(const Url& page, const Url& framed) {
  if (!framed.is_http()) return;
  noted_.note(pair(page.href(), framed));
  if (page.origin() != framed.origin()) noted_.note(pair(page.origin() + "/", framed));
}

bool FramedPages::has(std::string_view referrer, const Url& asked) const {
  return !referrer.empty() && noted_.has(pair(referrer, asked));
}

void FrameWatch::start_tag(const HtmlTag& tag) {
  const bool is_base = tag.key == html_name_key("base");
  if (!is_base && tag.key != html_name_key("iframe") && tag.key != html_name_key("frame")) return;
  const HtmlAttribute* const address = tag.find(is_base ? "href" : "src");
  if (address == nullptr || (is_base ? has_base_ : ++frames_ > kMost)) return;
  Result<Url> url = Url::parse(tag.value(*address, scratch_), is_base ? &page_ : &base_);
  if (is_base) has_base_ = true;
  if (!url) return;
  if (is_base) {
    base_ = std::move(*url);
  } else {
    framed_.note(page_, *url);
  }
}

}  // namespace outrider
