// Collects what a page says about itself: <title>, <meta>, <html lang>, <time>, JSON-LD. Several places may say the
// same thing; each has a rank, and the best one counts, whatever their order. Neighbours: page_scan (calls), page_meta
// (which name of <meta> means what), json_ld, page_dates.
#pragma once

#include "base/html_tokens.hpp"
#include "base/url.hpp"
#include "cache/page_text.hpp"
#include "plugins/api/page_content.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// A value and who said it: a smaller number is a better source. The first of the best source counts.
template <class Value>
struct Ranked {
  Value value{};
  int rank = 1000;

  void offer(int with_rank, Value offered) {
    if (with_rank >= rank) return;
    value = std::move(offered);
    rank = with_rank;
  }
  bool would_take(int with_rank) const { return with_rank < rank; }
};

struct HeadFacts {
  Ranked<std::string> title, description, author, site_name, image, language;
  Ranked<std::optional<WallTime>> published, modified;
  std::vector<std::string> keywords;
  RobotsDirectives robots;
};

class PageHead {
 public:
  PageHead();

  void start_tag(const HtmlTag& tag);
  void end_tag(HtmlNameKey key);
  void text(const HtmlText& text);

  // Of the <meta http-equiv=refresh> that came last, once; as it is written.
  std::optional<std::string> take_refresh();
  // Into `page`, URLs resolved.
  void finish(PageContent& page, const Url& base, std::string_view query_charset);

 private:
  void meta(const HtmlTag& tag);
  void html_element(const HtmlTag& tag);
  void time_element(const HtmlTag& tag);
  void finish_json_ld();

  HeadFacts facts_;
  CollapsedText title_;
  bool in_title_ = false;
  bool in_json_ld_ = false;
  bool has_title_ = false;
  unsigned svg_ = 0;
  unsigned article_ = 0;
  std::string json_ld_;
  std::size_t json_ld_scripts_ = 0;
  std::optional<std::string> refresh_;
  std::string scratch_;
  std::string content_;
};

}  // namespace outrider
