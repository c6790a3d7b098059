// How the frontier's records look on disk. Numbers are big-endian where they must sort, else little-endian.
#pragma once

#include "base/error.hpp"
#include "robot/queue_entry.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

// What is known about a URL within a task.
struct SeenRecord {
  UrlFate::State state = UrlFate::State::unknown;
  Reason reason = Reason::none;
  RemainingDepth remaining = 0;  // with which it was queued
  std::uint32_t in_degree = 0;   // only counted where the order of the queue needs it
  std::string key;               // its place in the queue, while it is queued
  std::string detail;            // for people
};

std::string encode_seen(const SeenRecord& record);
std::optional<SeenRecord> decode_seen(std::string_view bytes);

// Of a record of a rejected URL: the same without `detail`, which may quote its address. Nothing: there is none.
std::optional<std::string> without_words(std::string_view record);

std::string encode_entry(const QueueEntry& entry);  // without its key
std::optional<QueueEntry> decode_entry(std::string_view key, std::string_view bytes);

std::string encode_statistics(const TaskStatistics& statistics);
std::optional<TaskStatistics> decode_statistics(std::string_view bytes);

// task (4 bytes, rising) and what follows.
std::string task_prefix(TaskId task);

using SeenKey = std::array<char, 4 + 16>;
SeenKey seen_key(TaskId task, const UrlId& id);

}  // namespace outrider
