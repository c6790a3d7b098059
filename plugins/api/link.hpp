// A link from one page to another, as the page writes it.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// The numbers are on disk: never change one, add at the end.
enum class LinkKind : std::uint8_t {
  anchor = 0,
  area = 1,
  form = 2,  // a form that is sent by GET
  frame = 3,
  iframe = 4,
  link_rel = 5,  // <link rel=…> of no other kind
  meta_refresh = 6,
  redirect = 7,  // by HTTP
  canonical = 8,
  alternate = 9,    // another language or medium
  pagination = 10,  // rel=next, rel=prev
  feed = 11,
  embedded = 12,  // image, style sheet, script, media: what the page needs to be drawn
};

std::string_view to_string(LinkKind kind);
std::optional<LinkKind> parse_link_kind(std::string_view name);

// Where the target lies, seen from the source.
enum class LinkReach : std::uint8_t {
  external = 0,
  internal = 1,
  subdirectory = 2
};  // other host; same host; below the source's folder
std::string_view to_string(LinkReach reach);

// rel tokens and attributes that matter to us.
struct LinkFlags {
  static constexpr std::uint16_t nofollow = 1, ugc = 2, sponsored = 4, noopener = 8, noreferrer = 16, new_window = 32,
                                 download = 64, in_navigation = 128;  // inside <nav>, <header>, <footer>, <aside>
};

struct Link {
  std::string target;  // absolute URL with its fragment
  LinkKind kind = LinkKind::anchor;
  LinkReach reach = LinkReach::external;
  std::uint16_t flags = 0;     // LinkFlags
  std::string text;            // of the anchor; else alt, title, aria-label
  std::string rel;             // the tokens in lower case, separated by one space
  std::string hreflang;        // of alternate
  std::uint32_t position = 0;  // among the links of the page, from 0
  bool has(std::uint16_t flag) const { return (flags & flag) != 0; }
};

// A link with its other end, as it is found in the memory.
struct KnownLink {
  std::string source;  // URL
  Link link;
  WallTime first_seen{}, last_seen{};
};

}  // namespace outrider
