#include "plugins/linkcheck/report_shelf.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>

namespace outrider {
namespace {

constexpr std::string_view kPrefix = "report-";

}  // namespace

std::string ReportShelf::key_of(std::uint64_t id) {
  return fmt::format("{}{}", kPrefix, id);
}

ReportShelf::Entry ReportShelf::entry_of(const LinkReport& report) {
  return {report.user, report.url, summary_json(report), report.remembered, report.state == LinkReport::State::running};
}

std::uint64_t ReportShelf::load(WallTime now) {
  std::uint64_t greatest = 0;
  const Result<std::vector<std::string>> keys = store_.keys();
  if (!keys) return greatest;
  for (const std::string& key : *keys) {
    if (!key.starts_with(kPrefix)) continue;
    const Result<std::optional<std::string>> text = store_.get(key);
    if (!text || !*text) continue;
    Result<LinkReport> report = report_from_json(**text);
    if (!report || key_of(report->id) != key) {
      (void)store_.remove(key);  // nobody can read it
      continue;
    }
    greatest = std::max(greatest, report->id);
    if (report->state == LinkReport::State::running) {
      report->state = LinkReport::State::interrupted;
      report->why = "Outrider was stopped meanwhile";
      report->ended = now;
      (void)store_.put(key, boost::json::serialize(to_json(*report)));
    }
    entries_[report->id] = entry_of(*report);
  }
  return greatest;
}

// A value has a largest size. Which links there are is worth more than where else they stand.
Result<void> ReportShelf::store(const LinkReport& report) {
  Result<void> stored;
  for (const std::size_t places : {CheckedLink::kMostPlaces, std::size_t{1}, std::size_t{0}}) {
    stored = store_.put(key_of(report.id), boost::json::serialize(to_json(report, places)));
    if (stored || stored.error().kind != ErrorKind::invalid_argument) break;
  }
  return stored;
}

// What cannot be stored is listed as it is all the same, until the next start.
Result<void> ReportShelf::put(const LinkReport& report, std::size_t keep) {
  Result<void> stored = store(report);
  entries_[report.id] = entry_of(report);
  // Somebody waits for the one that comes now, however long ago its check began.
  const auto may_go = [&report](const auto& entry) { return !entry.second.running && entry.first != report.id; };
  const std::size_t others = keep - std::min<std::size_t>(keep, entries_[report.id].running ? 0 : 1);
  auto over = static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), may_go));
  for (; over > others; --over) remove(std::find_if(entries_.begin(), entries_.end(), may_go)->first);
  return stored;
}

std::optional<LinkReport> ReportShelf::get(std::uint64_t id) const {
  if (!entries_.contains(id)) return std::nullopt;
  const Result<std::optional<std::string>> text = store_.get(key_of(id));
  if (!text || !*text) return std::nullopt;
  Result<LinkReport> report = report_from_json(**text);
  if (!report) return std::nullopt;
  if (report->state == LinkReport::State::running && !entries_.at(id).running) {
    report->state = LinkReport::State::interrupted;
    report->why = "its end could not be stored";
  }
  return std::move(*report);
}

bool ReportShelf::sweep(const IsKnown& is_known, std::size_t at_once) {
  std::vector<std::uint64_t> gone;
  auto at = entries_.upper_bound(swept_);
  for (; at != entries_.end() && at_once > 0; ++at, --at_once) {
    Entry& entry = at->second;
    swept_ = at->first;
    const bool known = is_known(entry.user, entry.url);
    if (!known && entry.remembered) gone.push_back(at->first);
    if (!known || entry.remembered) continue;
    std::optional<LinkReport> report = get(at->first);
    if (!report || report->state == LinkReport::State::running) continue;
    report->remembered = true;
    if (store(*report)) entry = entry_of(*report);
  }
  if (at == entries_.end()) swept_ = 0;
  for (const std::uint64_t id : gone) remove(id);
  return !gone.empty();
}

void ReportShelf::remove(std::uint64_t id) {
  (void)store_.remove(key_of(id));
  entries_.erase(id);
}

}  // namespace outrider
