#include "robot/fetcher.hpp"

#include <fmt/format.h>

namespace outrider {

bool is_of_host(const Error& error) {
  switch (error.kind) {
    case ErrorKind::dns_failure:
      return !error.retry_safe;  // else no name server answered: it may well be us who have no network
    case ErrorKind::connect_refused:
    case ErrorKind::tls_failed:
    case ErrorKind::tls_untrusted:
      return true;
    default:
      return false;
  }
}

bool may_pass(const Fetched& fetched) {
  if (!fetched.error) {
    switch (fetched.status) {
      case 408:
      case 425:
      case 429:
      case 500:
      case 502:
      case 503:
      case 504:
        return true;
      default:
        return false;
    }
  }
  switch (fetched.error->kind) {
    case ErrorKind::timeout:
    case ErrorKind::connect_refused:
    case ErrorKind::connect_failed:
    case ErrorKind::closed_early:
    case ErrorKind::tls_failed:
    case ErrorKind::parent_refused:
    case ErrorKind::busy:
    case ErrorKind::io:
      return true;
    case ErrorKind::dns_failure:
      return fetched.error->retry_safe;  // no name server answered; a name that does not exist stays so
    default:
      return false;
  }
}

namespace {

// What the links of a page are made from: the stored body, and these fields, which a 304 may change.
std::uint64_t version_of(std::uint64_t variant, const HeaderMap& headers) {
  if (variant == 0) return 0;
  std::string fields;
  const auto add = [&fields](const HeaderField& field) { fields.append(field.value).append(1, '\n'); };
  for (const HeaderId id : {HeaderId::content_type, HeaderId::link, HeaderId::x_robots_tag}) {
    headers.each(id, add);
    fields.append(1, '\n');
  }
  fields.append(headers.find("Refresh").value_or(""));
  return std::max<std::uint64_t>(siphash128({variant, 0}, fields).low, 1);
}

}  // namespace

void Fetcher::write_head(RequestHead& head, const FetchOrder& order) const {
  head.set_method(order.head_only ? Method::head : Method::get);
  HeaderMap& headers = head.headers;
  headers.add(HeaderId::user_agent, identity_.user_agent);
  if (!identity_.from.empty()) headers.add("From", identity_.from);
  headers.add(HeaderId::accept, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
  headers.add(HeaderId::accept_encoding, order.plain ? "identity" : "gzip, deflate, br, zstd");
  if (order.prefetch) headers.add("Sec-Purpose", "prefetch");
  if (!order.cache_control.empty()) headers.add(HeaderId::cache_control, order.cache_control);
  if (order.first_bytes != 0 && !order.head_only)
    headers.add(HeaderId::range, fmt::format("bytes=0-{}", order.first_bytes - 1));
}

Task<Fetched> Fetcher::fetch(const FetchOrder& order) {
  Fetched fetched;
  RequestHead head;
  write_head(head, order);
  ExchangeRequest request;
  request.intent = Intent::robot;
  request.url = &order.url;
  request.path_and_query = order.url.path_and_query();
  request.head = &head;
  request.policy = order.policy;
  request.timeouts = timeouts_;
  request.deadline = Deadline::after(order.max_time, reactor_.clock());
  request.apart = order.apart;
  const std::string_view host = order.url.hostname();
  request.rules = rules_.cache(host, order.url.effective_port());
  if (rules_.parent) request.way = rules_.parent(host, order.url.effective_port());

  if (order.knows)
    request.has_body = [&order](const StoredVariant& stored) {
      return stored.head.response.status == 200 && stored.head.body_length <= order.max_bytes &&
             order.knows(version_of(stored.id, stored.head.response.headers));
    };

  std::unique_ptr<ExchangeResponse> response = exchange_.answer_now(request);
  if (!response) {
    Result<std::unique_ptr<ExchangeResponse>> answered = co_await exchange_.run(request);
    if (!answered) {
      fetched.error = answered.error();
      co_return fetched;
    }
    response = std::move(*answered);
  }
  fetched.status = response->head().status;
  fetched.headers = response->head().headers;
  fetched.verdict = response->verdict;
  fetched.first_byte = response->timings.first_byte;
  if (response->origin_failure) fetched.origin_failure = *response->origin_failure;
  fetched.version = version_of(response->variant, fetched.headers);
  fetched.known = response->left_out.has_value();
  if (!order.head_only && !fetched.known) co_await read_body(*response, order, fetched);
  fetched.body_size = fetched.known ? *response->left_out : fetched.body.size();
  if (fetched.complete && !response->finish_now()) co_await response->finish();
  co_return fetched;
}

// What is beyond the limit is not read: the connection is closed with the response.
Task<> Fetcher::read_body(ExchangeResponse& response, const FetchOrder& order, Fetched& fetched) {
  const BodyFraming framing = response.framing();
  // A server may answer with the whole although its beginning was asked for (RFC 9110 section 14.2).
  const bool only_beginning = order.first_bytes != 0 && order.first_bytes <= order.max_bytes;
  const std::uint64_t most = only_beginning ? order.first_bytes : order.max_bytes;
  if (framing.kind == BodyFraming::Kind::length)
    fetched.body.reserve(static_cast<std::size_t>(std::min(framing.length, most)));
  for (;;) {
    std::optional<Result<std::string_view>> piece = response.read_now();
    if (!piece) {
      Result<std::string_view> awaited = co_await response.read();
      piece.emplace(std::move(awaited));
    }
    if (!*piece) {
      fetched.error = piece->error();
      fetched.complete = false;
      co_return;
    }
    const std::string_view bytes = **piece;
    if (bytes.empty()) co_return;
    const std::uint64_t room = most - fetched.body.size();
    fetched.body.append(bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(room, bytes.size()))));
    if (bytes.size() > room) {
      fetched.complete = false;
      fetched.cut = !only_beginning;
      response.cancel();
      co_return;
    }
  }
}

}  // namespace outrider
