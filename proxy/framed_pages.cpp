#include "proxy/framed_pages.hpp"

#include "base/ascii.hpp"
#include "base/html_tokenizer.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>

namespace outrider {
namespace {

std::string_view without_fragment(std::string_view address) {
  return address.substr(0, address.find('#'));
}

std::uint64_t pair(std::string_view page, const Url& framed) {
  return NotedHashes::hash({without_fragment(page), without_fragment(framed.href())});
}

constexpr std::array<std::string_view, 3> kNames{"<iframe", "<frame", "<base"};
constexpr std::size_t kLongestName = 7;

bool is_wanted(std::string_view tag) {
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    return tag.size() > name.size() && equal_ignoring_case(tag.substr(0, name.size()), name);
  });
}

// The next "<" that one of those letters follows, with which their names begin, or nothing.
std::size_t find_candidate(std::string_view bytes, std::size_t at) {
#ifdef __SSE2__
  for (; at + 16 < bytes.size(); at += 16) {
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    const __m128i next =
        _mm_or_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at + 1)), _mm_set1_epi8(0x20));
    const __m128i letter =
        _mm_or_si128(_mm_cmpeq_epi8(next, _mm_set1_epi8('b')),
                     _mm_or_si128(_mm_cmpeq_epi8(next, _mm_set1_epi8('f')), _mm_cmpeq_epi8(next, _mm_set1_epi8('i'))));
    const int hits = _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(here, _mm_set1_epi8('<')), letter));
    if (hits != 0) return at + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(hits)));
  }
#endif
  for (; at < bytes.size(); ++at) {
    if (bytes[at] != '<') continue;
    if (at + 1 == bytes.size()) return at;
    const int next = bytes[at + 1] | 0x20;
    if (next == 'b' || next == 'f' || next == 'i') return at;
  }
  return at;
}

}  // namespace

// Of a page of another origin Referer names the origin alone, unless the page wants it otherwise.
void FramedPages::note(const Url& page, const Url& framed) {
  if (!framed.is_http() || without_fragment(framed.href()) == without_fragment(page.href())) return;
  noted_.note(pair(page.href(), framed));
  if (page.origin() != framed.origin()) noted_.note(pair(page.origin() + "/", framed));
}

bool FramedPages::has(std::string_view referrer, const Url& asked) const {
  return !referrer.empty() && noted_.has(pair(referrer, asked));
}

// A tag is read when all of it is there. What may become one of ours waits for the next piece.
void FrameWatch::feed(std::string_view bytes) {
  if (read_ >= kMost) return;
  if (!cut_.empty()) {
    const std::size_t close = bytes.find('>');
    cut_ += bytes.substr(0, close == bytes.npos ? close : close + 1);
    if (close == bytes.npos && cut_.size() <= kLongestTag) return;
    read(cut_);
    cut_.clear();
    bytes.remove_prefix(close == bytes.npos ? bytes.size() : close + 1);
  }
  for (std::size_t at = 0; (at = find_candidate(bytes, at)) < bytes.size(); ++at) {
    const std::string_view tag = bytes.substr(at, kLongestTag);
    if (tag.size() > kLongestName && !is_wanted(tag)) continue;
    const std::size_t close = tag.find('>');
    if (close == tag.npos && tag.size() < kLongestTag) {
      cut_ = tag;
      return;
    }
    if (close != tag.npos) read(tag.substr(0, close + 1));
    at += std::min(close, tag.size() - 1);
  }
}

void FrameWatch::read(std::string_view tag) {
  if (++read_ > kMost) return;
  HtmlTokenizer tokenizer{*this, {}};
  tokenizer.feed(tag);
}

void FrameWatch::on_start_tag(const HtmlTag& tag) {
  const bool is_base = tag.key == html_name_key("base");
  if (!is_base && tag.key != html_name_key("iframe") && tag.key != html_name_key("frame")) return;
  const HtmlAttribute* const address = tag.find(is_base ? "href" : "src");
  if (address == nullptr || (is_base && has_base_)) return;
  Result<Url> url = Url::parse(tag.value(*address, scratch_), is_base ? &page_ : &base_);
  has_base_ = has_base_ || is_base;
  if (!url) return;
  if (is_base) {
    base_ = std::move(*url);
  } else {
    framed_.note(page_, *url);
  }
}

}  // namespace outrider
