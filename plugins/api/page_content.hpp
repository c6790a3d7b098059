// What a page says, read from its bytes: the result of parsing, the same whoever fetched it. All text is UTF-8, its
// white space collapsed, its length limited (cache/page_limits.hpp). What a page does not say is empty, never guessed.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace outrider {

struct Heading {
  std::uint8_t level = 1;  // <h1> to <h6>
  std::string text;
};

// <meta name=robots> and X-Robots-Tag together: the stricter one counts.
struct RobotsDirectives {
  bool noindex = false;
  bool nofollow = false;
  bool noarchive = false;
  bool nosnippet = false;
};

struct DetectedLanguage {
  std::string code;           // BCP 47, as short as it is right: "de", "pt", "zh-Hant"; "" = could not be told
  float confidence = 0;       // 0 to 1
  std::uint32_t letters = 0;  // of running text that it was told from
};

struct PageContent {
  std::string charset;  // by its WHATWG name: "UTF-8", "windows-1252"
  std::string title;
  std::string description;
  std::vector<std::string> keywords;
  std::string author;
  std::string declared_language;  // <html lang>, Content-Language, in this order
  DetectedLanguage language;
  std::string canonical;  // absolute URL
  std::string site_name;
  std::string image;    // absolute URL of the picture that stands for the page
  std::string favicon;  // absolute URL
  std::optional<WallTime> published, modified;
  std::vector<Heading> headings;
  std::string text;              // what a reader came for: without navigation; paragraphs separated by "\n"
  std::uint32_t word_count = 0;  // of `text`
  std::uint32_t reading_seconds = 0;
  RobotsDirectives robots;
  std::uint64_t fingerprint = 0;  // equal text, equal number; 0 = no text
  std::uint64_t simhash = 0;      // near text, few bits differ; 0 = too little text to tell
  bool deep = false;              // gumbo has seen it; otherwise only what a linear scan finds
};

}  // namespace outrider
