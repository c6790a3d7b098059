#include "robot/frontier_codec.hpp"

#include "robot/strategies/strategy.hpp"

#include <cstring>
#include <type_traits>

namespace outrider {
namespace {

constexpr std::size_t kSeenHead = 1 + 1 + 2 + 4 + 1;
constexpr std::size_t kEntryHead = 16 + 2 + 2 + 1 + 1;
constexpr std::uint8_t kAgain = 1, kSitemap = 2, kRevisit = 4, kFound = 8;
constexpr char kStatisticsVersion = 1;

template <class T>
void put(std::string& out, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T take(std::string_view& in) {
  T value;
  std::memcpy(&value, in.data(), sizeof value);
  in.remove_prefix(sizeof value);
  return value;
}

}  // namespace

std::string encode_seen(const SeenRecord& record) {
  std::string out;
  out.reserve(kSeenHead + record.key.size() + record.detail.size());
  put(out, record.state);
  put(out, record.reason);
  put(out, record.remaining);
  put(out, record.in_degree);
  put(out, static_cast<std::uint8_t>(record.key.size()));
  out += record.key;
  out += record.detail;
  return out;
}

std::optional<SeenRecord> decode_seen(std::string_view bytes) {
  if (bytes.size() < kSeenHead) return std::nullopt;
  SeenRecord record;
  record.state = take<UrlFate::State>(bytes);
  record.reason = take<Reason>(bytes);
  record.remaining = take<RemainingDepth>(bytes);
  record.in_degree = take<std::uint32_t>(bytes);
  const auto length = take<std::uint8_t>(bytes);
  if (length > bytes.size()) return std::nullopt;
  record.key = bytes.substr(0, length);
  record.detail = bytes.substr(length);
  return record;
}

std::optional<std::string> without_words(std::string_view record) {
  const std::optional<SeenRecord> seen = decode_seen(record);
  if (!seen || seen->state != UrlFate::State::rejected || seen->detail.empty()) return std::nullopt;
  return std::string{record.substr(0, record.size() - seen->detail.size())};
}

std::string encode_entry(const QueueEntry& entry) {
  const auto found = std::chrono::duration_cast<std::chrono::seconds>(entry.found.time_since_epoch()).count();
  std::string out;
  out.reserve(kEntryHead + sizeof(std::uint32_t) + entry.url.size());
  put(out, entry.id.low);
  put(out, entry.id.high);
  put(out, entry.remaining);
  put(out, entry.depth);
  put(out, entry.redirects);
  put(out, static_cast<std::uint8_t>((entry.again ? kAgain : 0) | (entry.sitemap ? kSitemap : 0) |
                                     (entry.revisit ? kRevisit : 0) | (found > 0 ? kFound : 0)));
  if (found > 0) put(out, static_cast<std::uint32_t>(found));
  out += entry.url;
  return out;
}

std::optional<QueueEntry> decode_entry(std::string_view key, std::string_view bytes) {
  if (bytes.size() < kEntryHead) return std::nullopt;
  QueueEntry entry;
  entry.key = key;
  entry.id.low = take<std::uint64_t>(bytes);
  entry.id.high = take<std::uint64_t>(bytes);
  entry.remaining = take<RemainingDepth>(bytes);
  entry.depth = take<std::uint16_t>(bytes);
  entry.redirects = take<std::uint8_t>(bytes);
  const auto flags = take<std::uint8_t>(bytes);
  entry.again = (flags & kAgain) != 0;
  entry.sitemap = (flags & kSitemap) != 0;
  entry.revisit = (flags & kRevisit) != 0;
  if ((flags & kFound) != 0) {  // older versions did not write it down
    if (bytes.size() < sizeof(std::uint32_t)) return std::nullopt;
    entry.found = WallTime{std::chrono::seconds{take<std::uint32_t>(bytes)}};
  }
  entry.url = bytes;
  return entry;
}

std::string encode_statistics(const TaskStatistics& statistics) {
  static_assert(std::is_trivially_copyable_v<TaskStatistics>);
  std::string out(1, kStatisticsVersion);
  put(out, statistics);
  return out;
}

std::optional<TaskStatistics> decode_statistics(std::string_view bytes) {
  if (bytes.size() != 1 + sizeof(TaskStatistics) || bytes.front() != kStatisticsVersion) return std::nullopt;
  bytes.remove_prefix(1);
  auto statistics = take<TaskStatistics>(bytes);
  statistics.under_way = 0;
  return statistics;
}

std::string task_prefix(TaskId task) {
  std::string key;
  append_rising(key, task, 4);
  return key;
}

SeenKey seen_key(TaskId task, const UrlId& id) {
  SeenKey key;
  for (int i = 0; i < 4; ++i) key[static_cast<std::size_t>(i)] = static_cast<char>(task >> (8 * (3 - i)));
  std::memcpy(key.data() + 4, &id.low, 8);
  std::memcpy(key.data() + 12, &id.high, 8);
  return key;
}

}  // namespace outrider
