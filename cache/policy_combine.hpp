// Several stored parts of one representation, put together (RFC 9111 section 3.4, RFC 9110 section 15.3.7.3): which
// bytes come from where, and what is missing. A complete entry counts as one part that holds everything.
#pragma once

#include "cache/policy_ranges.hpp"
#include "cache/stored_head.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace outrider {

// The bytes of the representation that it holds; nothing for an empty body.
std::optional<ByteRange> held_range(const StoredHead& stored);

// Parts of the same version: the same strong validator and the same complete length.
bool combinable(const StoredHead& a, const StoredHead& b);

struct Piece {
  std::size_t part = 0;      // which of the parts
  std::uint64_t offset = 0;  // in its body
  std::uint64_t length = 0;
  bool operator==(const Piece&) const = default;
};
// Where the bytes of `wanted` come from, in order and without overlap; empty: some of them are not held. The parts must
// be combinable with each other (or be one).
std::vector<Piece> pieces_for(std::span<const StoredHead* const> parts, ByteRange wanted);

// What to ask the origin for, so that `wanted` becomes complete: "bytes=5-" or "bytes=5-9", with If-Range. Only for
// parts with a strong validator: without one nobody could tell whether the rest belongs to it. The first gap until the
// end of the last: what lies between is asked for again.
struct Completion {
  std::string range;          // for the field Range
  std::string_view if_range;  // of the first part
  ByteRange missing;
};
std::optional<Completion> what_is_missing(std::span<const StoredHead* const> parts, ByteRange wanted);

}  // namespace outrider
