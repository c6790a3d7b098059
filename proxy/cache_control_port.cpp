#include "proxy/cache_control_port.hpp"

#include "base/http_target.hpp"
#include "cache/graph_keys.hpp"

#include <fmt/chrono.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>

namespace outrider {
namespace {

namespace json = boost::json;

Error wrong(std::string detail) {
  return Error{ErrorKind::invalid_argument, Side::client, std::move(detail)};
}

Error switched_off() {
  return Error{ErrorKind::rule_denied, Side::self, "The cache is switched off in the configuration (cache.enabled)."};
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
  if (name == "user") {
    if (!value.is_string()) return wrong("\"user\" must be a name");
    return PurgeScopes{PurgeScope::of_person(std::string{value.get_string()})};
  }
  if (name == "site") {
    if (!value.is_string()) return wrong("\"site\" must be the name of a host");
    const std::string site = graph::site_of(value.get_string());
    if (site.empty()) return wrong("\"site\" must be the name of a host, without a port; for one port use \"prefix\"");
    return PurgeScopes{PurgeScope::prefix(site)};
  }
  const Result<Url> url = http_url(value);
  if (!url) return url.error();
  // A key has the path as the client sent it, which need not be as a browser would have written it: both are meant.
  const std::string as_browsers_write_it = std::string{url->pathname()} + std::string{url->search()};
  const std::string_view typed = value.get_string();
  // Browsers take a backslash for a slash, and do without the slashes: then only they know what was meant.
  const std::size_t slashes = typed.find("://");
  const bool is_plain = slashes != typed.npos && typed.find('\\') > typed.find_first_of("/?", slashes + 3);
  const std::string as_typed = is_plain ? path_and_query_of(typed.substr(0, typed.find('#'))) : as_browsers_write_it;
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

// The store's coroutines run on any reactor, and this thread may wait: it gets one of its own for the moment.
template <class T>
Result<T> wait_for(Task<Result<T>> task) {
  asio::io_context here{1};
  std::optional<Result<T>> outcome;
  std::exception_ptr failure;
  auto done = [&](std::exception_ptr thrown, Result<T> result) {
    failure = std::move(thrown);
    outcome.emplace(std::move(result));
  };
  asio::co_spawn(here.get_executor(), std::move(task), std::move(done));
  here.run();
  if (failure) std::rethrow_exception(failure);
  return std::move(*outcome);
}

Task<Result<EntryPtr>> find(Store& store, CacheKey key) {
  EntryPtr entry = co_await store.find(key);
  co_return entry;
}

std::string time_of(WallTime time) {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

json::object variant_of(const StoredVariant& variant, const CacheRules& rules, WallTime now) {
  const StoredHead& head = variant.head;
  const FreshnessFacts facts = read_facts(head.response, head.response_time);
  const std::int64_t age = current_age(head, now).count();
  const std::int64_t lifetime = freshness_lifetime(facts, rules).seconds.count();
  json::object out{{"status", head.response.status},
                   {"content_type", head.response.headers.find(HeaderId::content_type).value_or("")},
                   {"bytes", head.body_length},
                   {"received", time_of(head.response_time)},
                   {"age_seconds", age},
                   {"lifetime_seconds", lifetime},
                   {"fresh", age < lifetime && !head.invalidated},
                   {"invalidated", head.invalidated},
                   {"partial", head.range.has_value()}};
  return out;
}

}  // namespace

Result<PurgeScopes> parse_purge(std::string_view text, WallTime now) {
  boost::system::error_code failed;
  const json::value value = json::parse(text, failed);
  if (failed || !value.is_object()) return wrong("the body is not a JSON object");
  std::optional<PurgeScopes> scopes;
  std::optional<WallTime> received_before, received_since;
  bool forget = false;
  for (const json::key_value_pair& member : value.get_object()) {
    const std::string_view name = member.key();
    if (name == "older_than") {
      if (!member.value().is_string()) return wrong("\"older_than\" must be a time such as \"30d\"");
      const Parsed<Duration> age = parse_duration(member.value().get_string());
      if (!age.value) return wrong("\"older_than\" " + age.problem);
      received_before = now - std::chrono::duration_cast<WallTime::duration>(*age.value);
    } else if (name == "last") {
      if (scopes) return wrong("only one of url, prefix, site, user, last, all can be given");
      if (!member.value().is_string()) return wrong("\"last\" must be a time such as \"1h\"");
      const Parsed<Duration> age = parse_duration(member.value().get_string());
      if (!age.value) return wrong("\"last\" " + age.problem);
      received_since = now - std::chrono::duration_cast<WallTime::duration>(*age.value);
      scopes = PurgeScopes{PurgeScope::all()};
    } else if (name == "forget") {
      if (!member.value().is_bool()) return wrong("\"forget\" must be true or false");
      forget = member.value().get_bool();
    } else if (name == "url" || name == "prefix" || name == "site" || name == "user" || name == "all") {
      if (scopes) return wrong("only one of url, prefix, site, user, last, all can be given");
      Result<PurgeScopes> given = scopes_of(name, member.value());
      if (!given) return given.error();
      scopes = std::move(*given);
    } else {
      return wrong("there is no \"" + std::string{name} +
                   "\": expected url, prefix, site, user, last, all, older_than or forget");
    }
  }
  if (!scopes) return wrong("one of url, prefix, site, user, last, all must be given");
  for (PurgeScope& scope : *scopes) {
    scope.received_before = received_before;
    scope.received_since = received_since;
    scope.forget = forget;
  }
  return std::move(*scopes);
}

Result<json::object> CacheControlPort::stats() const {
  if (cache_.store == nullptr) return switched_off();
  return stats_of(*cache_.store);
}

Result<json::object> CacheControlPort::purge(std::string_view question, WallTime now) {
  if (cache_.store == nullptr) return switched_off();
  Result<PurgeScopes> scopes = parse_purge(question, now);
  if (!scopes) return scopes.error();
  PurgeReport all;
  for (PurgeScope& scope : *scopes) {
    const Result<PurgeReport> purged = wait_for(cache_.store->purge(std::move(scope)));
    if (!purged) return purged.error();
    all.entries += purged->entries;
    all.bytes += purged->bytes;
  }
  return json::object{{"entries", all.entries}, {"bytes", all.bytes}};
}

Result<json::object> CacheControlPort::lookup(std::string_view text, WallTime now) {
  if (cache_.store == nullptr) return switched_off();
  const Result<Url> url = http_url(json::value(text));
  if (!url) return url.error();
  const std::string path = std::string{url->pathname()} + std::string{url->search()};
  const Result<EntryPtr> entry = wait_for(find(*cache_.store, CacheKey::of(*url, path, "", cache_.store->secret())));
  if (!entry) return entry.error();
  json::array variants;
  if (*entry)
    for (const VariantPtr& variant : (*entry)->variants) variants.push_back(variant_of(*variant, CacheRules{}, now));
  return json::object{{"url", url->href()}, {"kept", !variants.empty()}, {"variants", std::move(variants)}};
}

}  // namespace outrider
