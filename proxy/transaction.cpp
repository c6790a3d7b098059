#include "proxy/transaction.hpp"

#include "base/hop_by_hop.hpp"
#include "base/http_target.hpp"
#include "base/http_writer.hpp"
#include "base/log.hpp"
#include "plugins/api/proxy_user.hpp"
#include "proxy/client_side.hpp"
#include "proxy/loop_guard.hpp"
#include "proxy/own_site.hpp"
#include "proxy/page_head.hpp"
#include "proxy/plugin_documents.hpp"
#include "proxy/plugin_exchange.hpp"
#include "proxy/proxy_shared.hpp"
#include "proxy/shown_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace outrider {
namespace {

// While we wait for an origin nobody reads from the client, so nobody would notice that it has gone. Looks from time to
// time and ends the exchange: an origin connection is not kept busy for an answer that nobody wants.
class DepartureWatch final : private Watched {
 public:
  DepartureWatch(ClientSide& client, const ExchangeRequest& exchange)
      : client_(client), sweeper_(client.worker().reactor().sweeper()), exchange_(exchange) {
    sweeper_.watch(*this);
    set_deadline(sweeper_.in(kLookEvery));
  }
  bool has_abandoned() const { return abandoned_; }

 private:
  static constexpr Duration kLookEvery = std::chrono::seconds{1};

  void on_deadline() override {
    set_deadline(sweeper_.in(kLookEvery));
    if (!exchange_.fetches_for_itself() || !client_.has_left()) return;
    abandoned_ = true;
    exchange_.own_fetch->abandon();
  }
  ClientSide& client_;
  DeadlineSweeper& sweeper_;
  const ExchangeRequest& exchange_;
  bool abandoned_ = false;
};

std::optional<std::uint32_t> max_forwards(const RequestHead& head) {
  const auto text = head.headers.find(HeaderId::max_forwards);
  if (!text) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

}  // namespace

Transaction::Transaction(ClientSide& client)
    : client_(client),
      request_(client.request()),
      method_(request_.method),
      client_version_(request_.version),
      begin_(client.worker().reactor().clock().steady()),
      id_(client.worker().shared().ids.next()) {}

// Without record() before, the coroutine is being unwound: its time was up when the program had to end.
Transaction::~Transaction() {
  if (recorded_) return;
  try {
    error_.emplace(client_.worker().draining ? ErrorKind::cancelled : ErrorKind::internal, Side::self, "");
    record();
  } catch (...) {  // a record is not worth the program
  }
}

Task<> Transaction::run() {
  if (const InterceptedOrigin* origin = client_.intercepted()) {
    user_ = origin->user;  // was let in when the tunnel was opened
    const Access& access = *client_.policy().access;
    if (&access != origin->access.get() && !access.still_admits(client_.connection().peer().address(), user_)) {
      client_.end_connection();
      const Answer answer = answer_denied("this tunnel's owner may not use the proxy any more", error_context());
      co_await send(answer);
      co_return;
    }
    if (Result<void> absolute = make_absolute(request_, *origin); !absolute) {
      co_await refuse(absolute.error());
      co_return;
    }
  } else if (request_.target.starts_with('/') || request_.target == "*") {
    // Not a proxy request: somebody talks to us as to a web server.
    co_await answer_own_site(request_.target, false);
    co_return;
  } else {
    std::optional<Admission> admission =
        client_.policy().access->admit_now(client_.connection().peer().address(), request_.headers);
    if (admission && *admission) {
      user_ = std::move(admission->user);
    } else if (!co_await admitted(std::move(admission))) {
      co_return;
    }
  }
  if (method_ == Method::connect) {
    co_await connect();
    co_return;
  }
  Result<Url> url = Url::parse(request_.target);
  if (!url) {
    co_await refuse(Error{ErrorKind::bad_message, Side::client,
                          fmt::format("the address in the request is not a URL: {}", url.error().detail)});
    co_return;
  }
  if (!url->is_http()) {
    co_await refuse(
        Error{ErrorKind::unsupported, Side::client, fmt::format("this proxy does not speak {}", url->protocol())});
    co_return;
  }
  host_ = url->host();
  if (names_ourselves(url->hostname(), url->effective_port())) {
    const std::string path = path_and_query_of(request_.target);
    co_await answer_own_site(path, true);
    co_return;
  }
  if (url->pathname().starts_with(kResourcePath) && client_.worker().shared().plugins) {
    const std::string path{url->pathname().substr(kResourcePath.size())};
    co_await answer_plugin_resource(path);
    co_return;
  }
  co_await forward(*url);
}

// The slow way in, and the refusals.
Task<bool> Transaction::admitted(std::optional<Admission> admission) {
  const Access& access = *client_.policy().access;
  const IpAddress client = client_.connection().peer().address();
  if (!admission) {
    Admission checked = co_await access.admit(client, request_.headers, client_.worker().shared().workers);
    admission = std::move(checked);
  }
  user_ = admission->user;
  if (*admission) co_return true;
  Answer answer;
  switch (admission->kind) {
    case Admission::Kind::challenge:
      answer = answer_authentication_required({}, error_context());
      access.add_challenges(answer.head.headers);
      break;
    case Admission::Kind::later: {
      ErrorContext context = error_context();
      context.retry_after = admission->retry_after;
      answer = answer_too_many(admission->reason, context);
      break;
    }
    default:
      client_.close_after_this();  // its place is for others
      answer = answer_denied(admission->reason, error_context());
  }
  co_await send(answer);
  co_return false;
}

bool Transaction::names_ourselves(std::string_view host, std::uint16_t port) const {
  if (is_own_host(host)) return true;
  const ProxyShared& shared = client_.worker().shared();
  if (!shared.is_own_port(port)) return false;
  if (host == "localhost") return true;
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  ErrorCode code;
  const IpAddress address = asio::ip::make_address(std::string{host}, code);
  return !code && is_own_address(address);
}

Task<> Transaction::answer_own_site(std::string_view path, bool through_proxy) {
  ProxyShared& shared = client_.worker().shared();
  const tcp::endpoint local = client_.connection().local_endpoint();
  OwnSiteContext context;
  context.client = client_.connection().peer().address();
  context.local_address = local.address();
  context.local_port = local.port();
  context.through_proxy = through_proxy;
  context.version = shared.version;
  context.exchange_id = id_.view();
  context.date = client_.worker().date().now();
  context.metrics = &shared.metrics;
  if (user_) context.login = *user_;
  context.asked_host = host_;
  context.now = client_.worker().reactor().clock().now();
  context.authority = shared.authority.get();
  const InterceptMode mode = client_.policy().intercept->mode();
  context.intercept_is_fixed = mode != InterceptMode::onboarded;
  context.intercepts = context.intercept_is_fixed ? mode == InterceptMode::all : shared.onboarding->accepted();
  cache_verdict_ = "own";
  if (path == "/interception" && method_ == Method::post) {
    co_await answer_switch(context);
    co_return;
  }
  if (shared.web && shared.web->owns(path.substr(0, path.find('?')))) {
    co_await answer_web(path, context);
    co_return;
  }
  if (path.starts_with("/plugins/")) {
    co_await answer_plugin_document(path, context);
    co_return;
  }
  Answer answer = own_site_answer(request_, path, context);
  // Without it any page could load us as a picture, and learn from that whether it can.
  answer.head.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  co_await send(answer);
}

// RFC 9110 section 7.6.2: the last recipient that Max-Forwards allows answers itself.
Task<> Transaction::answer_as_final_recipient() {
  AnswerFrame frame;
  frame.method = method_;
  frame.date = client_.worker().date().now();
  Answer answer;
  if (method_ == Method::trace) {
    // Without what only the sender and the recipient should know (RFC 9110 section 9.3.8).
    for (const HeaderId secret : {HeaderId::authorization, HeaderId::proxy_authorization, HeaderId::cookie})
      request_.headers.remove(secret);
    std::string reflected;
    write_request_head(reflected, request_, request_.target);
    answer = make_answer(200, "message/http", std::move(reflected), frame);
  } else {
    answer = make_answer(200, "text/plain; charset=utf-8", "", frame);
    answer.head.headers.add(HeaderId::allow, "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS, TRACE, CONNECT");
  }
  cache_verdict_ = "own";
  co_await send(answer);
}

void Transaction::prepare_request(RequestHead& head) {
  HeaderMap& headers = head.headers;
  ProxyShared& shared = client_.worker().shared();
  // HTTP/1.0 has no Upgrade (RFC 9110 section 7.8), and it makes no sense together with a body here.
  const bool may_upgrade = client_version_ != HttpVersion::http10 && !client_.request_framing().has_body();
  if (may_upgrade && headers.lists(HeaderId::connection, "upgrade")) upgrade_ = headers.joined(HeaderId::upgrade);
  wants_continue_ = client_.expects_continue();
  if (client_version_ == HttpVersion::http10) headers.remove(HeaderId::expect);  // RFC 9110 section 10.1.1
  strip_hop_by_hop(headers, Te::keep_trailers);
  add_via(headers, client_version_, shared.pseudonym);
  if (!upgrade_.empty()) {
    headers.set(HeaderId::connection, "Upgrade");
    headers.set(HeaderId::upgrade, upgrade_);
  }
}

Task<> Transaction::forward(const Url& url) {
  const ProxyPolicy& policy = client_.policy();
  if (url.scheme() == "https") {  // not only in a tunnel
    std::string_view host = url.hostname();
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    if (const std::string rule = policy.intercept->refused_by(host, url.effective_port()); !rule.empty()) {
      co_await refuse(Error{ErrorKind::rule_denied, Side::self, fmt::format("refused by rule \"{}\"", rule)});
      co_return;
    }
  }
  const BodyFraming& framing = client_.request_framing();
  if (policy.max_request_body != 0 && framing.kind == BodyFraming::Kind::length &&
      framing.length > policy.max_request_body) {
    client_.close_after_this();
    co_await refuse(
        Error{ErrorKind::body_too_large, Side::client, "the request body is larger than this proxy allows"});
    co_return;
  }
  if (method_ == Method::options || method_ == Method::trace) {
    if (const auto left = max_forwards(request_)) {
      if (*left == 0) {
        co_await answer_as_final_recipient();
        co_return;
      }
      request_.headers.set(HeaderId::max_forwards, fmt::format_int(*left - 1).c_str());
    }
  }
  const std::string path = path_and_query_of(request_.target);
  if (has_looped(request_.headers, client_.worker().shared().pseudonym)) {
    const Answer answer = answer_loop("this request has passed through this proxy before", error_context());
    co_await send(answer);
    co_return;
  }
  prepare_request(request_);
  // Most requests are for parts of pages, and most plugins want pages.
  if (PluginHost* const host = client_.worker().shared().plugins.get();
      host != nullptr && host->wants_traffic() &&
      (host->wants(Hook::request) || host->wants(Hook::response) || is_top_level(request_))) {
    const bool local = is_loopback(client_.connection().peer().address());
    plugins_ =
        std::make_unique<PluginExchange>(*host, client_.worker().reactor().executor(), url, request_, who(), local);
    const std::optional<PluginAnswer> answer = co_await plugins_->request();
    if (answer) {
      co_await send_plugin_answer(*answer);
      co_return;
    }
  }
  // A script may ask for a page that it has as plugins changed it; what it gets is the page itself.
  if (!plugins_ && method_ == Method::get && request_.headers.has(HeaderId::if_none_match))
    (void)translate_conditions(request_.headers, 0);

  ExchangeRequest request;
  request.url = &url;
  request.path_and_query = path;
  request.head = &request_;
  request.body = client_.request_body();
  uploads_ = request.body != nullptr;
  request.body_framing = client_.request_framing();
  request.upgrade = !upgrade_.empty();
  request.policy = address_policy();
  request.way = policy.parents->select(url.hostname(), url.effective_port());
  request.timeouts = policy.timeouts.origin;
  if (policy.timeouts.total != Duration::zero()) request.deadline = Deadline{begin_ + policy.timeouts.total};
  request.on_informational = [this](const ResponseHead& head) { return pass_on_informational(head); };
  // `OPTIONS http://host` without a path means the server as a whole (RFC 9112 section 3.2.4).
  if (method_ == Method::options &&
      request_.target.find_first_of("/?", request_.target.find("://") + 3) == std::string::npos)
    request.path_and_query = "*";

  request.apart = client_.logins().word_for(request_.headers, host_, id_.view());
  request.rules = policy.cache->of(url.hostname(), url.effective_port());
  Exchange& exchange = client_.worker().exchange();
  if (user_) request.user = *user_;
  request.client = client_.connection().peer().address();
  request.tell_client = policy.forwarded_for;
  const std::string person = who();
  MemoryTap tap{client_.worker().shared().ingest, *policy.memory, url, request_, *request.rules, person};
  BrowserWitness* const witness = request.witness = client_.worker().shared().witness;
  if (witness != nullptr && request_.headers.find("Save-Data").value_or("") == "on") witness->browser_saves_data();
  if (const std::unique_ptr<ExchangeResponse> stored = exchange.answer_now(request)) {
    co_await relay_response(*stored, tap);
    co_return;
  }
  std::optional<DepartureWatch> departure;
  departure.emplace(client_, request);
  Result<std::unique_ptr<ExchangeResponse>> response = co_await exchange.run(request);
  if (!response) {
    Error error = response.error();
    if (departure->has_abandoned())  // the origin is not to blame
      error = Error{ErrorKind::cancelled, Side::client, "the client has left"};
    tap.failed(error, client_.worker().reactor().clock().now());
    cache_status_ = status_of_failure(request, error);
    co_await refuse(std::move(error));
    co_return;
  }
  timings_ = (*response)->timings;
  if (!request.apart.empty()) (*response)->shareable = false;  // whatever it looks like
  if (!url.search().empty()) note_safe_query(url, **response);
  if ((*response)->head().status == 101) departure.reset();  // a tunnel minds its own ends
  co_await relay_response(**response, tap);
}

// What a person has loaded without harm to anybody, and everybody gets the same: pages like it may be loaded ahead.
void Transaction::note_safe_query(const Url& url, ExchangeResponse& response) {
  BrowserWitness* const witness = client_.worker().shared().witness;
  const ResponseHead& head = response.head();
  if (witness == nullptr || method_ != Method::get || head.status != 200 || !response.shareable) return;
  if (head.headers.has(HeaderId::set_cookie) || request_.headers.has(HeaderId::authorization)) return;
  witness->saw_safe_query(url.href_without_fragment());
}

// Who logged in; on this machine, where nobody does, the one person; elsewhere the machine.
std::string Transaction::who() const {
  if (user_) return *user_;
  const IpAddress client = client_.connection().peer().address();
  return is_loopback(client) ? std::string{} : "@" + client.to_string();
}

// The mark only takes rights away, so it does not matter who else bears it. Inside of a tunnel that is not opened there
// is nothing to see, but CONNECT itself has the name of the program.
const std::shared_ptr<const AddressPolicy>& Transaction::address_policy() const {
  const DestinationRules& rules = *client_.policy().destinations;
  const bool preview = request_.headers.find(HeaderId::sec_purpose).value_or("").find("preview") != std::string::npos ||
                       request_.headers.find(HeaderId::user_agent).value_or("").ends_with(kPreviewAgent);
  return preview && is_loopback(client_.connection().peer().address()) ? rules.policy_for_robot()
                                                                       : rules.policy_for_browser();
}

Task<> Transaction::refuse(Error error) {
  error_ = error;
  const bool departed =
      error.kind == ErrorKind::cancelled || (error.side == Side::client && error.kind == ErrorKind::closed_early);
  if (must_close(error)) client_.close_after_this();
  if (client_.answer_begun() || departed) {
    client_.abort();
    co_return;
  }
  const Answer answer = answer_error(error, error_context());
  co_await send(answer);
}

Task<> Transaction::send(const Answer& answer) {
  status_ = answer.head.status;
  bytes_out_ = answer.body.size();
  co_await client_.write_answer(answer);
}

ErrorContext Transaction::error_context() {
  accept_ = request_.headers.joined(HeaderId::accept);
  ErrorContext context;
  context.method = method_;
  context.accept = accept_;
  context.host = host_;
  context.exchange_id = id_.view();
  context.date = client_.worker().date().now();
  context.cache_status = cache_status_;
  return context;
}

// What is told about the exchange when it is over: counters always, a record only if somebody listens.
void Transaction::record() {
  recorded_ = true;
  if (uploads_) bytes_in_ += client_.body_bytes();
  ProxyShared& shared = client_.worker().shared();
  const Duration total = client_.worker().reactor().clock().steady() - begin_;
  shared.counters.finished(status_, bytes_in_, bytes_out_, total, exchange_verdict_);
  // What the monitor asks itself is not what its reader wants to see.
  const bool watched = shared.feed.wanted() && cache_verdict_ != "own";
  if (!shared.access_log.wanted() && !watched) return;
  ExchangeRecord record;
  record.id = id_.to_string();
  record.time = client_.worker().reactor().clock().now() - std::chrono::duration_cast<WallTime::duration>(total);
  record.client = client_.connection().peer().address().to_string();
  if (user_) record.user = *user_;
  record.method = request_.method_text;
  record.url = method_ == Method::connect ? host_ : log::safe_url(request_.target);
  if (shared.access_log.wants_query()) {
    const std::size_t query = request_.target.find('?');
    if (query != std::string::npos) record.query = request_.target.substr(query);
  }
  record.host = host_;
  static constexpr std::array<std::string_view, 3> kProtocols = {"HTTP/1.0", "HTTP/1.1", "HTTP/2"};
  record.protocol = kProtocols[static_cast<std::size_t>(client_version_)];
  record.status = status_;
  record.bytes_in = bytes_in_;
  record.bytes_out = bytes_out_;
  record.cache = cache_verdict_;
  if (error_) record.error = name_of(*error_);
  record.user_agent = request_.headers.find(HeaderId::user_agent).value_or("");
  const std::string_view referer = request_.headers.find(HeaderId::referer).value_or("");
  record.referer = shared.access_log.wants_query() ? std::string{referer} : log::safe_url(referer);
  record.reused_connection = timings_.reused;
  if (!timings_.reused && timings_.connect != Duration::zero()) {
    record.timings.dns = timings_.dns;
    record.timings.connect = timings_.connect;
    if (timings_.tls != Duration::zero()) record.timings.tls = timings_.tls;
  }
  if (timings_.first_byte != Duration::zero()) record.timings.first_byte = timings_.first_byte;
  record.timings.total = total;
  if (shared.access_log.wanted()) shared.access_log.write(record);
  if (!watched) return;
  record.request_fields = shown_fields(request_.headers);
  record.response_fields = std::move(response_fields_);
  for (const auto& [name, value] : record.response_fields)
    if (equal_ignoring_case(name, "Content-Type")) record.response_type = value.substr(0, value.find(';'));
  shared.feed.publish(std::move(record));
}

}  // namespace outrider
