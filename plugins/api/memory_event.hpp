// Something new in the memory. Events are kept in order; whoever reads them keeps a cursor of his own.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace outrider {

using EventCursor = std::uint64_t;  // of the last event read; 0 = before the first

// The numbers are on disk: never change one, add at the end.
enum class MemoryEventKind : std::uint8_t {
  node_new = 0,
  node_changed = 1,
  node_gone = 2,
  link_new = 3,
  visit = 4,
  error = 5,
};
std::string_view to_string(MemoryEventKind kind);

struct MemoryEvent {
  EventCursor cursor = 0;
  MemoryEventKind kind = MemoryEventKind::node_new;
  WallTime at{};
  std::string user;    // "" = for everybody; else only this person may see it
  std::string url;     // of the node; source of a link
  std::string target;  // of a link
  std::string text;    // title, anchor text, error
};

}  // namespace outrider
