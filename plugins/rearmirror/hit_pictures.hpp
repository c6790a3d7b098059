// Which picture a hit has, and how it gets one: drawn by a renderer if there is one, else the one that the page names
// for itself, else none. Only pages that everybody may see have pictures. The plugin's thread alone calls it.
#pragma once

#include "plugins/api/memory.hpp"
#include "plugins/rearmirror/settings.hpp"
#include "plugins/rearmirror/site_pictures.hpp"
#include "plugins/rearmirror/thumbnail_maker.hpp"
#include "plugins/rearmirror/thumbnail_shelf.hpp"

#include <map>
#include <memory>
#include <string>

namespace outrider {

class HitPictures {
 public:
  enum class State : std::uint8_t { none, coming, ready };

  // `robot` may be absent.
  HitPictures(PluginStore& store, const Memory& memory, Robot* robot, const Clock& clock);
  // Once, before the first want().
  void use_renderer(ChromiumOptions options, Duration per_page);

  State want(const std::string& url);
  std::optional<Thumbnail> get(const std::string& url) const;
  void forget_waiting();           // the reader has gone on
  bool advance(std::size_t keep);  // true: something is new
  void stop();

  std::size_t size() const { return shelf_.size(); }
  std::string renderer_state() const;

 private:
  void ask_site(const std::string& url);
  void give_up(const std::string& url);

  const Memory& memory_;
  const Clock& clock_;
  ThumbnailShelf shelf_;
  std::unique_ptr<ThumbnailMaker> maker_;
  std::unique_ptr<SitePictures> sites_;
  std::map<std::string, WallTime> without_;  // there was none to be had then
  unsigned ticks_ = 0;
};

std::string_view to_string(HitPictures::State state);

}  // namespace outrider
