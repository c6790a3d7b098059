// How pages get into the memory and out of it: each time one atomic batch of the node, its links in both directions,
// its place in the index's queue and the events.
#pragma once

#include "cache/graph_core.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

class GraphWriter {
 public:
  explicit GraphWriter(GraphCore& core) : core_(core) {}

  Result<Recorded> record(const Sighting& sighting);
  Result<void> record_body(const PageRef& page, std::string_view body);
  // A person waits for it, or its rank has changed.
  Result<void> visited(std::string_view space, std::string_view resource);

  // Into a batch of the caller's, who holds core.forgetting or the page's lock. Queued to be removed from the index.
  struct Removed {
    std::string ticket;                // in the queue of the index
    std::vector<std::string> targets;  // resources that it linked to
  };
  Result<Removed> remove(rocksdb::WriteBatch& batch, std::string_view page_key);
  Result<void> queue_everything();  // for the index
  // Only part of a page: its text, its body. For retention.
  enum class Part : std::uint8_t { text, body };
  Result<void> remove_part(std::string_view page_key, Part part);

 private:
  Result<std::optional<records::NodeRecord>> load(std::string_view page_key) const;
  void enqueue(rocksdb::WriteBatch& batch, IndexQueue::Lane lane, std::string_view page_key,
               records::NodeRecord& node) const;
  bool may_be_indexed(const records::NodeRecord& node, std::string_view page_key) const;

  GraphCore& core_;
};

}  // namespace outrider::graph
