// Parts of an answer are kept, and the origin is asked for the rest alone (RFC 9111 section 3.4).
#include "cache/combined_response.hpp"
#include "cache/exchange.hpp"
#include "cache/policy_combine.hpp"
#include "cache/policy_ranges.hpp"
#include "cache/policy_stored_head.hpp"

namespace outrider {
namespace {

// Not if the request has credentials that the parts were not asked for with, or something was changed there since.
bool may_be_completed(const Inquiry& inquiry) {
  if (!inquiry.selection.found() || !inquiry.selected().head.range) return false;
  return inquiry.reuse.reuse != Reuse::unusable && inquiry.reuse.reason != ReuseReason::client_authorization &&
         inquiry.reuse.reason != ReuseReason::invalidated;
}

struct Parts {
  boost::container::small_vector<const StoredHead*, 4> heads;
  boost::container::small_vector<const StoredVariant*, 4> owners;
};

Parts parts_like(const StoredVariant& variant, const StoredEntry& entry) {
  Parts parts;
  for (const VariantPtr& other : entry.variants) {
    if (other.get() != &variant && !combinable(variant.head, other->head)) continue;
    parts.heads.push_back(&other->head);
    parts.owners.push_back(other.get());
  }
  return parts;
}

// From `first` to before `end`.
std::unique_ptr<StoredResponse> held_bytes(Store& store, const Parts& parts, std::uint64_t first, std::uint64_t end) {
  auto held = std::make_unique<StoredResponse>(store);
  if (first >= end) return held;
  for (const Piece& piece : pieces_for(parts.heads, {first, end - 1}))
    held->add({parts.owners[piece.part]->body, piece.offset, piece.length});
  return held;
}

// The very bytes that were asked for, all of them.
bool is_place(ClientResponse& response, const ByteRange& wanted) {
  const HeaderMap& headers = response.head().headers;
  if (response.head().status != 206 || headers.count(HeaderId::content_range) != 1 || is_multipart(headers))
    return false;
  const auto place = parse_content_range(*headers.find(HeaderId::content_range));
  return place && place->complete_length && place->range == wanted &&
         response.framing().kind == BodyFraming::Kind::length && response.framing().length == wanted.length();
}

}  // namespace

// nullptr: it cannot be completed; the whole has to be asked for.
Task<Exchange::Answer> Exchange::complete(ExchangeRequest& request) {
  std::unique_ptr<ExchangeResponse> none;
  const Inquiry& inquiry = request.inquiry;
  if (request.head->method != Method::get || !may_be_completed(inquiry)) co_return none;
  const EntryPtr entry = inquiry.entry;
  const StoredVariant& known = inquiry.selected();
  const AnswerPlan plan = plan_answer(known.head, *request.head, inquiry.now);
  if (plan.kind != AnswerPlan::Kind::not_held || plan.complete_length == 0) co_return none;
  const Parts parts = parts_like(known, *entry);
  const std::optional<Completion> rest = what_is_missing(parts.heads, plan.bytes);
  if (!rest) co_return none;
  const ByteRange missing = rest->missing;
  std::unique_ptr<StoredResponse> before = held_bytes(*shared_.store, parts, plan.bytes.first, missing.first);
  std::unique_ptr<StoredResponse> after = held_bytes(*shared_.store, parts, missing.last + 1, plan.bytes.last + 1);
  const bool before_there = co_await before->first_piece();
  const bool after_there = co_await after->first_piece();
  if (!before_there || !after_there) co_return none;  // damaged

  std::unique_ptr<Fetch> asking = prepare(request);
  HeaderMap& fields = asking->own_head(*request.head).headers;
  for (const HeaderId own : {HeaderId::if_none_match, HeaderId::if_modified_since}) fields.remove(own);
  fields.set(HeaderId::range, rest->range);
  fields.set(HeaderId::if_range, rest->if_range);
  request.own_fetch = &asking->request;
  Result<std::unique_ptr<ClientResponse>> response = co_await client_.send(asking->request);
  request.own_fetch = nullptr;
  if (!response && goes_direct(request, response.error())) co_return none;
  Result<std::unique_ptr<Fetch>> fetched = arrived(std::move(asking), std::move(response));
  if (!fetched) co_return fetched.error();
  ClientResponse& origin = *(*fetched)->response;
  const int status = origin.head().status;
  // Another version, or an origin that knows no parts, is answered with all of it; other answers are answers too.
  if (status != 206 && status != 304 && status != 416) co_return accept(request, std::move(*fetched), nullptr);
  if (is_place(origin, missing)) {
    const StoreQuestion question{*request.head, inquiry.directives, *request.url, request.path_and_query,
                                 false,         origin.head()};
    const StoredHead newest =
        make_stored_head(question, StoreVerdict{}, (*fetched)->request_time, (*fetched)->response_time);
    if (combinable(known.head, newest)) {
      Answer accepted = accept(request, std::move(*fetched), nullptr);
      if (!accepted) co_return accepted.error();
      auto combined = std::make_unique<CombinedResponse>(std::move(before), std::move(*accepted), missing.length(),
                                                         std::move(after));
      build_answer(combined->head(), newest, plan, current_age(newest, reactor_.clock().now()), StaleMark::none);
      CacheStatus told;
      told.forwarded = Forwarded::partial;
      told.forward_status = status;
      told.detail = "a part of it is kept, and the origin was asked for the rest";
      add_cache_status(combined->head().headers, told);
      co_return std::unique_ptr<ExchangeResponse>{std::move(combined)};
    }
  }
  co_await origin.finish();
  co_return none;
}

}  // namespace outrider
