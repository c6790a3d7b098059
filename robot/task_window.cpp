#include "robot/task_window.hpp"

#include <algorithm>

namespace outrider {

std::string_view host_of(std::string_view url) {
  const std::size_t slashes = url.find("://");
  if (slashes == std::string_view::npos) return {};
  return url.substr(0, url.find_first_of("/?#", slashes + 3));
}

void TaskWindow::list(Lane& lane) {
  if (!lane.open || lane.entries.empty() || lane.listed) return;
  ready_.emplace(lane.entries.begin()->first, &lane);
  lane.listed = true;
}

void TaskWindow::unlist(Lane& lane) {
  if (!lane.listed) return;
  ready_.erase({lane.entries.begin()->first, &lane});
  lane.listed = false;
}

void TaskWindow::insert(QueueEntry entry) {
  const std::string_view host = host_of(entry.url);
  auto found = lanes_.find(host);
  if (found == lanes_.end()) {
    found = lanes_.emplace(std::string{host}, Lane{}).first;
    found->second.window = this;
    found->second.host = found->first;
    found->second.open = is_open_(host);
  }
  Lane& lane = found->second;
  if (!lane.rest.empty() && entry.key > lane.rest) return;
  unlist(lane);
  std::string key = entry.key;
  if (lane.entries.insert_or_assign(std::move(key), std::move(entry)).second) ++size_;
  if (lane.entries.size() > kLane) shorten(lane);
  list(lane);
}

// The last one is on disk.
void TaskWindow::shorten(Lane& lane) {
  lane.entries.erase(std::prev(lane.entries.end()));
  --size_;
  lane.rest = lane.entries.rbegin()->first;
}

void TaskWindow::read_rest_if_short(Lane& lane) {
  if (lane.rest.empty() || lane.entries.size() > kLane / 2) return;
  if (lane.rest < high_) high_ = lane.rest;
  more_ = true;
  lane.rest.clear();
}

void TaskWindow::add(QueueEntry entry) {
  if (more_ && entry.key > high_) return;  // its turn comes when the disk is read
  if (!more_ && entry.key > high_) high_ = entry.key;
  insert(std::move(entry));
  if (size_ > 2 * kHigh) shrink();
}

void TaskWindow::put_back(QueueEntry entry) {
  taken_.erase(entry.key);
  insert(std::move(entry));
}

// Lets go of the entries whose turn is last: they are on disk.
void TaskWindow::shrink() {
  std::vector<std::pair<std::string_view, Lane*>> all;
  all.reserve(size_);
  for (auto& [host, lane] : lanes_)
    for (const auto& [key, entry] : lane.entries) all.emplace_back(key, &lane);
  std::nth_element(all.begin(), all.begin() + kHigh - 1, all.end());
  // Behind `high_` there may be some that are on disk alone: it never moves forward here.
  if (!more_ || all[kHigh - 1].first < high_) high_ = all[kHigh - 1].first;
  more_ = true;
  for (auto it = lanes_.begin(); it != lanes_.end();) {
    Lane& lane = it->second;
    unlist(lane);
    const auto from = lane.entries.upper_bound(high_);
    size_ -= static_cast<std::size_t>(std::distance(from, lane.entries.end()));
    lane.entries.erase(from, lane.entries.end());
    if (lane.rest >= high_) lane.rest.clear();  // is read with the others
    list(lane);
    it = lane.entries.empty() ? lanes_.erase(it) : std::next(it);
  }
}

QueueEntry* TaskWindow::find(std::string_view key, std::string_view host) {
  const auto lane = lanes_.find(host);
  if (lane == lanes_.end()) return nullptr;
  const auto entry = lane->second.entries.find(key);
  return entry == lane->second.entries.end() ? nullptr : &entry->second;
}

void TaskWindow::erase(std::string_view key, std::string_view host) {
  const auto lane = lanes_.find(host);
  if (lane == lanes_.end()) return;
  const auto entry = lane->second.entries.find(key);
  if (entry == lane->second.entries.end()) return;
  unlist(lane->second);
  lane->second.entries.erase(entry);
  --size_;
  read_rest_if_short(lane->second);
  list(lane->second);
  if (lane->second.entries.empty()) lanes_.erase(lane);
}

QueueEntry TaskWindow::take_first() {
  Lane& lane = *ready_.begin()->second;
  unlist(lane);
  auto node = lane.entries.extract(lane.entries.begin());
  --size_;
  read_rest_if_short(lane);
  list(lane);
  if (lane.entries.empty()) lanes_.erase(lanes_.find(lane.host));
  taken_.insert(node.mapped().key);
  return std::move(node.mapped());
}

void TaskWindow::set_open(std::string_view host, bool open) {
  const auto found = lanes_.find(host);
  if (found == lanes_.end() || found->second.open == open) return;
  Lane& lane = found->second;
  if (!open) unlist(lane);
  lane.open = open;
  list(lane);
}

bool TaskWindow::refill() {
  if (!more_ || size_ >= kHigh) return false;
  // While hosts keep the window waiting it may grow, so that others get their turn, but not without end.
  if (size_ >= kLow && !ready_.empty()) return false;
  std::vector<QueueEntry> loaded;
  more_ = frontier_.load(task_, high_, kLow, loaded);
  if (loaded.empty()) return false;
  high_ = loaded.back().key;
  for (QueueEntry& entry : loaded)
    if (!taken_.contains(entry.key) && find(entry.key, host_of(entry.url)) == nullptr) insert(std::move(entry));
  return true;
}

}  // namespace outrider
