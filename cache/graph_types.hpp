// What goes into the memory, and what its keepers (ingest, indexer, the person who wants to forget) get back.
// Read through plugins/api/memory.hpp; written through graph.hpp.
#pragma once

#include "base/clock.hpp"
#include "cache/store_disk_space.hpp"
#include "plugins/api/link.hpp"
#include "plugins/api/node.hpp"
#include "plugins/api/page_content.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace outrider {

// Which record is meant: the same URL can be known to everybody and, differently, to one person.
struct PageRef {
  std::string url;    // fragments and passwords are ignored
  std::string owner;  // of what is personal; "" where nobody logs in
  StorageClass storage = StorageClass::open;
};

// One answer to a request, or the failure to get one.
struct Sighting {
  std::string url;
  std::string owner;  // of what is personal
  StorageClass storage = StorageClass::open;
  FetchedBy fetched_by = FetchedBy::browser;
  WallTime at{};
  int status = 0;
  std::string redirects_to;  // absolute
  std::string mime;
  std::string etag, last_modified;
  std::uint64_t wire_size = 0, decoded_size = 0;
  std::uint64_t body_hash = 0;  // of the decoded body; 0 = unknown. Tells whether it changed before its text is known
  bool not_modified = false;    // a 304: only the dates and an observation are new
  bool partial = false;         // only the beginning came: does not take the place of a page that is known as a whole
  NodeError error = NodeError::none;
  std::string error_text;
  bool has_page = false;  // `page` and `links` are filled; otherwise what was known of them stays
  bool waited = false;    // it comes late: what was seen meanwhile is newer, and stays
  PageContent page;
  std::vector<Link> links;  // of a redirect: none, the link to its target is added

  PageRef ref() const { return {url, owner, storage}; }
};

struct Recorded {
  Node node;               // as it is now, without text, degrees of links to it and visits
  bool is_new = false;     // it had not been fetched before
  bool changed = false;    // its content differs from the last time
  bool took_page = false;  // `page` of the sighting is what is known now
};

// A page that waits for the full-text index.
struct IndexItem {
  std::string ticket;  // for Graph::indexed()
  std::string key;     // names the page for ever; no two pages have the same, prefixes of others never
  PageRef page;
  bool visited = false;  // a person waits for it
};

// What one person did with a page.
struct VisitsOfPage {
  std::string user;
  std::uint32_t count = 0;
  WallTime last{};
};

// What shall be forgotten: one of site, url, prefix, a span of time, everything; or all that belongs to a user.
struct ForgetScope {
  std::string site;                     // host and what is below it
  std::string url;                      // one page
  std::string prefix;                   // pages whose address begins so
  std::optional<WallTime> from, until;  // what was visited or fetched then, whoever fetched it
  bool everything = false;
  // With one of the above: only what this person sees (open things and his own). Alone: his own things and visits.
  std::optional<std::string> user;

  static ForgetScope of_site(std::string host) {
    ForgetScope scope;
    scope.site = std::move(host);
    return scope;
  }
  static ForgetScope of_page(std::string url) {
    ForgetScope scope;
    scope.url = std::move(url);
    return scope;
  }
  static ForgetScope of_prefix(std::string url) {
    ForgetScope scope;
    scope.prefix = std::move(url);
    return scope;
  }
  static ForgetScope since(WallTime from) {
    ForgetScope scope;
    scope.from = from;
    return scope;
  }
  static ForgetScope all() {
    ForgetScope scope;
    scope.everything = true;
    return scope;
  }
  static ForgetScope of_user(std::string name) {
    ForgetScope scope;
    scope.user = std::move(name);
    return scope;
  }
};

struct ForgetReport {
  std::uint64_t pages = 0, visits = 0, links = 0, events = 0;
};

struct GraphOptions {
  std::filesystem::path folder;  // made if it is missing, for its owner alone
  bool read_only = false;        // for looking at it while no Outrider runs
  bool background = true;        // a thread of its own for syncing, trimming, retention and eviction
  bool patient = false;          // if the disk does not allow to open it: try again every second, and fail meanwhile
  std::uint64_t disk_budget = 4ull << 30;
  // Others may need the disk more: what is left of it.
  std::function<std::optional<DiskSpace>(const std::filesystem::path&)> disk_space = DiskSpace::of;
  Duration keep_text{};  // of pages that nobody visited; 0 = until the space is needed
  Duration keep_body{};  // likewise
  bool keep_bodies = false;
  std::uint64_t keep_events = 100'000;
  Duration keep_events_for = std::chrono::hours{24 * 30};
  bool compress = true;  // false: for those who look into the files
  std::size_t block_cache = 32 << 20;
  std::size_t write_buffer = 16 << 20;  // also bounds the log that is replayed after a crash
};

}  // namespace outrider
