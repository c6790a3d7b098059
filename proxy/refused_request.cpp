#include "proxy/refused_request.hpp"

#include "base/log.hpp"
#include "proxy/proxy_shared.hpp"

namespace outrider {
namespace {

constexpr std::size_t kLongestTarget = 1024;  // what was refused may be refused for its length

}  // namespace

void record(ProxyShared& shared, const RefusedRequest& refused) {
  shared.counters.finished(refused.status, 0, refused.bytes_out, refused.took, std::nullopt);
  const bool watched = shared.feed.wanted();
  if (!shared.access_log.wanted() && !watched) return;
  ExchangeRecord record;
  record.id = refused.id.to_string();
  record.time = Clock::system().now() - std::chrono::duration_cast<WallTime::duration>(refused.took);
  record.client = refused.client.to_string();
  record.protocol = refused.protocol;
  if (refused.head != nullptr && !refused.head->target.empty()) {
    record.method = refused.head->method_text.substr(0, kLongestTarget);
    record.url = log::safe_url(std::string_view{refused.head->target}.substr(0, kLongestTarget));
  }
  record.status = refused.status;
  record.bytes_out = refused.bytes_out;
  record.error = refused.error;
  record.timings.total = refused.took;
  if (shared.access_log.wanted()) shared.access_log.write(record);
  if (!watched) return;
  if (record.url.empty()) record.method = record.url = "-";  // whoever listens shows both
  shared.feed.publish(std::move(record));
}

}  // namespace outrider
