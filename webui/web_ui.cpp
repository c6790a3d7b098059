#include "webui/web_ui.hpp"

#include "base/websocket_key.hpp"
#include "webui/assets.hpp"
#include "webui/event_stream.hpp"
#include "webui/routes.hpp"
#include "webui/websocket_accept.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>
#include <boost/json.hpp>

namespace outrider::webui {
namespace {

constexpr std::size_t kThreads = 4;  // a purge that forgets may hold one of them for minutes
constexpr std::size_t kMostQueued = 256;

// Everything from our own address, nothing written into the page: markup in a title stays text, whatever it says.
constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

std::string random_name() {
  std::uint64_t number = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number);
  return fmt::format("{:x}", number);
}

bool is_api(std::string_view path) {
  return path == "/api" || path.starts_with("/api/");
}

WebAnswer web_answer(ApiReply reply) {
  WebAnswer answer;
  answer.status = reply.status;
  answer.content_type = std::move(reply.content_type);
  answer.body = std::move(reply.body);
  answer.headers = std::move(reply.headers);
  answer.stream = std::move(reply.stream);
  answer.headers.emplace_back("Content-Security-Policy", kPagePolicy);
  answer.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  answer.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  return answer;
}

// A person who follows a link on a page that was opened through the proxy under an alias of its address. Refused like
// everybody else there, but told where to go.
std::optional<ApiReply> way_to_own_name(const WebRequest& request) {
  const bool is_alias = request.host_is_ours && request.through_proxy && !request.by_own_name;
  const std::string_view accepted = request.headers.find(HeaderId::accept).value_or("");
  if (!is_alias || request.method != Method::get || accepted.find("text/html") == std::string_view::npos)
    return std::nullopt;
  ApiReply told = ApiReply::text("text/html; charset=utf-8", R"html(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Under another name</title>
<body style="font-family:system-ui,sans-serif;max-width:40em;margin:3em auto;padding:0 1em">
<h1>Under another name</h1>
<p>Through the proxy the monitor is only at <a href="http://outrider.internal/monitor/">outrider.internal/monitor/</a>.</p>
</html>
)html");
  told.status = 403;
  return told;
}

ApiReply page_reply(Method method, std::string_view path) {
  if (method != Method::get && method != Method::head) {
    ApiReply refused = problem(405, "method-not-allowed", "Method not allowed", "Use GET.");
    refused.headers.emplace_back("Allow", "GET, HEAD");
    return refused;
  }
  if (path == "/monitor") {  // so that what the page names relative to itself is found
    ApiReply moved = ApiReply::text("text/plain; charset=utf-8", "");
    moved.status = 308;
    moved.headers.emplace_back("Location", "/monitor/");
    return moved;
  }
  const std::string_view name = path.substr(std::string_view{"/monitor/"}.size());
  const Asset* asset = find_asset(name.empty() ? "index.html" : name);
  if (asset == nullptr) return nothing_here();
  return ApiReply::text(asset->type, std::string{asset->bytes});
}

}  // namespace

WebUi::WebUi(Options options)
    : version_(std::move(options.version)),
      server_(random_name()),
      ports_(options.ports),
      clock_(*options.clock),
      gate_(std::move(options.tokens), std::move(options.users)),
      feeds_(feeds_of(ports_)),
      explorer_(ports_.robot != nullptr ? std::make_unique<TaskExplorer>(*ports_.robot, ports_.memory, clock_)
                                        : nullptr),
      workers_(kThreads, kMostQueued) {
  add_routes();
}

void WebUi::add_routes() {
  router_.add(Method::get, "/api/v1", Role::user, [this](const ApiRequest& request) { return overview(request); });
  router_.add(Method::get, "/api/v1/openapi.json", Role::nobody, [](const ApiRequest&) {
    return ApiReply::text("application/json", std::string{find_asset("openapi.json")->bytes});
  });
  router_.add(Method::post, "/api/v1/session", Role::nobody,
              [this](const ApiRequest& request) { return log_in(request); });
  router_.add(Method::del, "/api/v1/session", Role::nobody, [](const ApiRequest&) {
    ApiReply reply = ApiReply::nothing();
    reply.headers.emplace_back("Set-Cookie", Gate::no_cookie());
    return reply;
  });
  router_.add(Method::get, "/api/v1/events", Role::user, [this](const ApiRequest& request) { return events(request); });
  router_.add(Method::get, "/api/v1/metrics", Role::reader, [this](const ApiRequest&) {
    if (ports_.metrics == nullptr) return not_connected("Nothing is counted here.");
    return ApiReply::of(ports_.metrics->to_json());
  });
  add_cache_routes(router_, ports_, [this] {
    if (explorer_) explorer_->forget();
  });
  add_settings_routes(router_, ports_);
  add_tls_routes(router_, ports_);
  add_memory_routes(router_, ports_);
  add_task_routes(router_, ports_);
  add_watch_routes(router_, ports_);
  add_task_address_routes(router_, ports_, explorer_.get(), workers_);
  add_log_routes(router_);
  add_host_routes(router_, ports_);
  add_plugin_routes(router_, ports_);
}

ApiReply WebUi::overview(const ApiRequest& request) const {
  json::object parts{{"traffic", ports_.traffic != nullptr}, {"settings", ports_.settings != nullptr},
                     {"cache", ports_.cache != nullptr},     {"onboarding", ports_.tls != nullptr},
                     {"memory", ports_.memory != nullptr},   {"tasks", ports_.robot != nullptr},
                     {"hosts", ports_.hosts != nullptr},     {"plugins", ports_.plugins != nullptr}};
  if (request.role == Role::user)  // what is for the others does not exist for a user
    for (json::key_value_pair& part : parts)
      if (part.key() != "memory") part.value() = false;
  return ApiReply::of(json::object{{"name", "outrider"},
                                   {"version", version_},
                                   {"server", server_},
                                   {"role", to_string(request.role)},
                                   {"user", request.user.empty() ? json::value(nullptr) : json::value(request.user)},
                                   {"parts", parts}});
}

ApiReply WebUi::log_in(const ApiRequest& request) const {
  boost::system::error_code failed;
  const json::value body = json::parse(request.body, failed);
  const json::value* token = failed || !body.is_object() ? nullptr : body.get_object().if_contains("token");
  if (token == nullptr || !token->is_string()) return bad_request("Say {\"token\": \"…\"}.");
  const Identity who = gate_.identity_of_token(token->get_string(), *request.as_it_came);
  if (who.role == Role::nobody)
    return problem(403, "token-needed", "Not allowed", "This is not a token of this Outrider.");
  ApiReply reply = ApiReply::of(json::object{{"role", to_string(who.role)}, {"key", gate_.key_of(who)}});
  reply.headers.emplace_back("Set-Cookie", gate_.cookie_of(who));
  return reply;
}

ApiReply WebUi::events(const ApiRequest& request) {
  Result<StreamFilter> filter = filter_of(request);
  if (!filter) return problem_of(filter.error());
  const std::string_view after =
      request.last_event_id.empty() ? request.parameter("after").value_or("") : std::string_view{request.last_event_id};
  std::optional<StreamPosition> from = StreamPosition::parse(after);
  if (!after.empty() && !from) return bad_request("This is not the id of an event.");
  ApiReply reply;
  reply.content_type = "text/event-stream";
  StreamFormat format = StreamFormat::events;
  if (!request.websocket_key.empty()) {
    format = StreamFormat::lines;
    reply.status = 101;
    reply.content_type.clear();
    reply.headers = {{"Upgrade", "websocket"},
                     {"Connection", "Upgrade"},
                     {"Sec-WebSocket-Accept", websocket_accept(request.websocket_key)}};
  }
  reply.stream = std::make_shared<EventStream>(
      ports_, workers_, clock_,
      EventStream::Hello{version_, server_, request.role, request.user, request.still_welcome}, std::move(*filter),
      std::move(from), feeds_, format);
  return reply;
}

bool WebUi::owns(std::string_view path) const {
  return is_api(path) || path == "/monitor" || path.starts_with("/monitor/");
}

WebAnswer WebUi::refusal(const WebRequest& request) const {
  std::optional<ApiReply> refused;
  if (is_api(request.path)) {
    // What does not exist is not told to strangers either.
    const Router::Match match = router_.find(request.method, request.path);
    refused = gate_.refusal(request, match.handler == nullptr ? Role::reader : match.needed);
  } else {
    refused = way_to_own_name(request);
    if (!refused) refused = refuse_strangers(request);
  }
  WebAnswer answer;
  answer.status = 0;
  return refused ? web_answer(std::move(*refused)) : answer;
}

Task<WebAnswer> WebUi::answer(WebRequest request) {
  if (!is_api(request.path)) co_return web_answer(page_reply(request.method, request.path));
  const Router::Match match = router_.find(request.method, request.path);
  if (match.handler == nullptr) {
    if (match.allowed.empty()) co_return web_answer(nothing_here());
    ApiReply reply = problem(405, "method-not-allowed", "Method not allowed", "Use " + match.allowed + ".");
    reply.headers.emplace_back("Allow", match.allowed);
    co_return web_answer(std::move(reply));
  }
  ApiRequest asked;
  asked.as_it_came = &request;
  asked.method = request.method;
  Identity who = gate_.identity_of(request);
  asked.role = who.role;
  if (who.role == Role::user)
    asked.still_welcome = [this, again = request, user = who.user] { return gate_.identity_of(again).user == user; };
  asked.user = std::move(who.user);
  asked.path_values = match.path_values;
  asked.query = parse_query(request.query);
  asked.body = std::move(request.body);
  asked.last_event_id = request.headers.find("Last-Event-ID").value_or("");
  asked.websocket_key = websocket_key(request.method, request.headers).value_or("");
  asked.now = clock_.now();
  auto work = [handler = match.handler, &asked] { return (*handler)(asked); };
  Result<ApiReply> reply = co_await workers_.run(std::move(work));
  if (!reply) co_return web_answer(problem_of(reply.error()));
  co_return web_answer(std::move(*reply));
}

}  // namespace outrider::webui
