// New links, told to the index entries of the pages that they lead to: an entry has the words of links, and their
// number. Done when the index has nothing else to do. Neighbours: graph_queue (where pages with new links wait),
// graph_links (which of their links are new).
#pragma once

#include "cache/graph_core.hpp"
#include "cache/graph_visits.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace outrider::graph {

class LinkNews {
 public:
  LinkNews(GraphCore& core, const GraphVisits& visits) : core_(core), visits_(visits) {}

  // Queues pages whose entries lack something, a bounded piece of work; true = there may be more to do.
  //
  // A link that stands on every page of a site must not have its target indexed a thousand times: every link counts
  // while there are few, then only each doubling of their number, up to a thousand.
  Result<bool> spread();
  // The index reads the page now, and finds so many links to it.
  Result<void> told(std::string_view page_key, std::uint32_t in_degree);

 private:
  Result<void> queue(const std::string& page_key, bool only_words);
  Result<std::uint32_t> links_to(std::string_view page_key, std::uint32_t most) const;
  Result<void> finish(const IndexItem& source, const std::optional<std::string>& links_then);

  GraphCore& core_;
  const GraphVisits& visits_;
};

}  // namespace outrider::graph
