#include "cache/search_rank.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>

namespace outrider {
namespace {

constexpr int kNearBits = 3;

bool near(const Candidate& a, const Candidate& b) {
  if (a.fingerprint != 0 && a.fingerprint == b.fingerprint) return true;
  return a.simhash != 0 && b.simhash != 0 && std::popcount(a.simhash ^ b.simhash) <= kNearBits;
}

}  // namespace

double in_degree_bonus(std::uint32_t in_degree) {
  return std::min(3.0, 0.3 * std::log2(1.0 + in_degree));
}

double rank_score(const RankInputs& inputs, WallTime now) {
  constexpr double kHalfLifeDays = 180;
  // Every factor is bounded: a page with a million links does not win where its text says nothing.
  const double links = 1 + 0.10 * std::min(20.0, std::log2(1.0 + inputs.in_degree));
  const double visits = 1 + 0.25 * std::min(8.0, std::log2(1.0 + inputs.visits));
  const double age = std::max(0.0, std::chrono::duration<double, std::ratio<86'400>>(now - inputs.newest).count());
  const double recency = 0.6 + 0.4 * std::exp2(-age / kHalfLifeDays);
  return std::max(inputs.text, 0.01) * links * visits * recency;
}

std::vector<Folded> rank_and_fold(std::vector<Candidate> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  std::vector<Folded> shown;
  std::vector<const Candidate*> kept;
  std::unordered_set<std::uint64_t> addresses;
  for (const Candidate& candidate : candidates) {
    if (!addresses.insert(candidate.url_hash).second) continue;  // the same page: everybody's and one's own
    const auto same = std::find_if(kept.begin(), kept.end(),
                                   [&candidate](const Candidate* other) { return near(candidate, *other); });
    if (same != kept.end()) {
      ++shown[static_cast<std::size_t>(same - kept.begin())].folded;
      continue;
    }
    kept.push_back(&candidate);
    shown.push_back({candidate.index, candidate.score, 0});
  }
  return shown;
}

}  // namespace outrider
