#include "cache/policy_ranges.hpp"

#include "base/http_chars.hpp"
#include "base/http_header_id.hpp"

#include <fmt/format.h>
#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <limits>

namespace outrider {
namespace {

constexpr std::size_t kMostRanges = 32;

// 1*DIGIT; what does not fit is the largest number.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value > (kMost - digit) / 10 ? kMost : value * 10 + digit;
  }
  return value;
}

enum class Spec : std::uint8_t { wrong, outside, inside };

// "0-4", "5-", "-5" (RFC 9110 section 14.1.2).
Spec resolve_spec(std::string_view spec, std::uint64_t length, ByteRange& out) {
  const std::size_t dash = spec.find('-');
  if (dash == spec.npos) return Spec::wrong;
  const std::string_view before = spec.substr(0, dash);
  const std::string_view after = spec.substr(dash + 1);
  if (before.empty()) {
    const auto suffix = parse_number(after);
    if (!suffix) return Spec::wrong;
    if (*suffix == 0) return Spec::outside;
    out = {*suffix < length ? length - *suffix : 0, length - 1};
    return Spec::inside;
  }
  const auto first = parse_number(before);
  const auto last = after.empty() ? std::optional{std::numeric_limits<std::uint64_t>::max()} : parse_number(after);
  if (!first || !last || *last < *first) return Spec::wrong;
  if (*first >= length) return Spec::outside;
  out = {*first, std::min(*last, length - 1)};
  return Spec::inside;
}

}  // namespace

RangeAnswer resolve_range(std::string_view field, std::uint64_t complete_length) {
  constexpr std::string_view kUnit = "bytes=";
  if (complete_length == 0) return {};  // nothing has no parts
  if (field.size() < kUnit.size() || !equal_ignoring_case(field.substr(0, kUnit.size()), kUnit)) return {};
  boost::container::small_vector<ByteRange, 8> ranges;
  std::size_t count = 0;
  for (std::string_view rest = field.substr(kUnit.size()); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view spec = trim_ows(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (spec.empty()) continue;
    if (++count > kMostRanges) return {};
    ByteRange range;
    switch (resolve_spec(spec, complete_length, range)) {
      case Spec::wrong:
        return {};
      case Spec::outside:
        break;
      case Spec::inside:
        ranges.push_back(range);
        break;
    }
  }
  if (count == 0) return {};
  if (ranges.empty()) return {RangeAnswer::Kind::unsatisfiable, {}};
  std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) { return a.first < b.first; });
  ByteRange all = ranges.front();
  for (const ByteRange& range : ranges) {
    if (range.first > all.last + 1) return {};
    all.last = std::max(all.last, range.last);
  }
  return {RangeAnswer::Kind::one, all};
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  if (text.size() < kUnit.size() || !equal_ignoring_case(text.substr(0, kUnit.size()), kUnit)) return std::nullopt;
  text = trim_ows(text.substr(kUnit.size()));
  const std::size_t dash = text.find('-');
  const std::size_t slash = text.find('/');
  if (dash == text.npos || slash == text.npos || slash < dash) return std::nullopt;
  const auto first = parse_number(text.substr(0, dash));
  const auto last = parse_number(text.substr(dash + 1, slash - dash - 1));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (!first || !last || *last < *first || *last == kMost) return std::nullopt;
  ContentRange out;
  out.range = {*first, *last};
  if (text.substr(slash + 1) == "*") return out;
  out.complete_length = parse_number(text.substr(slash + 1));
  if (!out.complete_length || *out.complete_length <= *last || *out.complete_length == kMost) return std::nullopt;
  return out;
}

std::string format_content_range(ByteRange range, std::uint64_t complete_length) {
  return fmt::format("bytes {}-{}/{}", range.first, range.last, complete_length);
}

std::string format_unsatisfied_range(std::uint64_t complete_length) {
  return fmt::format("bytes */{}", complete_length);
}

bool is_multipart(const HeaderMap& response) {
  constexpr std::string_view kMultipart = "multipart/byteranges";
  const std::string_view type = trim_ows(response.find(HeaderId::content_type).value_or(""));
  return equal_ignoring_case(type.substr(0, kMultipart.size()), kMultipart);
}

}  // namespace outrider
