#include "cache/exchange.hpp"

namespace outrider {
namespace {

// For the head of somebody else's answer. Then everybody helps themselves.
constexpr Duration kWaitForOthers = std::chrono::seconds{5};

// Is the answer to this request likely to be one for others too?
bool may_share(const ExchangeRequest& request) {
  const HeaderMap& headers = request.head->headers;
  return request.head->method == Method::get && !headers.has(HeaderId::range) &&
         !headers.has(HeaderId::authorization) && !request.inquiry.directives.no_cache;
}

Error not_stored(bool offline) {
  return Error{ErrorKind::not_stored, Side::self,
               offline ? "Outrider is offline and has no copy of this page"
                       : "the request asks for a stored answer only, and there is none"};
}

EntryPtr released_with(const Flight& flight) {
  return flight.state() == Flight::State::released ? flight.confirmed() : nullptr;
}

bool may_have_own_answer(const Inquiry& inquiry) {
  return !inquiry.personal.bytes.empty() && (inquiry.on_disk || (inquiry.entry && inquiry.entry->key != inquiry.key));
}

// Whoever leads a flight and does not let it take off releases those who wait.
class Lead {
 public:
  explicit Lead(std::shared_ptr<Flight> flight) : flight_(std::move(flight)) {}
  ~Lead() {
    if (flight_ && flight_->state() == Flight::State::waiting) flight_->release();
  }
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;

 private:
  std::shared_ptr<Flight> flight_;
};

}  // namespace

bool ExchangeRequest::fetches_for_itself() const {
  return own_fetch != nullptr && (own_flight == nullptr || !own_flight->is_awaited());
}

// Everything that a validation behind a client's back needs after the client has gone.
struct Exchange::Background {
  Url url;
  std::string path_and_query;
  std::string user;
  RequestHead head;
  ExchangeRequest request;
};

Exchange::Exchange(Reactor& reactor, HttpClient& client, CacheShared& shared)
    : reactor_(reactor), client_(client), shared_(shared), tasks_(reactor.executor()) {}

Task<Result<std::unique_ptr<ExchangeResponse>>> Exchange::run(ExchangeRequest& request) {
  const Url& url = *request.url;
  if (Result<void> allowed = request.policy->check_host(url.hostname(), url.effective_port()); !allowed)
    co_return allowed.error();
  if (shared_.store == nullptr) {
    if (request.rules->offline) co_return not_stored(true);
    co_return co_await pass(request);
  }
  if (!request.apart.empty()) {
    if (request.rules->offline) co_return not_stored(true);
    // How much of the body is taken, and when the connection is closed, must not depend on what is kept: so nobody
    // looks, and nothing is kept of it.
    request.inquiry.bypass = Bypass::apart;
    co_return co_await pass(request);
  }
  if (!request.inquiry.begun) inquire(request);
  const bool bypassed = request.inquiry.bypass != Bypass::none;
  if (!bypassed && (request.inquiry.on_disk || request.inquiry.entry)) {
    std::unique_ptr<ExchangeResponse> stored = co_await answer_from_store(request);
    if (stored) co_return stored;
  }
  if (!may_forward(request.inquiry.directives, *request.rules)) co_return not_stored(request.rules->offline);
  if (bypassed) co_return co_await pass(request);
  if (request.inquiry.selection.found() && request.inquiry.selected().head.range) {
    Answer completed = co_await complete(request);
    if (!completed || *completed) co_return completed;
  }
  std::shared_ptr<Flight> flight;
  const SteadyTime now = reactor_.sweeper().now();
  bool shares = may_share(request) && !shared_.flights.is_unshareable(request.inquiry.key, now);
  std::shared_ptr<Flight> unfit;
  while (shares) {
    FlightTable::Ticket ticket = shared_.flights.enter(request.inquiry.key, reactor_, tasks_, *shared_.store, unfit);
    if (ticket.leads) {
      flight = std::move(ticket.flight);
      break;
    }
    // Who waited for its head in vain asks alone, and so do all who waited. Who came later begins another flight.
    shares = !unfit && ticket.flight->state() != Flight::State::waiting;
    std::unique_ptr<ExchangeResponse> shared = co_await follow(request, ticket.flight);
    if (shared) co_return shared;
    unfit = std::move(ticket.flight);
  }
  const Lead lead{flight};
  if (flight && shared_.flights.ended(request.inquiry.key) != request.inquiry.flights_ended) {
    inquire(request);  // somebody has brought it since we looked
    std::unique_ptr<ExchangeResponse> stored = co_await answer_from_store(request);
    if (stored) co_return stored;
  }
  co_return co_await ask_origin(request, flight);
}

// Somebody is fetching it already. nullptr: it is of no use to this request.
Task<std::unique_ptr<ExchangeResponse>> Exchange::follow(ExchangeRequest& request, std::shared_ptr<Flight> flight) {
  const Deadline patience = request.deadline.sooner_of(reactor_.sweeper().in(kWaitForOthers));
  co_await flight->wait_for_head(reactor_, patience);
  std::unique_ptr<ExchangeResponse> joined = join(request, flight);
  if (joined) co_return joined;
  if (flight->state() != Flight::State::flying) {  // it may be in the store by now
    inquire(request);
    if (const EntryPtr confirmed = released_with(*flight); confirmed && !may_have_own_answer(request.inquiry)) {
      request.inquiry.on_disk = false;
      consider(request, nullptr, confirmed);
    }
    std::unique_ptr<ExchangeResponse> stored = co_await answer_from_store(request);
    if (stored) co_return stored;
  }
  co_return nullptr;
}

std::unique_ptr<ExchangeResponse> Exchange::join(ExchangeRequest& request, const std::shared_ptr<Flight>& flight) {
  if (flight->state() != Flight::State::flying) return nullptr;
  const StoredHead& head = flight->head();
  const bool for_us = flight->partition().empty() || flight->partition() == person_of(request);
  if (!for_us || head.range || !vary_matches(head, request.head->headers)) return nullptr;
  const WallTime now = reactor_.clock().now();
  const ReuseVerdict reuse = judge(head, *request.head, request.inquiry.directives, *request.rules, now);
  if (!reuse.answers()) return nullptr;
  AnswerPlan plan = plan_answer(head, *request.head, now);
  if (plan.kind != AnswerPlan::Kind::whole && plan.kind != AnswerPlan::Kind::not_modified) return nullptr;
  Flight::Seat seat = flight->board();
  if (!seat) return nullptr;
  ResponseHead out;
  build_answer(out, head, plan, reuse.age, StaleMark::none);
  CacheStatus status;
  status.forwarded = Forwarded::uri_miss;
  status.ttl = reuse.ttl;
  status.collapsed = true;
  status.detail = "somebody else was fetching it already";
  add_cache_status(out.headers, status);
  auto reader = std::make_unique<FlightReader>(flight, std::move(seat), reactor_, std::move(out));
  reader->headers_only = plan.kind == AnswerPlan::Kind::not_modified || head.response.status == 204;
  reader->deadline = request.deadline;
  reader->verdict = CacheVerdict::collapsed;
  reader->shareable = flight->head().scope == Scope::shared;
  shared_.counters.answered(reader->verdict);
  return reader;
}

// --- stale-while-revalidate (RFC 5861 section 3)

void Exchange::validate_in_background(const ExchangeRequest& request) {
  FlightTable::Ticket ticket = shared_.flights.enter(request.inquiry.key, reactor_, tasks_, *shared_.store);
  if (!ticket.leads) return;  // under way already
  auto background = std::make_shared<Background>();
  background->url = *request.url;
  background->path_and_query = request.path_and_query;
  background->head = *request.head;
  for (const HeaderId own : {HeaderId::if_none_match, HeaderId::if_modified_since, HeaderId::if_range, HeaderId::range})
    background->head.headers.remove(own);
  background->head.set_method(Method::get);
  ExchangeRequest& copy = background->request;
  copy.intent = Intent::revalidate;
  copy.url = &background->url;
  copy.path_and_query = background->path_and_query;
  copy.head = &background->head;
  background->user = request.user;
  copy.user = background->user;
  copy.client = request.client;
  copy.rules = request.rules;
  copy.policy = request.policy;
  copy.way = request.way;
  copy.timeouts = request.timeouts;
  copy.inquiry = request.inquiry;
  shared_.counters.validated_in_background();
  tasks_.spawn(validate(std::move(background), std::move(ticket.flight)), "background validation");
}

Task<> Exchange::validate(std::shared_ptr<Background> background, std::shared_ptr<Flight> flight) {
  const Lead lead{flight};
  Answer answer = co_await ask_origin(background->request, flight);
  if (!answer) co_return;  // it stays stale
  // What is kept is read to its end; what is not kept may have none.
  ExchangeResponse& response = **answer;
  while (flight->state() == Flight::State::flying && flight->keeping()) {
    Result<std::string_view> piece = co_await response.read();
    if (!piece || piece->empty()) break;
  }
  co_await response.finish();
}

}  // namespace outrider
