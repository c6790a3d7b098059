// What the robot knows of hosts: robots.txt, pace, troubles; and the two things that a person can do about them.
#include "plugins/api/robot_hosts_json.hpp"
#include "webui/paging.hpp"
#include "webui/routes.hpp"

#include <boost/json.hpp>

namespace outrider::webui {
namespace {

using HostsHandler = ApiReply (*)(RobotHosts&, const ApiRequest&);

// Times as everywhere in this API.
json::object json_of(const RobotHost& host) {
  json::object out = to_json(host);
  out["robots_fetched"] = shown_or_null(host.robots_fetched);
  out["robots_again"] = shown_or_null(host.robots_again);
  out["not_before"] = shown_or_null(host.not_before);
  out["last_error_at"] = shown_or_null(host.last_error_at);
  return out;
}

ApiReply list(RobotHosts& hosts, const ApiRequest& request) {
  const Result<Page> page = page_of(request, 100, 1000);
  if (!page) return problem_of(page.error());
  RobotHostQuery query;
  query.contains = request.parameter("contains").value_or("");
  query.only_blocked = request.parameter("blocked").value_or("") == "true";
  query.limit = page->limit;
  query.after = page->cursor;
  const std::vector<RobotHost> found = hosts.hosts(query);
  json::array entries;
  for (const RobotHost& host : found) entries.push_back(json_of(host));
  const bool more = found.size() == page->limit;
  return ApiReply::of(json::object{{"hosts", std::move(entries)},
                                   {"next", more ? json::value(found.back().host) : json::value(nullptr)}});
}

ApiReply shown_host(RobotHosts& hosts, std::string_view name) {
  const Result<RobotHost> found = hosts.host(name);
  return found ? ApiReply::of(json_of(*found)) : problem_of(found.error());
}

ApiReply one(RobotHosts& hosts, const ApiRequest& request) {
  return shown_host(hosts, request.in_path("host"));
}

template <Result<void> (RobotHosts::*action)(std::string_view)>
ApiReply tell(RobotHosts& hosts, const ApiRequest& request) {
  const std::string_view name = request.in_path("host");
  if (const Result<void> done = (hosts.*action)(name); !done) return problem_of(done.error());
  return shown_host(hosts, name);
}

}  // namespace

void add_host_routes(Router& router, const Ports& ports) {
  const auto add = [&](Method method, std::string_view pattern, Role needed, HostsHandler handler) {
    router.add(method, pattern, needed, [&ports, handler](const ApiRequest& request) {
      if (ports.hosts == nullptr) return no_robot(ports);
      return handler(*ports.hosts, request);
    });
  };
  add(Method::get, "/api/v1/hosts", Role::reader, list);
  add(Method::get, "/api/v1/hosts/{host}", Role::reader, one);
  add(Method::post, "/api/v1/hosts/{host}/unblock", Role::admin, tell<&RobotHosts::clear_block>);
  add(Method::post, "/api/v1/hosts/{host}/robots", Role::admin, tell<&RobotHosts::fetch_robots_again>);
}

}  // namespace outrider::webui
