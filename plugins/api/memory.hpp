// The port to the memory: nodes, links, visits, events, search. Reading blocks on a disk for a moment: call it from a
// worker thread, never from a reactor. Any number of threads. `Viewer` decides what is seen: open things and the
// viewer's own.
#pragma once

#include "base/error.hpp"
#include "plugins/api/link.hpp"
#include "plugins/api/memory_event.hpp"
#include "plugins/api/node.hpp"
#include "plugins/api/search.hpp"
#include "plugins/api/visit.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace outrider {

struct Viewer {
  std::string user;           // "" where nobody logs in
  bool sees_personal = true;  // the robot and plugins that act for nobody: false

  static Viewer nobody() { return {"", false}; }
};

struct LinkQuery {
  std::size_t limit = 1000;
  std::string after;  // cursor of the page before; "" = from the beginning
};
struct LinkPage {
  std::vector<KnownLink> links;
  std::string next;  // "" = that was all
};

struct VisitQuery {
  std::optional<WallTime> from, until;
  std::string site;  // host and what is below it; "" = all
  std::string url;
  std::size_t limit = 100;
  VisitId before = 0;  // newest first; 0 = from the newest
};

struct MemoryStats {
  std::uint64_t nodes = 0, pages = 0, links = 0, visits = 0, events = 0;
  std::uint64_t disk_bytes = 0, text_bytes = 0, search_bytes = 0;
  std::uint64_t ingest_queued = 0, index_queued = 0;
};

class Memory {
 public:
  virtual ~Memory() = default;

  // Counting the links to a page takes reading many of them. Without `with_in_degree` that is left out: `in_degree` is
  // 0, and a page of which nothing but links to it is known is not found.
  virtual Result<std::optional<Node>> node(const Viewer& viewer, std::string_view url, bool with_text = false,
                                           bool with_in_degree = true) const = 0;
  virtual Result<LinkPage> links_from(const Viewer& viewer, std::string_view url, const LinkQuery& query) const = 0;
  virtual Result<LinkPage> links_to(const Viewer& viewer, std::string_view url, const LinkQuery& query) const = 0;
  virtual Result<std::vector<Visit>> visits(const Viewer& viewer, const VisitQuery& query) const = 0;
  // From the visit back to where the trail begins: at most `limit`, the visit itself first.
  virtual Result<std::vector<Visit>> trail(const Viewer& viewer, VisitId visit, std::size_t limit) const = 0;
  virtual Result<SearchAnswer> search(const Viewer& viewer, const SearchRequest& request) const = 0;
  virtual Result<std::vector<MemoryEvent>> events(const Viewer& viewer, EventCursor after, std::size_t limit) const = 0;
  virtual EventCursor newest_event() const = 0;
  virtual MemoryStats stats() const = 0;
  // How often somebody wanted something forgotten since the start: who keeps notes of his own compares it. Any thread.
  virtual std::uint64_t forgettings() const { return 0; }

  // Called, from some thread, after new events were written; must return at once. Let go of the handle to unsubscribe.
  virtual std::shared_ptr<void> on_events(std::function<void()> wake) = 0;
};

}  // namespace outrider
