#include "cache/policy_vary.hpp"

#include "base/http_lists.hpp"
#include "base/http_validator.hpp"
#include "cache/policy_freshness.hpp"
#include "cache/policy_ranges.hpp"
#include "cache/policy_vary_values.hpp"

#include <algorithm>
#include <optional>

namespace outrider {
namespace {

constexpr std::size_t kMostNames = 24;
constexpr std::size_t kMostBytes = 8 * 1024;  // of the values, together

bool is_known_coding(std::string_view coding) {
  static constexpr std::string_view kCodings[] = {"gzip",     "br",         "zstd", "deflate", "x-gzip",
                                                  "compress", "x-compress", "dcb",  "dcz"};
  return std::any_of(std::begin(kCodings), std::end(kCodings),
                     [coding](std::string_view known) { return equal_ignoring_case(coding, known); });
}

bool has_known_coding(const HeaderMap& response) {
  bool known = false;
  response.each(HeaderId::content_encoding, [&known](const HeaderField& field) {
    ListReader codings{field.value};
    while (const auto coding = codings.next()) known = known || is_known_coding(*coding);
  });
  return known;
}

// Every coding that we know is one that the client asked for by name or with "*".
bool accepts_coding(const HeaderMap& request, const HeaderMap& response) {
  bool all = true;
  response.each(HeaderId::content_encoding, [&](const HeaderField& field) {
    ListReader codings{field.value};
    while (const auto coding = codings.next())
      all = all && (!is_known_coding(*coding) || weight_of(request, HeaderId::accept_encoding, *coding) > 0);
  });
  return all;
}

// The stored answer is in the one language that this request wants most: the origin had it and would send it again.
bool in_favourite_language(const StoredHead& stored, const HeaderMap& request) {
  const auto language = stored.response.headers.find(HeaderId::content_language);
  return language && stored.response.headers.count(HeaderId::content_language) == 1 &&
         is_favourite(request, HeaderId::accept_language, *language);
}

bool value_matches(const StoredHead& stored, const HeaderField& kept, const HeaderMap& request) {
  VaryText now;
  normalise_value(request, kept.id, kept.name, now);
  const std::string_view value{now.data(), now.size()};
  if (kept.value == vary_mark::kPresent) return value != vary_mark::kAbsent;
  if (kept.value.starts_with(vary_mark::kUnasked))
    return kept.value.substr(vary_mark::kUnasked.size()) == value || accepts_coding(request, stored.response.headers);
  if (kept.value == value) return true;
  return kept.id == HeaderId::accept_language && in_favourite_language(stored, request);
}

// Does it hold the bytes that the request asks for?
bool holds(const StoredHead& stored, const RequestHead& request) {
  if (!stored.range) return true;
  const auto field = request.headers.find(HeaderId::range);
  if (!field || request.method != Method::get) return false;
  const RangeAnswer wanted = resolve_range(*field, stored.range->complete_length);
  return wanted.kind == RangeAnswer::Kind::one && wanted.range.first >= stored.range->first &&
         wanted.range.last < stored.range->first + stored.body_length;
}

bool more_recent(const StoredHead& a, const StoredHead& b) {
  const WallTime date_a = date_of(a.response, a.response_time);
  const WallTime date_b = date_of(b.response, b.response_time);
  return date_a != date_b ? date_a > date_b : a.response_time >= b.response_time;
}

}  // namespace

VaryRecord record_vary(const HeaderMap& response, const HeaderMap& request, HeaderMap& vary_request) {
  vary_request.clear();
  bool star = false;
  bool too_much = false;
  response.each(HeaderId::vary, [&](const HeaderField& field) {
    ListReader names{field.value};
    while (const auto name = names.next()) {
      star = star || *name == "*" || !is_token(*name);  // what is no name may have been meant as anything
      too_much = too_much || vary_request.size() >= kMostNames || vary_request.bytes() > kMostBytes;
      if (star || too_much) return;
      if (vary_request.has(*name)) continue;
      VaryText value;
      normalise_value(request, header_id(*name), *name, value);
      vary_request.add(*name, {value.data(), value.size()});
    }
  });
  if (star) return VaryRecord::star;
  if (too_much || vary_request.bytes() > kMostBytes) return VaryRecord::too_much;
  if (has_known_coding(response) && !vary_request.has(HeaderId::accept_encoding)) {
    VaryText value(vary_mark::kUnasked.begin(), vary_mark::kUnasked.end());
    normalise_value(request, HeaderId::accept_encoding, header_name(HeaderId::accept_encoding), value);
    vary_request.add(HeaderId::accept_encoding, {value.data(), value.size()});
  }
  return VaryRecord::recorded;
}

void record_unknown(std::string_view name, const HeaderMap& request, HeaderMap& vary_request) {
  if (vary_request.has(name)) return;
  VaryText value;
  if (is_credential(header_id(name), name)) normalise_value(request, header_id(name), name, value);
  vary_request.add(name, value.empty() ? vary_mark::kPresent : std::string_view{value.data(), value.size()});
}

bool vary_matches(const StoredHead& stored, const HeaderMap& request) {
  for (const HeaderField& kept : stored.vary_request)
    if (!value_matches(stored, kept, request)) return false;
  return true;
}

Selection select_variant(std::span<const StoredHead* const> variants, const RequestHead& request) {
  Selection selection;
  bool best_holds = false;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const StoredHead& candidate = *variants[i];
    if (!vary_matches(candidate, request.headers)) {
      selection.vary_miss = true;
      continue;
    }
    const bool candidate_holds = holds(candidate, request);
    const bool better = !selection.found() || (candidate_holds && !best_holds) ||
                        (candidate_holds == best_holds && more_recent(candidate, *variants[selection.index]));
    if (!better) continue;
    selection.index = i;
    best_holds = candidate_holds;
  }
  if (selection.found()) selection.vary_miss = false;
  return selection;
}

}  // namespace outrider
