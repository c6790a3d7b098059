#include "proxy/tls_api.hpp"

#include <fmt/chrono.h>
#include <boost/json.hpp>

namespace outrider {
namespace {

namespace json = boost::json;

constexpr std::string_view kPinned = "/api/v1/tls/pinned";

Answer problem(int status, std::string_view title, std::string_view detail, const AnswerFrame& frame) {
  const json::object body{{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}};
  return make_answer(status, "application/problem+json", json::serialize(body) + "\n", frame);
}

Answer reply(const json::object& body, const AnswerFrame& frame) {
  return make_answer(200, "application/json", json::serialize(body) + "\n", frame);
}

std::string shown(WallTime time) {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

json::object listed(PinnedHosts& pinned, WallTime now) {
  json::array entries;
  for (const PinnedHosts::Entry& entry : pinned.list(now))
    entries.push_back(json::object{{"host", entry.host},
                                   {"client", entry.client},
                                   {"reason", entry.reason},
                                   {"since", shown(entry.since)},
                                   {"until", shown(entry.until)}});
  return {{"pinned", std::move(entries)}};
}

}  // namespace

Answer tls_api_answer(std::string_view path, Method method, PinnedHosts& pinned, WallTime now,
                      const AnswerFrame& frame) {
  const bool all = path == kPinned;
  const std::string_view host = all || !path.starts_with(kPinned) ? "" : path.substr(kPinned.size() + 1);
  if (!all && (host.empty() || path[kPinned.size()] != '/'))
    return problem(404, "Not Found", "There is nothing at this address.", frame);
  if (method == Method::del) {
    const std::size_t removed = all ? pinned.clear() : pinned.remove(host);
    return reply({{"removed", removed}}, frame);
  }
  if (!all || (method != Method::get && method != Method::head))
    return problem(405, "Method Not Allowed", all ? "Use GET or DELETE." : "Use DELETE.", frame);
  return reply(listed(pinned, now), frame);
}

}  // namespace outrider
