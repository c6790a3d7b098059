// A question to the full-text search, and its answer.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace outrider {

struct SearchRequest {
  // Words, "phrases", -not, and filters: site: lang: type: visited: before: after: link: (docs/search.md).
  std::string query;
  std::size_t offset = 0, limit = 10;
};

struct SearchHit {
  std::string url, title;
  std::string snippet;  // plain text; `highlights` are ranges of bytes in it
  std::vector<std::pair<std::uint32_t, std::uint32_t>> highlights;
  double score = 0;
  std::string language, mime;
  WallTime last_fetched{}, last_visit{};
  std::uint32_t visit_count = 0, in_degree = 0;
  std::uint32_t folded = 0;  // near-duplicates that are not shown
};

struct SearchAnswer {
  std::vector<SearchHit> hits;
  std::uint64_t estimated_total = 0;
  std::string suggestion;  // the query with misspelt words corrected; "" = nothing to correct
  std::uint64_t took_us = 0;
};

}  // namespace outrider
