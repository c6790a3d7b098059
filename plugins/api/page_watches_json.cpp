#include "plugins/api/page_watches_json.hpp"

#include <boost/json.hpp>

namespace outrider {
namespace {

namespace json = boost::json;

// Milliseconds since 1970; never = null.
json::value write(WallTime at) {
  if (at == WallTime{}) return nullptr;
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

json::value write(const std::optional<WatchNews>& news) {
  if (!news) return nullptr;
  return to_json(*news);
}

}  // namespace

json::object to_json(const WatchNews& news) {
  return {{"url", news.url},      {"kind", news.kind},        {"diff", news.diff},        {"detail", news.detail},
          {"at", write(news.at)}, {"next", write(news.next)}, {"why_next", news.why_next}};
}

json::object to_json(const WatchedPage& page) {
  json::object out{{"url", page.url},
                   {"owner", page.owner},
                   {"every", nullptr},
                   {"next", write(page.next)},
                   {"looks", page.looks},
                   {"last", write(page.last)},
                   {"last_change", write(page.last_change)}};
  if (page.every) out["every"] = page.every->count();
  return out;
}

}  // namespace outrider
