// The links of one page as they are written: all of them in one value under the page, and one small key for each other
// page that it links to, under that page. Neighbour: graph_writer.
#pragma once

#include "cache/graph_db.hpp"
#include "cache/graph_records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace outrider::graph {

struct LinkChanges {
  std::vector<const Link*> added;  // that were not there the last time
  std::uint32_t out_degree = 0;    // different pages, without itself
};

// The page's links, instead of those that were there. Writes nothing if nothing is different and what is written is
// less than a day old.
LinkChanges replace_links(const GraphDb& db, rocksdb::WriteBatch& batch, std::string_view space,
                          std::string_view resource, std::string_view old_value, const std::vector<Link>& links,
                          WallTime now);
// All of them away, in both directions. The resources that it linked to.
std::vector<std::string> remove_links(const GraphDb& db, rocksdb::WriteBatch& batch, std::string_view space,
                                      std::string_view resource, std::string_view old_value);

// Under the target, by the source.
std::string in_link_key(std::string_view space, std::string_view target, std::string_view source);

}  // namespace outrider::graph
