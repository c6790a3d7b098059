// The port to watched pages: "tell me when this page changes". The robot looks, as often as the page is worth it or at
// a fixed interval; what changed is kept with the watch and published as the event "watch". Any thread may call; what a
// call changes is on disk when it returns.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct WatchNews {
  std::string url;
  std::string kind;    // "first look", "unchanged", "changed", "gone", "back", "unreachable"
  std::string diff;    // "- old" and "+ new" lines, of "changed" and "back"
  std::string detail;  // of "unreachable": why
  WallTime at{};
  WallTime next{};       // look
  std::string why_next;  // "changes about 1.2 times a day"
};

struct WatchedPage {
  std::string url;
  std::string owner;                          // who asked; "" = the person at the command line
  std::optional<std::chrono::seconds> every;  // absent: as often as it is worth it
  WallTime next{};                            // look; epoch = at once
  std::size_t looks = 0;                      // that are remembered
  std::optional<WatchNews> last;              // of any kind
  std::optional<WatchNews> last_change;       // "changed", "gone", "back"
};

class PageWatches {
 public:
  virtual ~PageWatches() = default;
  // The same URL again: only `every` and `owner` change.
  virtual Result<void> watch(std::string url, std::optional<std::chrono::seconds> every, std::string owner) = 0;
  virtual Result<void> unwatch(std::string_view url) = 0;  // not_found
  virtual std::vector<WatchedPage> watched() const = 0;
  virtual Result<void> look_now(std::string_view url) = 0;
  // Called by the robot's thread after every look; must return at once. Let go of the handle to hear no more.
  virtual std::shared_ptr<void> on_news(std::function<void(const WatchNews&)> hear) = 0;
};

}  // namespace outrider
