#include "cache/policy_combine.hpp"

#include "cache/policy_validators.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace outrider {
namespace {

std::uint64_t complete_length(const StoredHead& stored) {
  return stored.range ? stored.range->complete_length : stored.body_length;
}

// The part that has byte `at` and reaches furthest from there.
const StoredHead* furthest_from(std::span<const StoredHead* const> parts, std::uint64_t at, std::size_t& index) {
  const StoredHead* best = nullptr;
  std::uint64_t best_last = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto held = held_range(*parts[i]);
    if (!held || held->first > at || held->last < at || (best && held->last <= best_last)) continue;
    best = parts[i];
    best_last = held->last;
    index = i;
  }
  return best;
}

// How far from `at` on everything is held; `at` itself if it is not.
std::uint64_t end_of_held(std::span<const StoredHead* const> parts, std::uint64_t at, std::uint64_t limit) {
  std::size_t index = 0;
  while (at <= limit) {
    const StoredHead* part = furthest_from(parts, at, index);
    if (!part) return at;
    at = held_range(*part)->last + 1;
  }
  return at;
}

}  // namespace

std::optional<ByteRange> held_range(const StoredHead& stored) {
  if (stored.body_length == 0) return std::nullopt;
  const std::uint64_t first = stored.range ? stored.range->first : 0;
  return ByteRange{first, first + stored.body_length - 1};
}

bool combinable(const StoredHead& a, const StoredHead& b) {
  if ((a.range && !a.range->combinable) || (b.range && !b.range->combinable)) return false;
  const std::string_view validator = strong_validator(a);
  return !validator.empty() && validator == strong_validator(b) && complete_length(a) == complete_length(b) &&
         a.response.headers.find(HeaderId::content_encoding) == b.response.headers.find(HeaderId::content_encoding) &&
         a.response.headers.find(HeaderId::content_type) == b.response.headers.find(HeaderId::content_type);
}

std::vector<Piece> pieces_for(std::span<const StoredHead* const> parts, ByteRange wanted) {
  std::vector<Piece> pieces;
  std::size_t index = 0;
  for (std::uint64_t at = wanted.first; at <= wanted.last;) {
    const StoredHead* part = furthest_from(parts, at, index);
    if (!part) return {};
    const ByteRange held = *held_range(*part);
    const std::uint64_t last = std::min(held.last, wanted.last);
    pieces.push_back({index, at - held.first, last - at + 1});
    at = last + 1;
  }
  return pieces;
}

std::optional<Completion> what_is_missing(std::span<const StoredHead* const> parts, ByteRange wanted) {
  if (parts.empty() || (parts[0]->range && !parts[0]->range->combinable)) return std::nullopt;
  const std::string_view validator = strong_validator(*parts[0]);
  if (validator.empty()) return std::nullopt;
  const std::uint64_t first = end_of_held(parts, wanted.first, wanted.last);
  if (first > wanted.last) return std::nullopt;  // nothing is missing
  const bool some = std::any_of(parts.begin(), parts.end(), [wanted](const StoredHead* part) {
    const auto held = held_range(*part);
    return held && held->first <= wanted.last && held->last >= wanted.first;
  });
  if (!some) return std::nullopt;    // nothing of it is held: an ordinary request does it
  std::uint64_t last = wanted.last;  // from the end backward: what is held there need not come again
  for (std::size_t again = 0; again < parts.size(); ++again)
    for (const StoredHead* part : parts) {
      const auto held = held_range(*part);
      if (held && held->first <= last && held->last >= last && held->first > first) last = held->first - 1;
    }
  Completion completion;
  completion.missing = {first, last};
  completion.if_range = validator;
  const bool to_the_end = last + 1 == complete_length(*parts[0]);
  completion.range = to_the_end ? fmt::format("bytes={}-", first) : fmt::format("bytes={}-{}", first, last);
  return completion;
}

}  // namespace outrider
