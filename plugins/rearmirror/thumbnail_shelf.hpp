// The pictures that are kept: in the plugin's private data, bounded, the oldest goes first. One whose page the memory
// does not know any more, because somebody wants it forgotten, goes with it. The plugin's thread alone calls it.
#pragma once

#include "base/clock.hpp"
#include "plugins/api/plugin_ports.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace outrider {

struct Thumbnail {
  std::string type;  // "image/jpeg"
  std::string bytes;
};

// The type by its first bytes, of those that can be shown without risk; "" = none of them. No SVG: that is a document.
std::string_view picture_type(std::string_view bytes);

class ThumbnailShelf {
 public:
  static constexpr std::size_t kLargest = 256 << 10;

  explicit ThumbnailShelf(PluginStore& store) : store_(store) {}
  void load();
  bool has(const std::string& url) const { return index_.contains(url); }
  std::optional<WallTime> made(const std::string& url) const;
  std::optional<Thumbnail> get(const std::string& url) const;
  // False: it is no picture, or too large.
  bool put(const std::string& url, const std::string& bytes, WallTime now, std::size_t keep);
  void remove(const std::string& url);
  // Looks at a few more each time; true = all of them have been looked at.
  bool sweep(const std::function<bool(const std::string& url)>& is_wanted, std::size_t at_once);
  std::size_t size() const { return index_.size(); }

 private:
  void save();

  PluginStore& store_;
  std::map<std::string, WallTime> index_;
  std::string swept_;  // up to this URL
};

}  // namespace outrider
