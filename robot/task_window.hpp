// The part of a task's queue that is in memory: the next few thousand entries, in a lane per host, so that a host that
// must not be asked now does not keep the others waiting. The rest is on disk (frontier.hpp) and comes as there is
// room.
//
// Everything on disk that sorts before `high_` and is not under way is in memory, so the smallest entry in memory is
// the smallest of all. Except that a lane holds so many at most: what a slow host has beyond that is read again when
// its lane gets short.
#pragma once

#include "robot/frontier.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace outrider {

class TaskWindow;

// The entries of one task for one host, in their order.
struct Lane {
  TaskWindow* window = nullptr;
  std::string_view host;  // of the map's key
  std::map<std::string, QueueEntry, std::less<>> entries;
  bool open = true;     // the host may be asked
  bool listed = false;  // in TaskWindow::ready_
  std::string rest;     // not "": there are more on disk behind this key
};

// "http://www.example.com:8080": what robots.txt and politeness speak about.
std::string_view host_of(std::string_view url);

class TaskWindow {
 public:
  // `is_open` says of a host that is new to the window whether it may be asked.
  TaskWindow(Frontier& frontier, TaskId task, std::function<bool(std::string_view host)> is_open)
      : frontier_(frontier), task_(task), is_open_(std::move(is_open)) {}
  TaskWindow(const TaskWindow&) = delete;
  TaskWindow& operator=(const TaskWindow&) = delete;

  void add(QueueEntry entry);  // has just been written to disk
  QueueEntry* find(std::string_view key, std::string_view host);
  void erase(std::string_view key, std::string_view host);  // is no more in the queue, or has moved
  // The first entry whose host may be asked; nullptr = none at the moment.
  const QueueEntry* first() const {
    return ready_.empty() ? nullptr : &ready_.begin()->second->entries.begin()->second;
  }
  QueueEntry take_first();  // it is under way now: until done() it is still on disk
  void note_taken(const std::string& key) { taken_.insert(key); }  // from a window before this one
  void put_back(QueueEntry entry);                                 // was taken, and has to be tried again
  void done(const std::string& key) { taken_.erase(key); }

  void set_open(std::string_view host, bool open);
  bool refill();                                       // true: something came
  bool empty() const { return size_ == 0 && !more_; }  // nothing waits, neither here nor on disk
  std::size_t size() const { return size_; }
  template <class Visit>
  void each_lane(Visit&& visit) const {
    for (const auto& [host, lane] : lanes_) visit(host, lane);
  }

  static constexpr std::size_t kLow = 1024, kHigh = 8192, kLane = 512;

 private:
  void insert(QueueEntry entry);
  void list(Lane& lane);
  void unlist(Lane& lane);
  void shorten(Lane& lane);
  void read_rest_if_short(Lane& lane);
  void shrink();

  Frontier& frontier_;
  const TaskId task_;
  const std::function<bool(std::string_view)> is_open_;
  std::map<std::string, Lane, std::less<>> lanes_;
  std::set<std::pair<std::string_view, Lane*>> ready_;  // open lanes by their first key
  std::set<std::string, std::less<>> taken_;            // keys that are under way
  std::size_t size_ = 0;
  std::string high_;  // up to here everything is in memory …
  bool more_ = true;  // … and behind it there may be more on disk
};

}  // namespace outrider
