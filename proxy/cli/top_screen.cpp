#include "proxy/cli/top_screen.hpp"

#include "base/escape.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace outrider::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kMinute = 60;
constexpr std::size_t kKept = 200;
constexpr std::size_t kMostTasks = 8;

std::uint64_t number(const json::value& object, std::string_view name) {
  const json::value* value = object.is_object() ? object.get_object().if_contains(name) : nullptr;
  boost::system::error_code none;
  const auto count = value == nullptr ? 0 : value->to_number<std::uint64_t>(none);
  return none ? 0 : count;
}

// Safe for a terminal: addresses are written by strangers.
std::string text(const json::value& object, std::string_view name) {
  const json::value* value = object.is_object() ? object.get_object().if_contains(name) : nullptr;
  return value != nullptr && value->is_string() ? one_line(value->get_string()) : std::string{};
}

// "19:20:05" of "2026-11-16T19:20:05.123Z"
std::string clock_of(const std::string& time) {
  return time.size() >= 19 ? time.substr(11, 8) : time;
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  static constexpr std::array<std::string_view, 4> kUnits = {"kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return value < 10 ? fmt::format("{:.1f} {}", value, kUnits[unit]) : fmt::format("{:.0f} {}", value, kUnits[unit]);
}

std::string cut_to(std::string_view text, std::size_t columns) {
  std::size_t at = 0, shown = 0;
  while (at < text.size() && shown < columns) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    ++shown;
  }
  return std::string{text.substr(0, at)};
}

bool TopScreen::take(std::string_view kind, const json::value& event) {
  if (kind == "hello") {
    version_ = text(event, "version");
    last_.reset();  // perhaps another run, whose counters begin at 0
  } else if (kind == "exchange") {
    const json::value* ms = event.is_object() ? event.get_object().if_contains("ms") : nullptr;
    boost::system::error_code none;
    const double took = ms != nullptr && ms->is_object() && ms->get_object().contains("total")
                            ? ms->at("total").to_number<double>(none)
                            : 0;
    exchanges_.push_front(fmt::format("{}  {:>3}  {:<11} {:>8}  {:>7.0f} ms  {} {}", clock_of(text(event, "time")),
                                      number(event, "status"), text(event, "cache"),
                                      human_bytes(number(event, "bytes_out")), took, text(event, "method"),
                                      text(event, "url")));
    if (exchanges_.size() > kKept) exchanges_.pop_back();
  } else if (kind == "task") {
    note(event);
  } else if (kind == "stats") {
    count(event);
    return true;
  }
  return false;
}

void TopScreen::count(const json::value& totals) {
  at_ = text(totals, "at");
  const Totals now{number(totals, "exchanges"), number(totals, "bytes_out"), number(totals, "from_cache"),
                   number(totals, "from_origin"), number(totals, "connections")};
  if (last_ && now.exchanges >= last_->exchanges) {
    const std::uint64_t hits = now.from_cache - last_->from_cache;
    seconds_.push_back({now.exchanges - last_->exchanges, now.bytes_out - last_->bytes_out, hits,
                        hits + now.from_origin - last_->from_origin});
    if (seconds_.size() > kMinute) seconds_.pop_front();
  }
  last_ = now;
  robot_rate_ = std::exchange(robot_pages_, 0);
}

void TopScreen::note(const json::value& task) {
  const std::uint64_t id = number(task, "id");
  const json::value* counts = task.get_object().if_contains("statistics");
  const auto known = works_.find(id);
  Work work;
  if (counts != nullptr) {
    work.loaded = number(*counts, "downloaded") + number(*counts, "cache_hits");
    work.failed = number(*counts, "failed");
    work.open = number(*counts, "pending");
    if (known != works_.end() && work.loaded > known->second.loaded) robot_pages_ += work.loaded - known->second.loaded;
  }
  if (text(task, "state") != "running") {
    works_.erase(id);
    return;
  }
  const std::string name = text(task, "name");
  work.words = fmt::format("{}{}{}", name, name.empty() ? "" : "  ", text(task, "start"));
  works_[id] = std::move(work);
}

std::uint64_t TopScreen::hit_percent() const {
  std::uint64_t hits = 0, all = 0;
  for (const Second& second : seconds_) {
    hits += second.hits;
    all += second.all;
  }
  return all == 0 ? 0 : 100 * hits / all;
}

// Requests a second, one column each, in eighths of a line.
std::string TopScreen::chart(std::size_t width) const {
  static constexpr std::array<std::string_view, 9> kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::uint64_t most = 1;
  for (const Second& second : seconds_) most = std::max(most, second.exchanges);
  std::string bars;
  const std::size_t shown = std::min(width, seconds_.size());
  for (std::size_t i = seconds_.size() - shown; i < seconds_.size(); ++i)
    bars += kBars[(seconds_[i].exchanges * 8 + most - 1) / most];
  return bars;
}

std::string TopScreen::line() const {
  const Second second = seconds_.empty() ? Second{} : seconds_.back();
  return fmt::format("{} requests={}/s bytes={}/s from_memory={}% connections={} tasks={} robot={}/s", clock_of(at_),
                     second.exchanges, second.bytes, hit_percent(), last_ ? last_->connections : 0, works_.size(),
                     robot_rate_);
}

json::value TopScreen::json() const {
  const Second second = seconds_.empty() ? Second{} : seconds_.back();
  return json::object{{"at", at_},
                      {"requests", second.exchanges},
                      {"bytes", second.bytes},
                      {"from_memory_percent", hit_percent()},
                      {"connections", last_ ? last_->connections : 0},
                      {"tasks", works_.size()},
                      {"robot_pages", robot_rate_}};
}

std::string TopScreen::screen(std::size_t columns, std::size_t rows) const {
  const Second second = seconds_.empty() ? Second{} : seconds_.back();
  std::vector<std::string> lines;
  lines.push_back(fmt::format("Outrider {}   {}   Ctrl-C ends", version_, clock_of(at_)));
  lines.push_back(fmt::format("{} requests/s   {}/s   {} % from memory   {} connections   robot {} pages/s",
                              second.exchanges, human_bytes(second.bytes), hit_percent(),
                              last_ ? last_->connections : 0, robot_rate_));
  lines.push_back(chart(columns));
  std::size_t tasks = 0;
  for (const auto& [id, work] : works_) {
    if (++tasks > kMostTasks) break;
    lines.push_back(fmt::format("task {:<4} {} loaded, {} failed, {} open  {}", id, work.loaded, work.failed, work.open,
                                work.words));
  }
  lines.emplace_back();
  lines.emplace_back("TIME    STATUS  CACHE           SIZE        TOOK  ADDRESS");
  for (const std::string& exchange : exchanges_) {
    if (lines.size() + 1 >= rows) break;
    lines.push_back(exchange);
  }
  std::string all;
  for (std::size_t i = 0; i < std::min(lines.size(), rows); ++i) all += cut_to(lines[i], columns) + "\n";
  return all;
}

}  // namespace outrider::cli
