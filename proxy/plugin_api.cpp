#include "proxy/plugin_api.hpp"

#include <boost/json.hpp>

#include <charconv>
#include <utility>

namespace outrider {
namespace {

namespace json = boost::json;

constexpr std::string_view kAll = "/api/v1/plugins";
constexpr std::string_view kEvents = "/api/v1/plugin-events";

Answer problem(int status, std::string_view title, std::string_view detail, const AnswerFrame& frame) {
  const json::object body{{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}};
  return make_answer(status, "application/problem+json", json::serialize(body) + "\n", frame);
}

Answer reply(const json::object& body, const AnswerFrame& frame) {
  return make_answer(200, "application/json", json::serialize(body) + "\n", frame);
}

Answer not_found(const AnswerFrame& frame) {
  return problem(404, "Not Found", "There is nothing at this address.", frame);
}

Answer outcome(const Result<void>& result, const PluginHost& host, std::string_view name, const AnswerFrame& frame) {
  if (!result) {
    const ErrorKind kind = result.error().kind;
    if (kind == ErrorKind::not_found) return problem(404, "Not Found", result.error().detail, frame);
    if (kind == ErrorKind::invalid_argument) return problem(400, "Bad Request", result.error().detail, frame);
    if (kind == ErrorKind::rule_denied) return problem(409, "Conflict", result.error().detail, frame);
    return problem(500, "Internal Server Error", result.error().detail, frame);
  }
  for (const json::value& plugin : host.list())
    if (const json::value* found = plugin.as_object().if_contains("name");
        found != nullptr && found->as_string() == name)
      return reply(plugin.as_object(), frame);
  return not_found(frame);
}

Answer turn(PluginHost& host, const std::string& name, const std::string& body, const AnswerFrame& frame) {
  boost::system::error_code error;
  const json::value asked = json::parse(body, error);
  const json::value* on = !error && asked.is_object() ? asked.as_object().if_contains("on") : nullptr;
  if (on == nullptr || !on->is_bool())
    return problem(400, "Bad Request", "Send {\"on\": true} or {\"on\": false}, with \"site\" for one site.", frame);
  std::string site;
  if (const json::value* given = asked.as_object().if_contains("site")) {
    if (!given->is_string() || given->as_string().empty())
      return problem(400, "Bad Request", "\"site\" is a host name.", frame);
    site = given->as_string();
  }
  return outcome(host.turn(name, site, on->as_bool()), host, name, frame);
}

Task<Answer> card(PluginHost& host, const std::string& name, Executor home, AnswerFrame frame) {
  PluginRecord* const record = host.find(name);
  if (record == nullptr || !record->running() || !record->info().hooks.has(Hook::card)) co_return not_found(frame);
  auto work = [record] {
    json::object shown;
    record->guarded("card", [&] { shown = record->plugin().card(); });
    return shown;
  };
  const std::optional<json::object> shown = co_await record->lane().run(home, std::move(work));
  if (!shown) co_return problem(503, "Service Unavailable", "The plugin does not answer.", frame);
  co_return reply(*shown, frame);
}

std::uint64_t cursor_in(std::string_view query) {
  std::uint64_t cursor = 0;
  if (query.starts_with("after=")) std::from_chars(query.data() + 6, query.data() + query.size(), cursor);
  return cursor;
}

}  // namespace

Task<Answer> plugin_api_answer(std::string path, std::string query, Method method, std::string body, PluginHost* host,
                               Executor home, AnswerFrame frame) {
  const bool reads = method == Method::get || method == Method::head;
  if (path == kEvents && reads)
    co_return reply(
        host != nullptr ? host->events(cursor_in(query)) : json::object{{"events", json::array{}}, {"next", 0}}, frame);
  if (path == kAll && reads) co_return reply({{"plugins", host != nullptr ? host->list() : json::array{}}}, frame);
  if (path == kAll || path == kEvents) co_return problem(405, "Method Not Allowed", "Use GET.", frame);
  if (host == nullptr || !path.starts_with(kAll)) co_return not_found(frame);
  path.erase(0, kAll.size() + 1);
  const std::size_t slash = path.find('/');
  const std::string name = path.substr(0, slash);
  const std::string rest = slash == std::string::npos ? std::string{} : path.substr(slash);
  if (rest.empty() && method == Method::post) co_return turn(*host, name, body, frame);
  if (rest.empty() && reads) co_return outcome(Result<void>{}, *host, name, frame);
  if (rest == "/card" && reads) co_return co_await card(*host, name, home, frame);
  if (rest.starts_with("/sites/") && method == Method::del)
    co_return outcome(host->forget_site(name, rest.substr(7)), *host, name, frame);
  if (rest.empty() || rest == "/card" || rest.starts_with("/sites/"))
    co_return problem(405, "Method Not Allowed", "Not with this method.", frame);
  co_return not_found(frame);
}

Task<std::optional<PluginAnswer>> plugin_document(PluginHost& host, Executor home, std::string path,
                                                  PluginDocumentRequest request) {
  const std::size_t slash = path.find('/');
  PluginRecord* const record = host.find(std::string_view{path}.substr(0, slash));
  if (record == nullptr || !record->running() || !record->info().hooks.has(Hook::document)) co_return std::nullopt;
  if (slash == std::string::npos) {  // so that relative links work
    PluginAnswer moved{301, "text/plain", "", {{"Location", "/plugins/" + path + "/"}}};
    co_return moved;
  }
  request.path = path.substr(slash);
  auto work = [record, request = std::move(request)] {
    PluginAnswer answer{500, "text/plain; charset=utf-8", "The plugin failed.\n"};
    record->guarded("on_document", [&] { answer = record->plugin().on_document(request); });
    return answer;
  };
  std::optional<PluginAnswer> answer = co_await record->lane().run(home, std::move(work));
  if (!answer) answer.emplace(PluginAnswer{503, "text/plain; charset=utf-8", "The plugin does not answer.\n"});
  co_return answer;
}

}  // namespace outrider
