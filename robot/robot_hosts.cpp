// What has to be known of a host before its first page is asked for: where it is, and its robots.txt.
#include "base/log.hpp"
#include "robot/robot.hpp"

namespace outrider {
namespace {

constexpr Duration kLookUpWithin = std::chrono::seconds{10};

std::string robots_note(const std::string& host) {
  return "robots " + host;
}

}  // namespace

Task<> RobotEngine::learn(std::string host, bool robots) {
  const Result<Url> url = Url::parse(host + "/robots.txt");
  RobotsRules known = host_state(host).robots;
  if (robots && known.state() == RobotsState::unknown) {
    if (const std::optional<std::string> note = frontier_->note(robots_note(host)))
      known = RobotsRules::load(*note, options_.settings).value_or(RobotsRules{});
  }
  if (url && !host_state(host).resolved) {
    std::string address = co_await find_address(*url);
    host_state(host).address = std::move(address);
  }
  host_state(host).resolved = true;
  if (url && robots && known.must_fetch(reactor_.clock().now())) {
    RobotsRules learnt = co_await fetch_robots(host, std::move(known));
    known = std::move(learnt);
    if (!is_lab(*url)) frontier_->set_note(robots_note(host), known.save(options_.settings));
  }
  Host& state = host_state(host);
  state.robots = std::move(known);
  state.learning = false;
  if (url) pacing_of(*url).set_crawl_delay(*url, state.robots.crawl_delay());
  set_open(host, true);
  pump();
}

// Ten thousand names of one machine are one machine. Behind a parent proxy nobody knows.
Task<std::string> RobotEngine::find_address(Url url) {
  if (is_lab(url)) co_return "";
  if (options_.rules.parent && options_.rules.parent(url.hostname(), url.effective_port())) co_return "";
  std::string name{url.hostname()};
  if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
  const Result<Addresses> found = co_await resolver_.resolve(name, Deadline::after(kLookUpWithin));
  if (!found || found->empty()) co_return "";
  co_return found->front().to_string();
}

// RFC 9309 section 2.3: redirects are followed, and the rules are those of the host that was asked first.
Task<RobotsRules> RobotEngine::fetch_robots(std::string host, RobotsRules known) {
  Result<Url> url = Url::parse(host + "/robots.txt");
  RobotsFetch result;
  Fetched fetched;
  for (int redirects = 0; url && url->is_http() && redirects <= kRobotsRedirects; ++redirects) {
    for (;;) {  // it is a request like others
      const Duration wait = pacing_of(*url).begin(*url, redirects == 0 ? host_state(host).address : "");
      if (wait == Duration::zero()) break;
      Timer pause{reactor_.executor()};
      pause.expires_after(wait == Pacing::kUntilEnd ? std::chrono::milliseconds{100} : wait);
      const auto [cancelled] = co_await pause.async_wait(as_result);
      if (cancelled || stopping_) co_return known;
    }
    const FetchOrder order = order_for(nullptr, *url, false);
    fetched = co_await fetcher_.fetch(order);
    request_ended(std::string{host_of(url->href())}, *url, fetched);
    result.status = fetched.error ? 0 : fetched.status;
    const auto location = fetched.headers.find(HeaderId::location);
    if (result.status < 300 || result.status >= 400 || !location) break;
    const Url base = *url;
    url = Url::parse(*location, &base);
  }
  if (result.status == 200) result.body = fetched.body;
  if (const auto age = parse_response_directives(fetched.headers).max_age) result.max_age = *age;
  RobotsRules rules = known.after(result, options_.settings, reactor_.clock().now());
  co_return rules;
}

}  // namespace outrider
