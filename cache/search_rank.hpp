// In which order hits are shown: text score × in-degree × visits × recency, and near-duplicates folded. Pure functions.
//
// Xapian adds, it does not multiply. So the match adds a bonus for links and for own visits to the text score, which
// brings every page that can win among the candidates; the candidates are then put in order by the product.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <vector>

namespace outrider {

inline constexpr double kVisitBonus = 1.5;

double in_degree_bonus(std::uint32_t in_degree);  // 0 to 3

struct RankInputs {
  double text = 0;  // Xapian's weight without the bonuses
  std::uint32_t in_degree = 0;
  std::uint32_t visits = 0;  // of the person who asks
  WallTime newest{};         // fetched or visited
};
double rank_score(const RankInputs& inputs, WallTime now);

struct Candidate {
  double score = 0;
  std::uint64_t simhash = 0, fingerprint = 0;
  std::uint64_t url_hash = 0;
  std::uint32_t index = 0;  // the caller's
};

struct Folded {
  std::uint32_t index = 0;
  double score = 0;
  std::uint32_t folded = 0;  // other pages that are not shown
};

// Best first. Of pages with the same or nearly the same text (3 bits of the SimHash) the best; of candidates with the
// same address, which are one page, the best, and they do not count as others.
std::vector<Folded> rank_and_fold(std::vector<Candidate> candidates);

}  // namespace outrider
