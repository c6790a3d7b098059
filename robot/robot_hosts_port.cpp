// What the robot knows of hosts, for people.
#include "robot/robot.hpp"

#include <fmt/format.h>

namespace outrider {
namespace {

std::string_view to_string(RobotsState state) {
  switch (state) {
    case RobotsState::rules:
      return "rules";
    case RobotsState::everything:
      return "everything";
    case RobotsState::nothing:
      return "nothing";
    case RobotsState::unknown:
      break;
  }
  return "unknown";
}

Error no_such(std::string_view host) {
  return {ErrorKind::not_found, Side::client, fmt::format("the robot knows no host {}", host)};
}

}  // namespace

RobotHost RobotEngine::shown(std::string_view name, const Host& host) const {
  RobotHost out;
  out.host = name;
  out.address = host.address;
  out.robots = to_string(host.robots.state());
  out.robots_fetched = host.robots.fetched();
  out.robots_again = host.robots.fetch_at();
  out.robots_status = host.robots.last_status();
  out.sitemaps = host.robots.sitemaps();
  out.crawl_delay = host.robots.crawl_delay();
  out.last_error = host.last_error;
  out.last_error_at = host.last_error_at;
  out.under_way = host.under_way;
  out.fetched = host.fetched;
  out.failed = host.failed;
  const Result<Url> url = Url::parse(name);
  if (!url) return out;
  if (is_lab(*url)) {
    out.gap_reason = "lab: no politeness";
    return out;
  }
  const std::optional<Politeness::HostView> pace = polite_->view(*url);
  if (!pace) return out;
  out.gap = pace->gap;
  out.gap_reason = pace->reason;
  out.latency = pace->latency;
  out.failures = pace->failures;
  const SteadyTime now = reactor_.clock().steady();
  if (pace->not_before > now)
    out.not_before = reactor_.clock().now() + std::chrono::duration_cast<WallTime::duration>(pace->not_before - now);
  out.blocked = pace->failures > 0 && pace->not_before > now;
  return out;
}

std::vector<RobotHost> RobotEngine::hosts(const RobotHostQuery& query) const {
  return on_thread([this, &query] {
    std::vector<RobotHost> found;
    for (auto each = hosts_.upper_bound(query.after); each != hosts_.end() && found.size() < query.limit; ++each) {
      if (each->first.find(query.contains) == std::string::npos) continue;
      RobotHost host = shown(each->first, each->second);
      if (!query.only_blocked || host.blocked) found.push_back(std::move(host));
    }
    return found;
  });
}

// By any URL of it.
Result<RobotHost> RobotEngine::host(std::string_view text) const {
  const Result<Url> url = Url::parse(text);
  if (!url || !url->is_http()) return no_such(text);
  const std::string name{host_of(url->href())};
  return on_thread([this, &name]() -> Result<RobotHost> {
    if (const auto found = hosts_.find(name); found != hosts_.end()) return shown(name, found->second);
    Host from_disk;
    const std::optional<std::string> note = frontier_->note(robots_note(name));
    if (!note) return no_such(name);
    from_disk.robots = RobotsRules::load(*note, options_.settings).value_or(RobotsRules{});
    return shown(name, from_disk);
  });
}

Result<void> RobotEngine::clear_block(std::string_view text) {
  const Result<RobotHost> known = host(text);
  if (!known) return known.error();
  on_thread([this, &known] {
    if (const Result<Url> url = Url::parse(known->host)) polite_->forgive(*url);
    Host& state = host_state(known->host);
    state.blocked = false;
    if (!state.learning) set_open(known->host, true);
    wake_.notify();
    return true;
  });
  return {};
}

Result<void> RobotEngine::fetch_robots_again(std::string_view text) {
  const Result<RobotHost> known = host(text);
  if (!known) return known.error();
  on_thread([this, &known] {
    Host& state = host_state(known->host);
    if (state.robots.state() == RobotsState::unknown) {
      if (const std::optional<std::string> note = frontier_->note(robots_note(known->host)))
        state.robots = RobotsRules::load(*note, options_.settings).value_or(RobotsRules{});
    }
    state.robots.fetch_soon();
    frontier_->set_note(robots_note(known->host), state.robots.save(options_.settings));
    if (!state.learning) set_open(known->host, true);
    wake_.notify();
    return true;
  });
  return {};
}

}  // namespace outrider
