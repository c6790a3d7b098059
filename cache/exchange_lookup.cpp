// What is in the store for a request, and the answer made from it.
#include "cache/exchange.hpp"
#include "cache/policy_answer.hpp"
#include "cache/policy_combine.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

using Heads = boost::container::small_vector<const StoredHead*, 4>;

Heads heads_of(const StoredEntry& entry) {
  Heads heads;
  for (const VariantPtr& variant : entry.variants) heads.push_back(&variant->head);
  return heads;
}

}  // namespace

std::string person_of(const ExchangeRequest& request) {
  if (!request.user.empty()) return std::string{request.user};
  std::string person = request.client.to_string();
  person += ' ';
  person += request.head->headers.find(HeaderId::user_agent).value_or("");
  return person;
}

// Everything that needs no waiting.
void Exchange::inquire(ExchangeRequest& request) {
  Inquiry& inquiry = request.inquiry;
  inquiry.begun = true;
  inquiry.directives = parse_request_directives(request.head->headers);
  inquiry.bypass =
      why_bypass(*request.head, inquiry.directives, request.body != nullptr, request.upgrade, *request.rules);
  if (inquiry.bypass != Bypass::none && inquiry.bypass != Bypass::method) return;
  inquiry.key = CacheKey::of(*request.url, request.path_and_query, "", shared_.key_secret);
  if (inquiry.bypass != Bypass::none) return;
  inquiry.now = reactor_.clock().now();
  inquiry.flights_ended = shared_.flights.ended(inquiry.key);
  StoreLookup personal;
  if (shared_.personal_kept.load(std::memory_order_relaxed)) {
    inquiry.personal = inquiry.key.in_partition(person_of(request), shared_.key_secret);
    personal = shared_.store->find_now(inquiry.personal);
  }
  StoreLookup everybodys = shared_.store->find_now(inquiry.key, request.has_body ? BodyWish::later : BodyWish::along);
  using State = StoreLookup::State;
  inquiry.on_disk = personal.state == State::must_wait || everybodys.state == State::must_wait;
  if (!inquiry.on_disk) consider(request, std::move(personal.entry), std::move(everybodys.entry));
}

Task<> Exchange::look_on_disk(ExchangeRequest& request) {
  EntryPtr personal;
  if (!request.inquiry.personal.bytes.empty()) personal = co_await shared_.store->find(request.inquiry.personal);
  EntryPtr everybodys = co_await shared_.store->find(request.inquiry.key);
  request.inquiry.on_disk = false;
  consider(request, std::move(personal), std::move(everybodys));
}

// A person's own answer comes before everybody's.
void Exchange::consider(ExchangeRequest& request, EntryPtr personal, EntryPtr everybodys) {
  Inquiry& inquiry = request.inquiry;
  inquiry.entry = nullptr;
  inquiry.selection = {};
  for (EntryPtr* entry : {&personal, &everybodys}) {
    if (!*entry) continue;
    const Heads heads = heads_of(**entry);
    const Selection selection = select_variant(heads, *request.head);
    if (inquiry.entry && !selection.found()) continue;
    inquiry.entry = std::move(*entry);
    inquiry.selection = selection;
    if (selection.found()) break;
  }
  if (inquiry.selection.found())
    inquiry.reuse = judge(inquiry.selected().head, inquiry.selected().prepared_as<FreshnessFacts>(), *request.head,
                          inquiry.directives, *request.rules, inquiry.now);
  // Nobody waits for the robot, and what it asks for is paced: it asks itself, not in the background.
  if (request.intent == Intent::robot && inquiry.reuse.reuse == Reuse::stale_while_revalidate)
    inquiry.reuse.reuse = Reuse::validate;
}

// nullptr: what is kept does not answer the request.
std::unique_ptr<StoredResponse> Exchange::stored_answer(ExchangeRequest& request) {
  Inquiry& inquiry = request.inquiry;
  if (!inquiry.entry || !inquiry.selection.found() || !inquiry.reuse.answers()) return nullptr;
  CacheStatus status;
  status.hit = true;
  status.ttl = inquiry.reuse.ttl;
  status.detail = words(inquiry.reuse.reason);
  StaleMark mark = StaleMark::none;
  if (inquiry.reuse.is_stale())
    mark = inquiry.reuse.reason == ReuseReason::offline ? StaleMark::offline : StaleMark::stale;
  return make_stored(request, inquiry.selected(), inquiry.reuse.age, status, mark, inquiry.now);
}

// The answer from one variant, or from several parts of the same version. nullptr: not all of it is held.
std::unique_ptr<StoredResponse> Exchange::make_stored(ExchangeRequest& request, const StoredVariant& variant,
                                                      Seconds age, const CacheStatus& status, StaleMark mark,
                                                      WallTime now) {
  AnswerPlan plan = plan_answer(variant.head, *request.head, now);
  auto answer = std::make_unique<StoredResponse>(*shared_.store);
  if (plan.kind == AnswerPlan::Kind::not_held) {
    if (plan.complete_length == 0) return nullptr;
    Heads parts;
    boost::container::small_vector<const StoredVariant*, 4> owners;
    for (const VariantPtr& other : request.inquiry.entry->variants) {
      if (other.get() != &variant && !combinable(variant.head, other->head)) continue;
      parts.push_back(&other->head);
      owners.push_back(other.get());
    }
    const std::vector<Piece> pieces = pieces_for(parts, plan.bytes);
    if (pieces.empty()) return nullptr;
    plan.kind = plan.bytes.length() == plan.complete_length && !request.head->headers.has(HeaderId::range)
                    ? AnswerPlan::Kind::whole
                    : AnswerPlan::Kind::part;
    for (const Piece& piece : pieces) answer->add({owners[piece.part]->body, piece.offset, piece.length});
  } else {
    answer->variant = variant.id;
    if (plan.kind == AnswerPlan::Kind::whole && request.has_body && request.has_body(variant)) {
      answer->left_out = variant.head.body_length;
    } else if (plan.has_body()) {
      answer->add({variant.body, body_offset(variant.head, plan), plan.bytes.length()});
    }
  }
  ResponseHead& head = answer->head();
  build_answer(head, variant.head, plan, age, mark);
  if (plan.kind == AnswerPlan::Kind::not_modified && status.hit && mark == StaleMark::none) {
    CacheStatus told = status;
    told.detail = "it is fresh, and the client has it already";
    add_cache_status(head.headers, told);
  } else {
    add_cache_status(head.headers, status);
  }
  const bool never_has_body = head.status == 204 || head.status == 304 || answer->left_out;
  answer->headers_only = never_has_body || request.head->method == Method::head;
  if (answer->headers_only && !never_has_body)  // RFC 9110 section 9.3.2: the length that a GET would have
    head.headers.set(HeaderId::content_length, fmt::format_int(answer->length()).c_str());
  answer->shareable = variant.head.scope == Scope::shared;
  answer->verdict = mark == StaleMark::none ? CacheVerdict::hit : CacheVerdict::stale;
  return answer;
}

void Exchange::account(const ExchangeRequest& request, const StoredResponse& answer) {
  shared_.counters.answered(answer.verdict);
  if (!answer.headers_only) shared_.counters.served(answer.length());
  const EntryPtr& entry = request.inquiry.entry;
  if (request.intent == Intent::browser && !entry->visited) shared_.store->mark_visited(entry);
}

std::unique_ptr<ExchangeResponse> Exchange::answer_now(ExchangeRequest& request) {
  if (shared_.store == nullptr || !request.apart.empty()) return nullptr;
  if (!request.policy->check_host(request.url->hostname(), request.url->effective_port())) return nullptr;
  inquire(request);
  std::unique_ptr<StoredResponse> answer = stored_answer(request);
  if (!answer || (!answer->headers_only && !answer->first_piece_now().value_or(false))) return nullptr;
  account(request, *answer);
  if (request.inquiry.reuse.reuse == Reuse::stale_while_revalidate) validate_in_background(request);
  return answer;
}

// The same where the disk may have to be waited for. nullptr: ask the origin.
Task<std::unique_ptr<ExchangeResponse>> Exchange::answer_from_store(ExchangeRequest& request) {
  if (request.inquiry.on_disk) co_await look_on_disk(request);
  std::unique_ptr<StoredResponse> answer = stored_answer(request);
  if (!answer) co_return nullptr;
  if (!answer->headers_only) {
    const bool there = co_await answer->first_piece();
    if (!there) {  // damaged: the store has dropped it
      request.inquiry.entry = nullptr;
      request.inquiry.selection = {};
      co_return nullptr;
    }
  }
  account(request, *answer);
  if (request.inquiry.reuse.reuse == Reuse::stale_while_revalidate) validate_in_background(request);
  co_return std::unique_ptr<ExchangeResponse>{std::move(answer)};
}

}  // namespace outrider
