// Asking the origin, and what its answer means for the store.
#include "base/forwarded.hpp"
#include "cache/exchange.hpp"
#include "cache/policy_invalidation.hpp"
#include "cache/policy_stored_head.hpp"
#include "cache/policy_validation.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

constexpr Duration kSafeWithin = std::chrono::seconds{2};

EgressTarget target_of(const ExchangeRequest& request) {
  const Url& url = *request.url;
  EgressTarget target;
  target.host = url.hostname();
  if (target.host.starts_with('[')) target.host = target.host.substr(1, target.host.size() - 2);
  target.port = url.effective_port();
  target.tls = url.scheme() == "https" || url.scheme() == "wss";
  target.tunnel = request.upgrade;
  target.policy = request.policy;
  target.parent = request.way.parent;
  target.apart = request.apart;
  return target;
}

// Whatever the head said about it before: the body goes out as `framing` says, and nothing else may claim otherwise.
void write_framing(RequestHead& head, const BodyFraming& framing) {
  if (framing.kind != BodyFraming::Kind::chunked) head.headers.remove(HeaderId::transfer_encoding);
  if (framing.kind != BodyFraming::Kind::length) head.headers.remove(HeaderId::content_length);
  if (framing.kind == BodyFraming::Kind::chunked) {
    head.headers.set(HeaderId::transfer_encoding, "chunked");
  } else if (framing.kind == BodyFraming::Kind::length) {
    head.headers.set(HeaderId::content_length, fmt::format_int(framing.length).c_str());
  }
}

bool is_unreachable(const Error& error) {
  return error.side == Side::origin || error.side == Side::parent;
}

Forwarded forwarded_because(const Inquiry& inquiry) {
  if (!inquiry.entry) return Forwarded::uri_miss;
  if (!inquiry.selection.found()) return Forwarded::vary_miss;
  if (inquiry.reuse.answers()) return Forwarded::partial;
  return outrider::forwarded_because(inquiry.reuse.reason);
}

// Why what is kept was not enough; "" = nothing is kept.
std::string_view words_for_asking(const Inquiry& inquiry) {
  if (!inquiry.entry) return {};
  if (!inquiry.selection.found()) return "what is kept is for requests of another kind";
  if (inquiry.reuse.answers()) return "only a part of it is kept";
  return words(inquiry.reuse.reason);
}

// Both, as one sentence.
std::string_view both(std::string& room, std::string_view first, std::string_view second) {
  if (first.empty()) return second;
  return room.append(first).append("; ").append(second);
}

constexpr std::string_view kSwitchedOff = "Outrider; fwd=bypass; detail=\"the cache is switched off\"";

using Heads = boost::container::small_vector<const StoredHead*, 4>;

Heads heads_of(const EntryPtr& entry) {
  Heads heads;
  for (const VariantPtr& variant : entry->variants) heads.push_back(&variant->head);
  return heads;
}

}  // namespace

std::string status_of_failure(const ExchangeRequest& request, const Error& error) {
  CacheStatus status;
  std::string room;
  const Inquiry& inquiry = request.inquiry;
  const bool asked = is_unreachable(error);
  if (asked && !inquiry.begun && inquiry.bypass == Bypass::none) return std::string{kSwitchedOff};
  if (asked) {
    const bool bypassed = inquiry.bypass != Bypass::none;
    status.forwarded = bypassed ? outrider::forwarded_because(inquiry.bypass) : forwarded_because(inquiry);
    status.detail =
        both(room, bypassed ? words(inquiry.bypass) : words_for_asking(inquiry), "the origin gave no answer");
  } else if (error.kind == ErrorKind::not_stored) {
    status.detail = error.detail;
  } else {
    status.detail = "the origin was not asked";
  }
  std::string text;
  append_cache_status(text, status);
  return text;
}

// The request as it goes out.
std::unique_ptr<Fetch> Exchange::prepare(ExchangeRequest& request) {
  auto fetch = std::make_unique<Fetch>();
  if (request.witness != nullptr) request.witness->browser_asks(request.url->host());
  RequestHead& head = *request.head;
  ClientRequest& origin = fetch->request;
  origin.target = target_of(request);
  origin.head = &head;
  origin.body = request.body;
  origin.body_framing = request.body_framing;
  origin.timeouts = request.timeouts;
  origin.deadline = request.deadline;
  origin.on_informational = request.on_informational;
  write_framing(head, request.body_framing);
  head.headers.set(HeaderId::host, request.url->host());
  const bool absolute = origin.target.parent && !through_tunnel(origin.target);
  if (absolute) {
    // "*" is written by the last proxy only (RFC 9112 section 3.2.4): to a parent the server as a whole has no path.
    const std::string_view path = request.path_and_query == "*" ? std::string_view{} : request.path_and_query;
    origin.wire_target = fmt::format("{}//{}{}", request.url->protocol(), request.url->host(), path);
    // What TRACE is sent comes back to whoever asked (RFC 9110 section 9.3.8).
    if (!origin.target.parent->authorization.empty() && head.method != Method::trace)
      head.headers.set(HeaderId::proxy_authorization, origin.target.parent->authorization);
  } else {
    origin.wire_target = request.path_and_query;
  }
  if (request.tell_client) add_forwarded(fetch->own_head(head).headers, request.client);
  fetch->request_time = reactor_.clock().now();
  return fetch;
}

// The parent is not there, nothing of the request has left us, and the rules know another way. It is taken from now on.
bool Exchange::goes_direct(ExchangeRequest& request, const Error& error) {
  if (!request.way.parent || !request.way.direct_fallback || !parent_unreachable(error)) return false;
  request.way = {};
  request.head->headers.remove(HeaderId::proxy_authorization);
  return true;
}

Result<std::unique_ptr<Fetch>> Exchange::arrived(std::unique_ptr<Fetch> fetch,
                                                 Result<std::unique_ptr<ClientResponse>> response) {
  fetch->request.on_informational = nullptr;  // who asked may be gone before the body is
  if (!response) return response.error();
  fetch->response_time = reactor_.clock().now();
  fetch->response = std::move(*response);
  return fetch;
}

// What does not concern the store, besides what it makes doubtful there.
Task<Exchange::Answer> Exchange::pass(ExchangeRequest& request) {
  std::unique_ptr<Fetch> asking = prepare(request);
  request.own_fetch = &asking->request;
  Result<std::unique_ptr<ClientResponse>> answer = co_await client_.send(asking->request);
  if (!answer && goes_direct(request, answer.error())) {
    asking = prepare(request);
    request.own_fetch = &asking->request;
    answer = co_await client_.send(asking->request);
  }
  request.own_fetch = nullptr;
  Result<std::unique_ptr<Fetch>> fetched = arrived(std::move(asking), std::move(answer));
  if (!fetched) co_return fetched.error();
  const ResponseHead& head = (*fetched)->response->head();
  if (shared_.store != nullptr && head.status != 101) {
    // Whoever changed something must not meet what was before again, whatever happens to this process.
    if (invalidate(request, head)) co_await changes_are_safe();
    co_return accept(request, std::move(*fetched), nullptr);
  }
  if (shared_.store == nullptr && head.status != 101)
    (*fetched)->response->head().headers.add(HeaderId::cache_status, kSwitchedOff);
  request.own_fetch = &(*fetched)->request;
  auto response = std::make_unique<DirectResponse>(std::move(*fetched));
  shared_.counters.answered(response->verdict);
  co_return std::unique_ptr<ExchangeResponse>{std::move(response)};
}

// A part that does not answer the request must not be confirmed: the rest would still be missing.
bool Exchange::holds_enough(ExchangeRequest& request) {
  const Inquiry& inquiry = request.inquiry;
  if (!inquiry.selection.found() || !inquiry.selected().head.range) return true;
  return make_stored(request, inquiry.selected(), Seconds{0}, {}, StaleMark::none, inquiry.now) != nullptr;
}

Task<Exchange::Answer> Exchange::ask_origin(ExchangeRequest& request, std::shared_ptr<Flight> lead) {
  Inquiry& inquiry = request.inquiry;
  bool ask_with_conditions = inquiry.entry != nullptr && holds_enough(request);
  for (;;) {
    std::unique_ptr<Fetch> asking = prepare(request);
    Heads variants;
    if (ask_with_conditions) {
      variants = heads_of(inquiry.entry);
      HeaderMap conditional = asking->request.head->headers;
      ask_with_conditions = add_conditions(conditional, variants, inquiry.selection.index);
      if (ask_with_conditions) asking->own_head(*request.head).headers = std::move(conditional);
    }
    request.own_fetch = &asking->request;
    request.own_flight = lead.get();
    Result<std::unique_ptr<ClientResponse>> response = co_await client_.send(asking->request);
    request.own_fetch = nullptr;
    request.own_flight = nullptr;
    if (!response && goes_direct(request, response.error())) continue;
    Result<std::unique_ptr<Fetch>> fetched = arrived(std::move(asking), std::move(response));
    const bool have_stale = inquiry.selection.found();
    if (!fetched && (!have_stale || !inquiry.reuse.if_unreachable || !is_unreachable(fetched.error())))
      co_return fetched.error();
    const int status = fetched ? (*fetched)->response->head().status : 0;
    if (!fetched || (have_stale && inquiry.reuse.if_server_error && is_server_error(status))) {
      std::unique_ptr<StoredResponse> stale = stale_answer(request, status);
      if (stale && co_await stale->first_piece()) {
        OriginFailure failure{status, {}};
        if (fetched) failure.retry_after = (*fetched)->response->head().headers.find("Retry-After").value_or("");
        stale->origin_failure = std::make_unique<const OriginFailure>(std::move(failure));
        account(request, *stale);
        co_return std::unique_ptr<ExchangeResponse>{std::move(stale)};
      }
      if (!fetched) co_return fetched.error();
    }
    if (status != 304 || !ask_with_conditions) co_return accept(request, std::move(*fetched), std::move(lead));
    const Confirmed which = confirmed_by((*fetched)->response->head(), variants, inquiry.selection.index);
    if (which.index != Selection::kNone) {
      EntryPtr confirmed;
      std::unique_ptr<StoredResponse> answer = confirm(request, **fetched, which.index, which.update, confirmed);
      if (answer && co_await answer->first_piece()) {
        if (lead) lead->release(std::move(confirmed));
        account(request, *answer);
        co_return std::unique_ptr<ExchangeResponse>{std::move(answer)};
      }
    } else if (request.head->headers.has(HeaderId::if_none_match) ||
               request.head->headers.has(HeaderId::if_modified_since)) {
      co_return accept(request, std::move(*fetched), std::move(lead));  // it answers the client's own question
    }
    // A 304 about nothing that we have (any more): ask again, for the whole.
    co_await (*fetched)->response->finish();
    ask_with_conditions = false;
  }
}

// The origin does not answer, or with an error: what is kept is better than nothing.
std::unique_ptr<StoredResponse> Exchange::stale_answer(ExchangeRequest& request, int forward_status) {
  CacheStatus status;
  status.forwarded = forwarded_because(request.inquiry);
  status.ttl = request.inquiry.reuse.ttl;
  status.forward_status = forward_status;
  status.detail = forward_status == 0 ? "the origin does not answer" : "the origin has trouble";
  const WallTime now = reactor_.clock().now();
  const StoredVariant& stale = request.inquiry.selected();
  return make_stored(request, stale, current_age(stale.head, now), status, StaleMark::origin_failed, now);
}

// 304: what is stored is still right (RFC 9111 section 4.3.3).
std::unique_ptr<StoredResponse> Exchange::confirm(ExchangeRequest& request, Fetch& fetch, std::size_t index,
                                                  bool update, EntryPtr& confirmed) {
  const EntryPtr entry = request.inquiry.entry;
  const StoredHead& before = entry->variants[index]->head;
  const ResponseHead& said = fetch.response->head();
  StoredVariant variant = *entry->variants[index];
  if (update) {
    const bool kept =
        freshen(variant.head, said, request.head->headers, *request.rules, fetch.request_time, fetch.response_time);
    if (kept) {
      const bool is_news = !only_confirms(before, variant.head);
      const VariantPtr updated =
          shared_.store->update_head(entry, variant.id, variant.head, is_news ? HeadChange::kept : HeadChange::for_now);
      // For others who wait: not what is one person's own.
      if (updated && entry->key == request.inquiry.key) {
        auto changed = std::make_shared<StoredEntry>(*entry);
        changed->variants[index] = updated;
        confirmed = std::move(changed);
      }
    } else {
      shared_.store->erase_variant(entry->key, variant.id);
    }
  }
  variant.head = head_for_asker(before, said, update, variant.head, fetch.request_time, fetch.response_time);
  fetch.response->finish_now();
  CacheStatus status;
  status.forwarded = forwarded_because(request.inquiry);
  status.forward_status = 304;
  std::string room;
  status.detail = both(room, words_for_asking(request.inquiry), "the origin says that it is still right");
  const WallTime now = reactor_.clock().now();
  std::unique_ptr<StoredResponse> answer =
      make_stored(request, variant, current_age(variant.head, now), status, StaleMark::none, now);
  if (answer) {
    answer->verdict = CacheVerdict::revalidated;
    answer->timings = fetch.response->timings();
  }
  return answer;
}

// An answer of the origin: kept or not, it goes to the client.
Exchange::Answer Exchange::accept(ExchangeRequest& request, std::unique_ptr<Fetch> fetch,
                                  std::shared_ptr<Flight> lead) {
  const Inquiry& inquiry = request.inquiry;
  ClientResponse& origin = *fetch->response;
  ResponseHead& head = origin.head();
  const StoreQuestion question{*request.head,          inquiry.directives,      *request.url,
                               request.path_and_query, request.body != nullptr, head};
  StoreVerdict verdict = may_store(question, *request.rules, fetch->response_time);
  if (verdict.keep && origin.framing_doubtful()) verdict = {false, Scope::shared, StoreReason::framing};
  // Whoever reads a flight does not know about the request's body; somebody has to stay for the rest of it.
  if (verdict.keep && !origin.upload_complete()) verdict = {false, Scope::shared, StoreReason::early};
  const bool shareable = verdict.keep && verdict.scope == Scope::shared;
  const bool bypassed = inquiry.bypass != Bypass::none;
  // What is not looked up has no key either; only of a POST the answer may be one to a GET (RFC 9110 section 9.3.3).
  if (bypassed && inquiry.bypass != Bypass::method) verdict = {false, Scope::shared, StoreReason::bypassed};
  CacheStatus status;
  status.forwarded = bypassed ? outrider::forwarded_because(inquiry.bypass) : forwarded_because(inquiry);
  status.stored = verdict.keep;
  std::string room;
  status.detail = bypassed ? words(inquiry.bypass) : both(room, words_for_asking(inquiry), words(verdict.reason));
  if (request.head->method == Method::head && !bypassed) apply_head(request, *fetch);
  if (verdict.keep) {
    StoredHead stored = make_stored_head(question, verdict, fetch->request_time, fetch->response_time);
    if (std::unique_ptr<ExchangeResponse> kept = keep(request, fetch, std::move(stored), lead, status)) return kept;
    status.stored = false;
    room.clear();
    status.detail = both(room, words_for_asking(inquiry), "it is larger than what is kept");
  }
  if (!bypassed && request.head->method == Method::get) {
    shared_.flights.note_unshareable(inquiry.key, reactor_.sweeper().now());
    // A full answer takes the place of what was kept (RFC 9111 section 4.3.3), also when it is not kept itself.
    if (inquiry.selection.found() && head.status < 400 && head.status != 304 && head.status != 206)
      shared_.store->erase_variant(inquiry.entry->key, inquiry.selected().id);
  }
  if (lead) lead->release();
  request.own_fetch = &fetch->request;
  add_cache_status(head.headers, status);
  auto response = std::make_unique<DirectResponse>(std::move(fetch));
  response->verdict = bypassed ? CacheVerdict::bypass : CacheVerdict::miss;
  response->shareable = shareable;
  shared_.counters.answered(response->verdict);
  return std::unique_ptr<ExchangeResponse>{std::move(response)};
}

// nullptr: the store has no room for it; `fetch` is untouched then.
std::unique_ptr<ExchangeResponse> Exchange::keep(ExchangeRequest& request, std::unique_ptr<Fetch>& fetch,
                                                 StoredHead stored, std::shared_ptr<Flight> flight,
                                                 CacheStatus status) {
  const Inquiry& inquiry = request.inquiry;
  CacheKey key = inquiry.key;
  if (stored.scope == Scope::personal) {
    key = key.in_partition(person_of(request), shared_.key_secret);
    shared_.personal_kept = true;
  }
  ClientResponse& origin = *fetch->response;
  const ClientTimings timings = origin.timings();
  Store::BeginOptions options;
  if (origin.framing().kind == BodyFraming::Kind::length) options.expected_length = origin.framing().length;
  if (inquiry.selection.found() && !stored.range && inquiry.entry->key == key)
    options.supersedes.push_back(inquiry.selected().id);
  options.visited = request.intent == Intent::browser;
  const std::optional<std::uint64_t> length = options.expected_length;
  const bool no_body = !origin.framing().has_body();
  std::unique_ptr<StoreWriter> writer = shared_.store->begin(key, stored, std::move(options));
  if (!writer->storing()) return nullptr;
  shared_.counters.answered(CacheVerdict::miss);

  ResponseHead out;
  bool client_has_body = false;
  const WallTime now = reactor_.clock().now();
  const bool asked_for_more = origin.head().status == 200 && client_has_it(*request.head, origin.head(), now);
  if (asked_for_more) {
    AnswerPlan plan;
    plan.kind = AnswerPlan::Kind::not_modified;
    build_answer(out, stored, plan, current_age(stored, now), StaleMark::none);
    status.forward_status = origin.head().status;
    client_has_body = true;
  } else {
    out = std::move(origin.head());
  }
  add_cache_status(out.headers, status);
  if (!flight) flight = std::make_shared<Flight>(shared_.flights, key, reactor_, tasks_, *shared_.store);
  // From now on it is not this request's alone; each reader minds its own time.
  if (!request.deadline.is_never()) origin.set_deadline(Deadline::never());
  Flight::Departure departure;
  departure.fetch = std::move(fetch);
  departure.writer = std::move(writer);
  if (stored.scope == Scope::personal) departure.partition = person_of(request);
  departure.head = std::make_shared<const StoredHead>(std::move(stored));
  departure.length = no_body ? std::optional<std::uint64_t>{0} : length;
  flight->take_off(std::move(departure));
  auto reader = std::make_unique<FlightReader>(flight, flight->board(), reactor_, std::move(out));
  reader->headers_only = client_has_body || request.head->method == Method::head || reader->head().status == 204;
  reader->deadline = request.deadline;
  reader->verdict = CacheVerdict::miss;
  reader->shareable = flight->head().scope == Scope::shared;
  reader->timings = timings;
  reader->variant = flight->body()->identity().variant;
  if (no_body) flight->pull_now();  // lands at once
  return reader;
}

// --- what requests make of stored answers

// Not for ever: a disk that hangs must not stop anybody.
Task<> Exchange::changes_are_safe() {
  struct Waiting {
    explicit Waiting(Reactor& reactor) : event(reactor.executor()) {}
    AsyncEvent event;
    bool safe = false;
  };
  const auto waiting = std::make_shared<Waiting>(reactor_);
  shared_.store->when_written([waiting, &reactor = reactor_] {
    reactor.post([waiting] {
      waiting->safe = true;
      waiting->event.notify();
    });
  });
  const Deadline patience = reactor_.sweeper().in(kSafeWithin);
  while (!waiting->safe && !patience.passed(reactor_.clock())) co_await waiting->event.wait(patience);
}

bool Exchange::invalidate(const CacheKey& key) {
  shared_.flights.dismiss(key);
  shared_.store->outdate(key);
  const StoreLookup found = shared_.store->find_now(key);
  if (found.state == StoreLookup::State::absent) return false;
  shared_.counters.invalidated();
  shared_.store->erase(key);
  return true;
}

// RFC 9111 section 4.4: for everybody, and for the person who asked. Another person's own answers are that person's
// private cache, which does not see this request.
bool Exchange::invalidate(const ExchangeRequest& request, const ResponseHead& response) {
  const Invalidation doubtful = invalidated_by(*request.head, *request.url, response);
  bool any = false;
  const auto forget = [&](const CacheKey& key) {
    any |= invalidate(key);
    if (shared_.personal_kept) any |= invalidate(key.in_partition(person_of(request), shared_.key_secret));
  };
  if (doubtful.target) forget(CacheKey::of(*request.url, request.path_and_query, "", shared_.key_secret));
  for (const auto& [url, written] : doubtful.others) {
    forget(CacheKey::of(url, url.path_and_query(), "", shared_.key_secret));
    if (!written.empty()) forget(CacheKey::of(url, written, "", shared_.key_secret));
  }
  return any;
}

// RFC 9111 section 4.3.5.
void Exchange::apply_head(ExchangeRequest& request, const Fetch& fetch) {
  const Inquiry& inquiry = request.inquiry;
  if (!inquiry.selection.found()) return;
  StoredHead head = inquiry.selected().head;
  switch (apply_head_answer(head, fetch.response->head(), request.head->headers, *request.rules, fetch.request_time,
                            fetch.response_time)) {
    case HeadEffect::none:
      break;
    case HeadEffect::updated:
      shared_.store->update_head(inquiry.entry, inquiry.selected().id, std::move(head));
      break;
    case HeadEffect::invalidated:
      shared_.store->erase_variant(inquiry.entry->key, inquiry.selected().id);
      break;
  }
}

}  // namespace outrider
