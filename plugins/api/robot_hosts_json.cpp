#include "plugins/api/robot_hosts_json.hpp"

#include <boost/json.hpp>

namespace outrider {
namespace {

namespace json = boost::json;

json::value write(WallTime at) {
  if (at == WallTime{}) return nullptr;
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}
std::int64_t millis(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

json::object to_json(const RobotHost& host) {
  json::array sitemaps;
  for (const std::string& sitemap : host.sitemaps) sitemaps.emplace_back(sitemap);
  json::object out{{"host", host.host},
                   {"address", host.address},
                   {"robots", host.robots},
                   {"robots_fetched", write(host.robots_fetched)},
                   {"robots_again", write(host.robots_again)},
                   {"robots_status", host.robots_status},
                   {"sitemaps", std::move(sitemaps)},
                   {"crawl_delay", nullptr},
                   {"gap", millis(host.gap)},
                   {"gap_reason", host.gap_reason},
                   {"latency", millis(host.latency)},
                   {"not_before", write(host.not_before)},
                   {"blocked", host.blocked},
                   {"failures", host.failures},
                   {"last_error", host.last_error},
                   {"last_error_at", write(host.last_error_at)},
                   {"under_way", host.under_way},
                   {"fetched", host.fetched},
                   {"failed", host.failed}};
  if (host.crawl_delay) out["crawl_delay"] = millis(*host.crawl_delay);
  return out;
}

}  // namespace outrider
