#include "proxy/cache_api.hpp"

#include "base/http_target.hpp"

#include <boost/json.hpp>

namespace outrider {
namespace {

namespace json = boost::json;

Error wrong(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::client, std::move(detail)};
}

Answer problem(int status, std::string_view title, std::string_view detail, const AnswerFrame& frame) {
  const json::object body{{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}};
  return make_answer(status, "application/problem+json", json::serialize(body) + "\n", frame);
}

Answer reply(const json::object& body, const AnswerFrame& frame) {
  return make_answer(200, "application/json", json::serialize(body) + "\n", frame);
}

Result<Url> http_url(const json::value& text) {
  if (!text.is_string()) return wrong("an address must be a string");
  Result<Url> url = Url::parse(std::string_view{text.get_string()});
  if (!url || !url->is_http()) return wrong("an address must be one of http or https");
  return url;
}

// Which keys, by the one member that says so.
Result<PurgeScopes> scopes_of(std::string_view name, const json::value& value) {
  if (name == "all") {
    if (!value.is_bool() || !value.get_bool()) return wrong("\"all\" must be true");
    return PurgeScopes{PurgeScope::all()};
  }
  if (name == "site") {
    if (!value.is_string()) return wrong("\"site\" must be the name of a host");
    const Result<Url> url = Url::parse("http://" + std::string{value.get_string()} + "/");
    if (!url || url->hostname().empty() || url->pathname() != "/") return wrong("\"site\" must be the name of a host");
    return PurgeScopes{PurgeScope::prefix(CacheKey::site_prefix(url->hostname(), url->host_kind()))};
  }
  const Result<Url> url = http_url(value);
  if (!url) return url.error();
  // A key has the path as the client sent it, which need not be as a browser would have written it: both are meant.
  const std::string as_browsers_write_it = std::string{url->pathname()} + std::string{url->search()};
  const std::string_view typed = value.get_string();
  const std::string as_typed = path_and_query_of(typed.substr(0, typed.find('#')));
  PurgeScopes scopes;
  for (const std::string& path : {as_browsers_write_it, as_typed}) {
    // In all partitions: the key without its owner.
    scopes.push_back(PurgeScope::prefix(name == "prefix" ? CacheKey::path_prefix(*url, path)
                                                         : CacheKey::of(*url, path, "", SipKey{}).bytes));
    if (as_typed == as_browsers_write_it) break;
  }
  return scopes;
}

json::object stats_of(const Store& store) {
  const StoreStats stats = store.stats();
  json::object disk{{"on", stats.disk_on},
                    {"bytes", stats.disk_bytes},
                    {"index_bytes", stats.index_bytes},
                    {"segments", stats.segments},
                    {"entries_estimate", stats.entries_estimate},
                    {"queued_bytes", stats.queued_bytes}};
  if (!stats.disk_off_reason.empty()) disk["off_because"] = stats.disk_off_reason;
  return {{"memory", json::object{{"entries", stats.memory_entries}, {"bytes", stats.memory_bytes}}},
          {"disk", std::move(disk)}};
}

}  // namespace

Result<PurgeScopes> parse_purge(std::string_view text, WallTime now) {
  boost::system::error_code failed;
  const json::value value = json::parse(text, failed);
  if (failed || !value.is_object()) return wrong("the body is not a JSON object");
  std::optional<PurgeScopes> scopes;
  std::optional<WallTime> received_before;
  bool forget = false;
  for (const json::key_value_pair& member : value.get_object()) {
    const std::string_view name = member.key();
    if (name == "older_than") {
      if (!member.value().is_string()) return wrong("\"older_than\" must be a time such as \"30d\"");
      const Parsed<Duration> age = parse_duration(member.value().get_string());
      if (!age.value) return wrong("\"older_than\" " + age.problem);
      received_before = now - std::chrono::duration_cast<WallTime::duration>(*age.value);
    } else if (name == "forget") {
      if (!member.value().is_bool()) return wrong("\"forget\" must be true or false");
      forget = member.value().get_bool();
    } else if (name == "url" || name == "prefix" || name == "site" || name == "all") {
      if (scopes) return wrong("only one of url, prefix, site, all can be given");
      Result<PurgeScopes> given = scopes_of(name, member.value());
      if (!given) return given.error();
      scopes = std::move(*given);
    } else {
      return wrong("there is no \"" + std::string{name} + "\": expected url, prefix, site, all, older_than or forget");
    }
  }
  if (!scopes) return wrong("one of url, prefix, site, all must be given");
  for (PurgeScope& scope : *scopes) {
    scope.received_before = received_before;
    scope.forget = forget;
  }
  return std::move(*scopes);
}

Task<Answer> cache_api_answer(std::string path, Method method, std::string body, CacheShared& cache, WallTime now,
                              AnswerFrame frame) {
  if (cache.store == nullptr)
    co_return problem(409, "Nothing is kept", "The cache is switched off in the configuration (cache.enabled).", frame);
  if (path == "/api/v1/cache") {
    if (method != Method::get && method != Method::head)
      co_return problem(405, "Method Not Allowed", "Use GET.", frame);
    co_return reply(stats_of(*cache.store), frame);
  }
  if (path != "/api/v1/cache/purge") co_return problem(404, "Not Found", "There is nothing at this address.", frame);
  if (method != Method::post) co_return problem(405, "Method Not Allowed", "Use POST.", frame);
  Result<PurgeScopes> scopes = parse_purge(body, now);
  if (!scopes) co_return problem(400, "Bad Request", scopes.error().detail, frame);
  PurgeReport all;
  for (PurgeScope& scope : *scopes) {
    const Result<PurgeReport> purged = co_await cache.store->purge(std::move(scope));
    if (!purged) co_return problem(500, "Not purged", purged.error().detail, frame);
    all.entries += purged->entries;
    all.bytes += purged->bytes;
  }
  const json::object report{{"entries", all.entries}, {"bytes", all.bytes}};
  co_return reply(report, frame);
}

}  // namespace outrider
