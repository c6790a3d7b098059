// What the memory knows about one URL: a page, a picture, anything that has an address.
#pragma once

#include "plugins/api/page_content.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider {

// The numbers are on disk: never change one, add at the end.
enum class FetchedBy : std::uint8_t { nobody = 0, browser = 1, robot = 2 };  // nobody: only links to it are known

// Who may see it. Decided at one place when it is written (cache/storage_class.hpp).
enum class StorageClass : std::uint8_t {
  open = 0,      // shareable by the rules of HTTP: for everybody and the robot
  personal = 1,  // for the person who saw it
  never = 2,     // not kept: URL and time of the visit at most
};

enum class NodeError : std::uint8_t {
  none = 0,
  dns = 1,
  connect = 2,
  tls = 3,
  timeout = 4,
  protocol = 5,
  http = 6,
  refused = 7
};
std::string_view to_string(NodeError error);

// One look at the page: enough of them to estimate how often it changes.
struct Observation {
  WallTime at{};
  bool changed = false;  // since the one before
};

struct Node {
  std::string url;    // as it was asked for, without fragment
  std::string owner;  // "" = open; else whose it is
  StorageClass storage = StorageClass::open;
  FetchedBy fetched_by = FetchedBy::nobody;
  int status = 0;                     // of the last answer; 0 = none yet
  NodeError error = NodeError::none;  // of the last attempt; what was known before stays known
  std::string error_text;
  std::string redirects_to;  // absolute URL, if the last answer was a redirect
  std::string mime;          // sniffed; "text/html"
  std::uint64_t wire_size = 0, decoded_size = 0;
  std::string etag, last_modified;                        // as the server wrote them
  PageContent page;                                       // `text` only where it is asked for
  bool partial = false;                                   // only the beginning of the page is known
  WallTime page_at{};                                     // when `page` came; epoch = not known
  WallTime first_seen{}, last_fetched{}, last_changed{};  // epoch = never
  std::vector<Observation> observations;                  // the last 32
  std::uint32_t fetches = 0;
  std::uint32_t visit_count = 0;
  WallTime last_visit{};
  std::uint32_t in_degree = 0, out_degree = 0;  // different pages
  bool has_text = false, has_body = false;      // retention: what is still there
};

}  // namespace outrider
