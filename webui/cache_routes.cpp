#include "base/url.hpp"
#include "webui/problem.hpp"
#include "webui/routes.hpp"

#include <boost/json.hpp>

namespace outrider::webui {
namespace {

ApiReply reply_of(const Result<json::object>& result) {
  if (!result) return problem_of(result.error());
  return ApiReply::of(*result);
}

bool is_meant(std::string_view name, const json::value& value, const Url& url) {
  if (name == "all") return value.is_bool() && value.get_bool();
  if (!value.is_string()) return false;
  const std::string_view text{value.get_string()};
  if (name == "site") {
    const Result<Url> site = Url::parse("http://" + std::string{text} + "/");
    std::string_view host = url.hostname(), above = site ? site->hostname() : text;
    for (std::string_view* one : {&host, &above})
      if (one->ends_with('.')) one->remove_suffix(1);  // both spellings are meant
    return host == above || (host.ends_with(above) && host.substr(0, host.size() - above.size()).ends_with('.'));
  }
  const Result<Url> wanted = Url::parse(text);
  if (!wanted) return false;
  if (name == "url") return url.href_without_fragment() == wanted->href_without_fragment();
  return name == "prefix" && url.href_without_fragment().starts_with(wanted->href_without_fragment());
}

// A watch keeps the text of its page, to see what changes: it ends with what is forgotten.
Result<std::uint64_t> end_watches(PageWatches& watches, std::string_view name, const json::value& value) {
  std::uint64_t ended = 0;
  for (const WatchedPage& page : watches.watched()) {
    const Result<Url> url = Url::parse(page.url);
    const bool theirs = name == "user" && value.is_string() && page.owner == std::string_view{value.get_string()};
    if (!theirs && (!url || !is_meant(name, value, *url))) continue;
    const Result<void> gone = watches.unwatch(page.url);
    if (!gone && gone.error().kind != ErrorKind::not_found) return gone.error();
    ++ended;
  }
  return ended;
}

// Those who were asked to forget, and what they said.
class Answers {
 public:
  // False: the question was wrong.
  bool take(std::string_view part, Result<json::value> done) {
    if (done) {
      report_[part] = std::move(*done);
    } else if (!trouble_ || done.error().kind == ErrorKind::invalid_argument) {
      trouble_ = done.error();
    }
    return !trouble_ || trouble_->kind != ErrorKind::invalid_argument;
  }
  bool take(std::string_view part, const Result<json::object>& done) {
    return take(part, done ? Result<json::value>{json::value(*done)} : Result<json::value>{done.error()});
  }
  ApiReply reply() const { return trouble_ ? problem_of(*trouble_) : ApiReply::of(report_); }

 private:
  json::object report_;
  std::optional<Error> trouble_;
};

// Who watches the pages, what the robot had to do there, the stored copies, what is known of the pages: in this order,
// so that nothing is fetched or read from a copy anew. What fails does not keep the rest from being forgotten.
ApiReply forget(const Ports& ports, const ApiRequest& request, const std::function<void()>& forgotten_all) {
  if (ports.cache == nullptr && ports.memory_control == nullptr) return not_connected("This Outrider keeps nothing.");
  boost::system::error_code failed;
  const json::value body = json::parse(request.body, failed);
  if (failed || !body.is_object() || body.get_object().size() != 1 || body.get_object().contains("forget") ||
      body.get_object().contains("older_than"))
    return bad_request(
        "Say exactly one of {\"url\": …}, {\"prefix\": …}, {\"site\": …}, {\"last\": \"1h\"}, {\"user\": …}, {\"all\": "
        "true}.");
  const json::object& question = body.get_object();
  const std::string_view name = question.begin()->key();
  Answers answers;
  if (ports.watches != nullptr) {
    const Result<std::uint64_t> ended = end_watches(*ports.watches, name, question.begin()->value());
    answers.take("watches", ended ? Result<json::value>{json::value(*ended)} : Result<json::value>{ended.error()});
  }
  if (ports.robot_control != nullptr && !answers.take("robot", ports.robot_control->forget(question)))
    return answers.reply();
  if (ports.cache != nullptr) {
    json::object purge = question;
    purge["forget"] = true;
    const Result<json::object> purged = ports.cache->purge(json::serialize(purge), request.now);
    const bool is_off = !purged && purged.error().kind == ErrorKind::rule_denied;
    if (!is_off && !answers.take("cache", purged)) return answers.reply();
  }
  if (ports.memory_control != nullptr && !answers.take("memory", ports.memory_control->forget(question)))
    return answers.reply();
  forgotten_all();
  return answers.reply();
}

}  // namespace

void add_cache_routes(Router& router, const Ports& ports, std::function<void()> forgotten) {
  static constexpr std::string_view kNone = "This Outrider keeps nothing.";
  router.add(Method::get, "/api/v1/cache", Role::reader, [&ports](const ApiRequest&) {
    if (ports.cache == nullptr) return not_connected(kNone);
    return reply_of(ports.cache->stats());
  });
  router.add(Method::get, "/api/v1/cache/lookup", Role::reader, [&ports](const ApiRequest& request) {
    if (ports.cache == nullptr) return not_connected(kNone);
    const auto url = request.parameter("url");
    if (!url) return bad_request("\"url\" is missing");
    return reply_of(ports.cache->lookup(*url, request.now));
  });
  router.add(Method::post, "/api/v1/cache/purge", Role::admin, [&ports](const ApiRequest& request) {
    if (ports.cache == nullptr) return not_connected(kNone);
    return reply_of(ports.cache->purge(request.body, request.now));
  });
  router.add(Method::post, "/api/v1/forget", Role::admin,
             [&ports, forgotten = std::move(forgotten)](const ApiRequest& request) {
               return forget(ports, request, forgotten);
             });
}

}  // namespace outrider::webui
